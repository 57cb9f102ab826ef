import { RE2JS } from 're2js';
import type { Document } from '@contract-kit/server/contract';
import { VALUE_KEYWORDS, MAP_KEYWORDS } from './canonical-members';
import { makeSampleTexts } from './pattern-texts';
import { isObject, pointerTo, type Problem } from './problem';

/**
 * Finds patterns that clients and servers read differently: JSON Schema has the flag u for Unicode, many clients do not
 * use it, and servers in Go, among others, have RE2.
 */
export function findPatternAdvice(document: Document): Problem[] {
  return [...findPatterns(document, '#', false)].flatMap(({ pointer, pattern }) =>
    [findUnicodeAdvice(pattern), findRe2Advice(pattern)].flatMap((message) =>
      message === undefined ? [] : [{ pointer, message }],
    ),
  );
}

interface Found {
  readonly pointer: string;
  readonly pattern: string;
}

// `isMap`: the keys of the node are names, not keywords.
function* findPatterns(node: unknown, pointer: string, isMap: boolean): Generator<Found> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, child] of Object.entries(node)) {
    const location = pointerTo(pointer, key);
    const isExample = key === 'example' || key === 'examples';
    if (!isMap && (VALUE_KEYWORDS.has(key) || isExample || key.startsWith('x-'))) continue;
    if (!isMap && key === 'pattern' && typeof child === 'string') yield { pointer: location, pattern: child };
    if (!isMap && key === 'patternProperties' && isObject(child)) {
      for (const pattern of Object.keys(child)) yield { pointer: pointerTo(location, pattern), pattern };
    }
    yield* findPatterns(child, location, !isMap && (MAP_KEYWORDS.has(key) || pointer === '#/components'));
  }
}

const LENGTH = 'bound a length by minLength and maxLength, which count characters';
const SURROGATES = 'leave surrogates out: no text that is Unicode has one alone';
const CLASSES = 'write out the characters that are meant';

function findUnicodeAdvice(pattern: string): string | undefined {
  const [unicode, plain] = [compile(pattern, 'u'), compile(pattern, '')];
  if (unicode instanceof Error && plain instanceof Error) return `is no regular expression: ${plain.message}`;
  if (unicode instanceof Error) {
    const better = withoutNeedlessEscapes(pattern);
    const advice = compile(better, 'u') instanceof Error ? '' : `; write ${JSON.stringify(better)}`;
    return `is none with the u flag, as JSON Schema has it: ${reasonOf(unicode)}${advice}`;
  }
  if (plain instanceof Error) return `is none without the u flag, as some clients read it: ${reasonOf(plain)}`;
  // A text that only one of them matches.
  const text = makeSampleTexts(pattern).find((one) => unicode.test(one) !== plain.test(one));
  if (text === undefined) return undefined;
  const [matching, other] = unicode.test(text) ? ['with', 'without'] : ['without', 'with'];
  return `means something else without the u flag: ${JSON.stringify(text)} fits ${matching} it and not ${other} it; ${suggestFix(pattern)}`;
}

function suggestFix(pattern: string): string {
  if (/\\ud[89a-f]/i.test(pattern) || /\p{Surrogate}/u.test(pattern)) return SURROGATES;
  return /\\[pP]\{|\\u\{|[^\0-\uffff]/u.test(pattern) ? CLASSES : LENGTH;
}

function findRe2Advice(pattern: string): string | undefined {
  try {
    // RE2 spells \u0041 as \x{0041}. Validators that use it (kin-openapi) replace it, too.
    RE2JS.compile(pattern.replace(/\\u\{?([\da-f]{4,6})\}?/gi, '\\x{$1}'));
    return undefined;
  } catch (error) {
    return `is none for RE2, which Go and others have: ${reasonOf(error as Error)}${suggestRe2Fix(pattern)}`;
  }
}

function suggestRe2Fix(pattern: string): string {
  if (pattern.includes('(?=')) return '; write what is looked for as a pattern of its own, both in allOf';
  if (pattern.includes('(?!')) return '; write what must not be there as `not: { pattern }`';
  return /\{\d{4}|\{\d*,\d{4}/.test(pattern) ? `; ${LENGTH}` : '';
}

function compile(pattern: string, flag: string): RegExp | Error {
  try {
    return new RegExp(pattern, flag);
  } catch (error) {
    return error as Error;
  }
}

// Only the last part of the message, which repeats the pattern before it.
function reasonOf({ message }: Error): string {
  return message.slice(message.indexOf(': ') + 2).replace(/^\/[^]*\/u?: /, '');
}

/** Removes the backslashes before characters that need none. */
function withoutNeedlessEscapes(pattern: string): string {
  const unescape = (text: string, kept: RegExp): string =>
    text.replace(/\\([^])/g, (all, sign: string) => (kept.test(sign) ? all : sign));
  return pattern.replace(/\[(?:\\[^]|[^\]\\])*\]|\\[^]/g, (part) =>
    // A class needs other escapes than the rest of a pattern.
    part.startsWith('[') ? unescape(part, /[a-z\d\\\]^-]/i) : unescape(part, /[a-z\d^$\\.*+?()[\]{}|/]/i),
  );
}
