import { RE2JS } from 're2js';
import type { Document } from '@contract-kit/server/contract';
import { VALUE_KEYWORDS, MAP_KEYWORDS } from './canonical-members';
import { makeSampleTexts } from './pattern-texts';
import { isObject, pointerTo, type Problem } from './problem';

/**
 * Finds patterns that clients and servers read differently: JSON Schema has the flag u for Unicode, many clients do not
 * use it, and servers in Go, among others, have the syntax of RE2.
 */
export function findPatternAdvice(document: Document): Problem[] {
  return [...findPatterns(document, '#')].flatMap(({ pointer, pattern }) =>
    [findUnicodeAdvice(pattern), findRe2Advice(pattern)].flatMap((message) =>
      message === undefined ? [] : [{ pointer, message }],
    ),
  );
}

interface FoundPattern {
  readonly pointer: string;
  readonly pattern: string;
}

// `isMap`: the keys of the node are names that the contract chose, as in `properties`, not keywords.
function* findPatterns(node: unknown, pointer: string, isMap = false): Generator<FoundPattern> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, child] of Object.entries(node)) {
    const location = pointerTo(pointer, key);
    // Of an example, a default or an extension, no key is a keyword.
    const isExample = key === 'example' || key === 'examples';
    if (!isMap && (VALUE_KEYWORDS.has(key) || isExample || key.startsWith('x-'))) continue;
    if (!isMap && key === 'pattern' && typeof child === 'string') yield { pointer: location, pattern: child };
    if (!isMap && key === 'patternProperties' && isObject(child)) {
      for (const pattern of Object.keys(child)) yield { pointer: pointerTo(location, pattern), pattern };
    }
    // The keys of components/schemas and the like are names.
    yield* findPatterns(child, location, !isMap && (MAP_KEYWORDS.has(key) || pointer === '#/components'));
  }
}

const USE_LENGTH_KEYWORDS = 'bound a length by minLength and maxLength, which count characters';
const LEAVE_SURROGATES_OUT = 'leave surrogates out: no text that is Unicode has one alone';
const WRITE_CHARACTERS_OUT = 'write out the characters that are meant';

// The end of a message, with what to write instead, if a pattern means something else with the flag u than without.
function findUnicodeAdvice(pattern: string): string | undefined {
  const [withFlag, withoutFlag] = [tryCompile(pattern, 'u'), tryCompile(pattern, '')];
  if (withFlag instanceof Error && withoutFlag instanceof Error) {
    return `is no regular expression: ${withoutFlag.message}`;
  }
  if (withFlag instanceof Error) {
    const better = withoutNeedlessEscapes(pattern);
    const advice = tryCompile(better, 'u') instanceof Error ? '' : `; write ${JSON.stringify(better)}`;
    return `is none with the u flag, as JSON Schema has it: ${reasonOf(withFlag)}${advice}`;
  }
  if (withoutFlag instanceof Error) {
    return `is none without the u flag, as some clients read it: ${reasonOf(withoutFlag)}`;
  }
  const text = makeSampleTexts(pattern).find((sample) => withFlag.test(sample) !== withoutFlag.test(sample));
  if (text === undefined) return undefined;
  const [matching, other] = withFlag.test(text) ? ['with', 'without'] : ['without', 'with'];
  return `means something else without the u flag: ${JSON.stringify(text)} fits ${matching} it and not ${other} it; ${suggestUnicodeFix(pattern)}`;
}

function suggestUnicodeFix(pattern: string): string {
  const hasSurrogates = /\\ud[89a-f]/i.test(pattern) || /\p{Surrogate}/u.test(pattern);
  if (hasSurrogates) return LEAVE_SURROGATES_OUT;
  // Of these, `\p{...}` and `\u{...}` mean something else without the flag.
  const hasCharactersOfTheFlag = /\\[pP]\{|\\u\{|[^\0-\uffff]/u.test(pattern);
  // Otherwise a length is counted differently, as by `^.{3}$`: without the flag, a character beyond U+FFFF is two.
  return hasCharactersOfTheFlag ? WRITE_CHARACTERS_OUT : USE_LENGTH_KEYWORDS;
}

// The end of a message if RE2, the regular expressions of Go, cannot compile a pattern.
function findRe2Advice(pattern: string): string | undefined {
  try {
    // RE2 spells \u0041 as \x{0041}. Validators that use it (kin-openapi) replace it, too.
    RE2JS.compile(pattern.replace(/\\u\{?([\da-f]{4,6})\}?/gi, '\\x{$1}'));
    return undefined;
  } catch (error) {
    return `is none for RE2, which Go and others have: ${reasonOf(error as Error)}${suggestRe2Fix(pattern)}`;
  }
}

// RE2 lacks lookaheads, and repeats of more than 1000.
function suggestRe2Fix(pattern: string): string {
  if (pattern.includes('(?=')) return '; write what is looked for as a pattern of its own, both in allOf';
  if (pattern.includes('(?!')) return '; write what must not be there as `not: { pattern }`';
  const hasLargeRepeat = /\{\d{4}|\{\d*,\d{4}/.test(pattern);
  return hasLargeRepeat ? `; ${USE_LENGTH_KEYWORDS}` : '';
}

function tryCompile(pattern: string, flag: string): RegExp | Error {
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

/** Removes the backslashes before characters that need none, such as that of `\@`: the flag u does not allow them. */
function withoutNeedlessEscapes(pattern: string): string {
  const unescape = (text: string, needsBackslash: RegExp): string =>
    text.replace(/\\([^])/g, (all, character: string) => (needsBackslash.test(character) ? all : character));
  // A part is a class such as [a-z\]], or one escape outside of classes. In a class, other characters are special.
  // Letters and digits keep their backslashes: `\d` is not `d`.
  return pattern.replace(/\[(?:\\[^]|[^\]\\])*\]|\\[^]/g, (part) =>
    part.startsWith('[') ? unescape(part, /[a-z\d\\\]^-]/i) : unescape(part, /[a-z\d^$\\.*+?()[\]{}|/]/i),
  );
}
