import { createContext, Script } from 'node:vm';
import { Untriable } from './contract/untried';

/**
 * Whether a text has a match; any text has one of a pattern that is no regular expression.
 *
 * @param pointer where the pattern stands
 * @throws Untriable when it takes too long
 */
export function matches(pattern: string, text: string, pointer: string): boolean {
  const expression = toRegExp(pattern);
  if (!expression) return true;
  // Only what is repeated as a group can take longer than the text is long.
  return /\)[*+{]/.test(pattern) ? matchWithTimeout({ pattern, expression, text, pointer }) : expression.test(text);
}

/** As JSON Schema has it, with Unicode; or without, as many of them are written. Undefined where it is none. */
export function toRegExp(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Perhaps without Unicode.
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
// A bounded call takes a hundred times as long as another, and most bodies differ in one text.
const results = new Map<string, boolean>();
const MAX_RESULTS = 10_000;
// What a server says may be of any length.
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
