import type { Item } from './item';

/**
 * The items that were declared but not produced, or produced but not declared.
 *
 * @example const gaps = gapsOf(suite.coverage.list())
 */
export function gapsOf(items: readonly Item[]): Item[] {
  return items.filter(({ isDeclared, count }) => !isDeclared || count === 0);
}

/**
 * Describes a gap in one line, such as `getPlant reply 404 application/json: declared, and produced by no case`.
 *
 * @example console.log(gapsOf(suite.coverage.list()).map(describeGap))
 */
export function describeGap({ operation, kind, name, isDeclared }: Item): string {
  const itemName = `${operation} ${kind} ${name}`.trim();
  return isDeclared ? `${itemName}: declared, and produced by no case` : `${itemName}: produced, and not declared`;
}

/**
 * Lists the items of coverage for people, by operation and kind: whether and how often each was produced, and totals.
 *
 * @example writeFileSync('coverage.txt', toListing(suite.coverage.list()))
 */
export function toListing(items: readonly Item[]): string {
  const operations = [...new Set(items.map(({ operation }) => operation))];
  const blocks = operations.map((operation) => {
    const ofOperation = items.filter((item) => item.operation === operation);
    const byKind = [...Map.groupBy(ofOperation, ({ kind }) => kind)];
    const lines = byKind.flatMap(([kind, ofKind]) => [`  ${kind}`, ...ofKind.map(toLine)]);
    // Items of the whole contract, such as error numbers, have an empty operation.
    return [operation || 'every operation', ...lines].join('\n');
  });
  const declared = items.filter(({ isDeclared }) => isDeclared);
  const produced = declared.filter(({ count }) => count > 0);
  const totals = `${String(produced.length)} of ${String(declared.length)} produced, ${String(items.length - declared.length)} not declared`;
  return `${blocks.join('\n\n')}\n\n${totals}\n`;
}

const CHECK_MARK = '\u2713';
const CROSS = '\u2717';

// A check mark and `404 application/json x3`, or `! 418 text/plain (not declared) x1`.
function toLine({ name, isDeclared, count }: Item): string {
  const declaredMark = count > 0 ? CHECK_MARK : CROSS;
  const label = isDeclared ? `${declaredMark} ${name}` : `! ${name} (not declared)`;
  return count > 0 ? `    ${label} x${String(count)}` : `    ${label}`;
}
