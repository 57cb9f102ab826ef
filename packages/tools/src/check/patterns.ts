// Finds patterns that are regular expressions only without the flag u.
import { type SafeDiagnostics, type VulnerableDiagnostics, checkSync } from 'recheck/lib/browser.js';
import { type Document, Mistake, type WrittenSchema as Schema, findSchemas } from '@contract-kit/contract';

/** Finds patterns that do not compile with the flag u, as JSON Schema has it. */
export function findPatternAdvice(document: Document): Mistake[] {
  const patterns = [...findSchemas(document)].flatMap(patternsOf);
  return patterns.flatMap(({ node, key, pattern }) => {
    const error = findUnicodeError(pattern);
    if (error === undefined) return [];
    const simplified = withoutNeedlessEscapes(pattern);
    const advice = findUnicodeError(simplified) === undefined ? `; write ${JSON.stringify(simplified)}` : '';
    return [new Mistake(node, `does not compile with the flag u, as JSON Schema has it: ${error}${advice}`, key)];
  });
}

/** Lists the patterns of a schema with their places: of its `pattern`, and the keys of its `patternProperties`. */
export function patternsOf(
  schema: Schema,
): { readonly node: object; readonly key: string; readonly pattern: string }[] {
  const { pattern, patternProperties = {} } = schema;
  return [
    ...(pattern === undefined ? [] : [{ node: schema, key: 'pattern', pattern }]),
    ...Object.keys(patternProperties).map((key) => ({ node: patternProperties, key, pattern: key })),
  ];
}

/** The last part of the message, which repeats the pattern before it; undefined if the pattern compiles with the flag u. */
export function findUnicodeError(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'u');
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    return message.slice(message.lastIndexOf(': ') + 2);
  }
}

/** Removes the backslashes before characters that need none, such as that of `\@`: the flag u does not allow them. */
function withoutNeedlessEscapes(pattern: string): string {
  const unescape = (text: string, needsBackslash: RegExp): string =>
    text.replace(/\\([^])/g, (escape, character: string) => (needsBackslash.test(character) ? escape : character));
  // A part is a class such as [a-z\]], or one escape outside of classes. In a class, other characters are special.
  // Letters and digits keep their backslashes: `\d` is not `d`.
  return pattern.replace(/\[(?:\\[^]|[^\]\\])*\]|\\[^]/g, (part) =>
    part.startsWith('[') ? unescape(part, /[a-z\d\\\]^-]/i) : unescape(part, /[a-z\d^$\\.*+?()[\]{}|/]/i),
  );
}

/** The diagnosis of recheck; undefined if it takes too long, or recheck cannot read the pattern. */
type Verdict = SafeDiagnostics | VulnerableDiagnostics | undefined;

export type PatternJudge = (pattern: string, flags: string) => Verdict;

// recheck computes how a small pattern grows, and tries texts on any other. These limits count its steps, so that every
// machine finds the same.
const RECHECK_LIMITS = {
  maxNFASize: 1_000,
  attackLimit: 1_000_000,
  attackTimeout: null,
  incubationLimit: 10_000,
  incubationTimeout: null,
  maxAttackStringSize: 30_000,
  maxIteration: 2,
  maxInitialGenerationSize: 100,
  maxGenerationSize: 20,
  crossoverSize: 10,
  mutationSize: 20,
} as const;

// Few patterns need this long. recheck checks the clock only between its steps, so it may overrun.
const TIME_LIMITS_MS = { perPattern: 750, perContract: 20_000 };

/** Creates a function that judges the patterns of one contract, each once, until the time for them is over. */
export function createPatternJudge({ perPattern, perContract } = TIME_LIMITS_MS): PatternJudge {
  const verdicts = new Map<string, Verdict>();
  let remainingMs = perContract;
  return (pattern, flags) => {
    if (verdicts.has(pattern)) return verdicts.get(pattern);
    const start = performance.now();
    const verdict = remainingMs > 0 ? judge(pattern, flags, Math.ceil(Math.min(remainingMs, perPattern))) : undefined;
    remainingMs -= performance.now() - start;
    verdicts.set(pattern, verdict);
    return verdict;
  };
}

// recheck takes whole milliseconds.
function judge(pattern: string, flags: string, timeout: number): Verdict {
  try {
    const diagnostics = checkSync(pattern, flags, { ...RECHECK_LIMITS, timeout });
    return diagnostics.status === 'unknown' ? undefined : diagnostics;
  } catch {
    // Some patterns overflow the stack of recheck.
    return undefined;
  }
}
