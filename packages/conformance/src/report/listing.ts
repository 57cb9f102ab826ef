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
 * Describes a gap in one line.
 *
 * @example console.log(gapsOf(suite.coverage.list()).map(describeGap))
 */
export function describeGap({ operation, kind, name, isDeclared }: Item): string {
  const place = `${operation} ${kind} ${name}`.trim();
  return isDeclared ? `${place}: declared, and produced by no case` : `${place}: produced, and not declared`;
}

/**
 * Lists all items for people: a check mark for each item that was produced, and how often.
 *
 * @example writeFileSync('coverage.txt', toListing(suite.coverage.list()))
 */
export function toListing(items: readonly Item[]): string {
  const operations = [...new Set(items.map(({ operation }) => operation))];
  const blocks = operations.map((operation) => {
    const own = items.filter((item) => item.operation === operation);
    const kinds = [...new Set(own.map(({ kind }) => kind))];
    const lines = kinds.flatMap((kind) => [`  ${kind}`, ...own.filter((item) => item.kind === kind).map(toLine)]);
    return [operation || 'every operation', ...lines].join('\n');
  });
  const declared = items.filter(({ isDeclared }) => isDeclared);
  const seen = declared.filter(({ count }) => count > 0);
  return `${blocks.join('\n\n')}\n\n${String(seen.length)} of ${String(declared.length)} produced, ${String(items.length - declared.length)} not declared\n`;
}

function toLine({ name, isDeclared, count }: Item): string {
  const mark = !isDeclared ? '!' : count > 0 ? '\u2713' : '\u2717';
  return `    ${mark} ${name}${isDeclared ? '' : ' (not declared)'} ${count > 0 ? `x${String(count)}` : ''}`.trimEnd();
}
