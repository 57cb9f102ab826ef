// Matches strings against patterns from a contract, which can be slow or invalid.
import { createContext, Script } from 'node:vm';
import { SkippedError } from './skipped';

/** Whether the text matches, or the pattern is invalid. Throws a SkippedError if matching takes too long. */
export function matches(pattern: string, text: string, pointer: string): boolean {
  const expression = toRegExp(pattern);
  if (!expression) return true;
  // Only a repeated group, such as `(a+)+`, can backtrack exponentially.
  const mayBeSlow = /\)[*+{]/.test(pattern);
  return mayBeSlow ? matchWithTimeout(pattern, expression, text, pointer) : expression.test(text);
}

/** Falls back to a pattern without the flag u, which JSON Schema requires. Returns undefined if both are invalid. */
export function toRegExp(pattern: string): RegExp | undefined {
  if (!expressionCache.has(pattern)) expressionCache.set(pattern, compile(pattern));
  return expressionCache.get(pattern);
}

const expressionCache = new Map<string, RegExp | undefined>();

function compile(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Try the next flags.
    }
  }
  return undefined;
}

const TIMEOUT_MS = 1_000;
// Matches as a script, because only a script can be interrupted. Its variables come from a context.
const MATCH_SCRIPT = new Script('expression.test(text)');
const context = createContext({});
const slowPatterns = new Set<string>();
// Earlier results. Most bodies repeat their strings, and a match with a timeout is a hundred times slower.
const cache = new Map<string, boolean>();
const MAX_CACHE_SIZE = 10_000;
const MAX_KEY_LENGTH = 1_000;

function matchWithTimeout(pattern: string, expression: RegExp, text: string, pointer: string): boolean {
  const timeoutError = new SkippedError('patterns that take too long to match', pointer);
  if (slowPatterns.has(pattern)) throw timeoutError;
  const key = `${pattern}\n${text}`;
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  Object.assign(context, { expression, text });
  try {
    const isMatch = MATCH_SCRIPT.runInContext(context, { timeout: TIMEOUT_MS }) as boolean;
    if (cache.size >= MAX_CACHE_SIZE) cache.clear();
    if (key.length <= MAX_KEY_LENGTH) cache.set(key, isMatch);
    return isMatch;
  } catch {
    slowPatterns.add(pattern);
    throw timeoutError;
  }
}
