// Finds patterns that make a small request expensive to check.
import { type SafeDiagnostics, type VulnerableDiagnostics, checkSync } from 'recheck/lib/browser.js';
import {
  type Document,
  DocumentError,
  operationsOf,
  type PathItem,
  type WrittenSchema as Schema,
  findPatternError,
  findSchemas,
  pathsOf,
  resolvePathItem,
  resolveReference,
} from '@contract-kit/contract';

export function findSlowPatterns(document: Document, judge = createPatternJudge()): DocumentError[] {
  return [...findRequestSchemas(document)].flatMap((schema) => judgePatterns(schema, judge));
}

const TOO_COMPLEX = 'this pattern is too complex to tell in time whether it backtracks; write a simpler one';
const REWRITE = 'start it with ^ and let no two of its repeats match the same text, as in "^a+$" instead of "^(a+)+$"';

function judgePatterns(schema: Schema, judge: PatternJudge): DocumentError[] {
  return patternsOf(schema).flatMap(({ node, key, pattern }) => {
    // The service also uses the flag u if the pattern allows it.
    const verdict = judge(pattern, findPatternError(pattern, 'u') === undefined ? 'u' : '');
    if (verdict?.status === 'safe') return [];
    if (!verdict) return [new DocumentError(node, TOO_COMPLEX, key)];
    const { complexity, attack } = verdict;
    // Property names do not have a maxLength.
    const isBoundable = complexity.type === 'polynomial' && complexity.degree <= MAX_DEGREE && node === schema;
    if (isBoundable && Number(schema.maxLength) <= MAX_HARMLESS_LENGTH) return [];
    const remedy = isBoundable ? `add a maxLength of at most ${String(MAX_HARMLESS_LENGTH)}, or ` : '';
    const message = `this pattern takes ${complexity.type} time for input such as ${attack.pattern}; ${remedy}${REWRITE}`;
    return [new DocumentError(node, message, key)];
  });
}

// A pattern is harmless within these limits: with n^4, a string of 100 characters takes less than 0.1 s; with n^5, a second.
const MAX_HARMLESS_LENGTH = 100;
const MAX_DEGREE = 4;

type RequestParts = Pick<PathItem<Schema>, 'parameters'> & { readonly requestBody?: object };

function findRequestSchemas(document: Document): ReadonlySet<Schema> {
  const items = Object.values(pathsOf(document)).map((item) => resolvePathItem(document, item));
  const operations = items.flatMap((item) => operationsOf(document, item).map(({ object }) => object as RequestParts));
  const messages = [...items, ...operations].flatMap(({ parameters = [], requestBody = {} }: RequestParts) => {
    const resolvedParameters = parameters.map((node) => resolveReference(document, node, 'Parameter'));
    return [...resolvedParameters, resolveReference(document, requestBody, 'RequestBody')];
  });
  return findSchemas(document, messages);
}

function patternsOf(schema: Schema): { readonly node: object; readonly key: string; readonly pattern: string }[] {
  const { pattern, patternProperties = {} } = schema;
  return [
    ...(pattern === undefined ? [] : [{ node: schema, key: 'pattern', pattern }]),
    ...Object.keys(patternProperties).map((key) => ({ node: patternProperties, key, pattern: key })),
  ];
}

/** The diagnosis from recheck; undefined if it takes too long or fails. */
type Verdict = SafeDiagnostics | VulnerableDiagnostics | undefined;

type PatternJudge = (pattern: string, flags: string) => Verdict;

// These limits count steps rather than time, so that the result is the same on every machine.
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

// The time limits of recheck, which few patterns reach, even on a busy machine.
const TIME_LIMITS_MS = { perPattern: 3_000, perContract: 20_000 };

/** Creates a function that checks one contract's patterns within a time limit. */
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

function judge(pattern: string, flags: string, timeout: number): Verdict {
  try {
    const diagnostics = checkSync(pattern, flags, { ...RECHECK_LIMITS, timeout });
    return diagnostics.status === 'unknown' ? undefined : diagnostics;
  } catch {
    // Some patterns overflow recheck's stack.
    return undefined;
  }
}
