import { RE2JS } from 're2js';
import type { Document } from '@contract-kit/server/contract';
import { DATA, MAPS } from './canonical-members';
import { textsFor } from './pattern-texts';
import { isObject, pointerTo, type Problem } from './problem';

/**
 * Patterns that not every reader of the contract understands alike: JSON Schema wants them read as Unicode (the flag u),
 * which many clients do not, and servers in Go, among others, have RE2.
 */
export function patternAdvice(document: Document): Problem[] {
  return [...findPatterns(document, '#', false)].flatMap(({ pointer, pattern }) =>
    [unicodeAdvice(pattern), re2Advice(pattern)].flatMap((message) =>
      message === undefined ? [] : [{ pointer, message }],
    ),
  );
}

interface Found {
  readonly pointer: string;
  readonly pattern: string;
}

function* findPatterns(node: unknown, pointer: string, isMap: boolean): Generator<Found> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, child] of Object.entries(node)) {
    const at = pointerTo(pointer, key);
    const isExample = key === 'example' || key === 'examples';
    if (!isMap && (DATA.has(key) || isExample || key.startsWith('x-'))) continue;
    if (!isMap && key === 'pattern' && typeof child === 'string') yield { pointer: at, pattern: child };
    if (!isMap && key === 'patternProperties' && isObject(child)) {
      for (const pattern of Object.keys(child)) yield { pointer: pointerTo(at, pattern), pattern };
    }
    yield* findPatterns(child, at, !isMap && (MAPS.has(key) || pointer === '#/components'));
  }
}

const LENGTH = 'bound a length by minLength and maxLength, which count characters';
const SURROGATES = 'leave surrogates out: no text that is Unicode has one alone';
const CLASSES = 'write out the characters that are meant';

function unicodeAdvice(pattern: string): string | undefined {
  const [unicode, plain] = [compile(pattern, 'u'), compile(pattern, '')];
  if (unicode instanceof Error && plain instanceof Error) return `is no regular expression: ${plain.message}`;
  if (unicode instanceof Error) {
    const better = withoutEscapes(pattern);
    const advice = compile(better, 'u') instanceof Error ? '' : `; write ${JSON.stringify(better)}`;
    return `is none with the u flag, as JSON Schema has it: ${reasonOf(unicode)}${advice}`;
  }
  if (plain instanceof Error) return `is none without the u flag, as some clients read it: ${reasonOf(plain)}`;
  const text = textsFor(pattern).find((one) => unicode.test(one) !== plain.test(one));
  if (text === undefined) return undefined;
  const [matching, other] = unicode.test(text) ? ['with', 'without'] : ['without', 'with'];
  return `means something else without the u flag: ${JSON.stringify(text)} fits ${matching} it and not ${other} it; ${wayOut(pattern)}`;
}

function wayOut(pattern: string): string {
  if (/\\ud[89a-f]/i.test(pattern) || /\p{Surrogate}/u.test(pattern)) return SURROGATES;
  return /\\[pP]\{|\\u\{|[^\0-\uffff]/u.test(pattern) ? CLASSES : LENGTH;
}

function re2Advice(pattern: string): string | undefined {
  try {
    // RE2 has another spelling for it, which its users put in (kin-openapi, re2js).
    RE2JS.compile(pattern.replace(/\\u\{?([\da-f]{4,6})\}?/gi, '\\x{$1}'));
    return undefined;
  } catch (error) {
    return `is none for RE2, which Go and others have: ${reasonOf(error as Error)}${re2WayOut(pattern)}`;
  }
}

function re2WayOut(pattern: string): string {
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

// The last part of the message: before it stands the pattern itself.
function reasonOf({ message }: Error): string {
  return message.slice(message.indexOf(': ') + 2).replace(/^\/[^]*\/u?: /, '');
}

/** The pattern without backslashes in front of characters that mean themselves. */
function withoutEscapes(pattern: string): string {
  const bare = (text: string, kept: RegExp): string =>
    text.replace(/\\([^])/g, (all, sign: string) => (kept.test(sign) ? all : sign));
  return pattern.replace(/\[(?:\\[^]|[^\]\\])*\]|\\[^]/g, (part) =>
    part.startsWith('[') ? bare(part, /[a-z\d\\\]^-]/i) : bare(part, /[a-z\d^$\\.*+?()[\]{}|/]/i),
  );
}
