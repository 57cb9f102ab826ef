import { createContext, Script } from 'node:vm';
import { Untriable } from './contract/untried';

/**
 * Whether a text matches a pattern; every text matches an invalid regular expression.
 *
 * @param pointer where the pattern stands
 * @throws Untriable when it takes too long
 */
export function matches(pattern: string, text: string, pointer: string): boolean {
  const expression = toRegExp(pattern);
  if (!expression) return true;
  // Only a repeated group can backtrack exponentially.
  return /\)[*+{]/.test(pattern) ? matchWithTimeout({ pattern, expression, text, pointer }) : expression.test(text);
}

/** Compiles a pattern with the flag u, as JSON Schema requires, or else without; undefined when it is invalid. */
export function toRegExp(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Try it without the flag u.
    }
  }
  return undefined;
}

interface Match {
  readonly pattern: string;
  readonly expression: RegExp;
  readonly text: string;
  readonly pointer: string;
}

const PATIENCE_MS = 1_000;
const SCRIPT = new Script('expression.test(text)');
const sandbox = createContext({});
const slow = new Set<string>();
// Cache: a call with a timeout is a hundred times slower, and most bodies share their texts.
const results = new Map<string, boolean>();
const MAX_RESULTS = 10_000;
// Replies may have texts of any length.
const MAX_KEY = 1_000;

function matchWithTimeout({ pattern, expression, text, pointer }: Match): boolean {
  const tooSlow = new Untriable('patterns that take too long', pointer);
  if (slow.has(pattern)) throw tooSlow;
  const key = `${pattern}\n${text}`;
  const known = results.get(key);
  if (known !== undefined) return known;
  Object.assign(sandbox, { expression, text });
  try {
    const result = SCRIPT.runInContext(sandbox, { timeout: PATIENCE_MS }) as boolean;
    if (results.size >= MAX_RESULTS) results.clear();
    if (key.length <= MAX_KEY) results.set(key, result);
    return result;
  } catch {
    slow.add(pattern);
    throw tooSlow;
  }
}
