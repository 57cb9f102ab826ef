import { sample, stringMatching, type Arbitrary } from 'fast-check';
import { childOf, rangeOf, pointersOf, rulesOf, type Rule, type Schema } from '../contract/schema';
import { ASSERTED_CONTENT } from '../contract/sequences';
import { SkippedError } from '../contract/skipped';
import type { ImplementationDefined } from '../contract/standards';
import { toText, writeJson, type Json } from '../wire/json';
import { matches, toRegExp } from '../contract/pattern';
import { FORMAT_RANGES } from './numbers';
import { createVariant, fits, throwSkipped, type Values, type Variant } from './variant';

type LabelledText = readonly [label: string, text: string, implementationDefined?: ImplementationDefined];

/** Strings that servers, databases and languages are known to change, truncate or refuse. */
const UNUSUAL_TEXTS: readonly LabelledText[] = [
  ['plain', 'a'],
  ['empty', ''],
  ['surrounding spaces', '  a  '],
  ['only a space', ' '],
  ['line breaks', 'a\r\n\tb'],
  ['quotes and backslashes', `"'\\\`/`],
  ['markup', '<script>alert(1)</script>&amp;'],
  ['SQL', "'); DROP TABLE x; --"],
  ['a formula', '=1+1'],
  ['a template', '${x}{{x}}%s%n'],
  ['like a number', '1'],
  ['like null', 'null'],
  ['accents, composed', '\u00e9'],
  ['accents, decomposed', 'e\u0301'],
  ['astral', '\u{1f331}\u{10ffff}'],
  ['joined emoji', '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}'],
  ['right to left', '\u05d0\u0627\u202e'],
  ['C0 and C1 controls', '\u0001\u001f\u007f\u0085'],
  ['line separators', '\u2028\u2029'],
  ['a byte order mark', '\ufeffa'],
  ['noncharacters', '\ufffd\ufffe\uffff', 'RFC 8259 9'],
  ['next to surrogates', '\ud7ff\ue000'],
  ['upper and lower case', 'aA\u0130\u0131\u00df'],
  ['NUL', '\u0000'],
  ['NUL inside', 'a\u0000b'],
];

/** Labels a string that has `maxLength` characters, but twice as many UTF-16 units. */
export const ASTRAL_MAX_LENGTH = 'maxLength in astral characters';

/** Without maxLength, the length of a text that people may still want to store. */
const LONG_LENGTH = 10_000;

// Prefers a string of the format, then the marker, by which the suite recognizes its own data. Plain letters come next,
// since headers lose surrounding white space (RFC 9110 section 5.5).
export function makeBaseString(values: Values, schema: Schema): string {
  const content = childOf(schema, ASSERTED_CONTENT);
  if (content) return writeJson(values.baseOf(content));
  const formatTexts = rulesOf(schema, 'format').flatMap(({ value }) => formatOf(values, value).right);
  const texts = listValidTexts(values, schema);
  const isUnusual = UNUSUAL_TEXTS.some((unusual) => unusual === texts[0]);
  const plainTexts = isUnusual ? ['a'.repeat(Math.max(rangeOf(schema, 'Length').min, 1))] : [];
  const candidates = [...formatTexts, values.marker, ...plainTexts, ...texts.map(([, text]) => text)];
  return candidates.find((text) => fits(values, schema, text)) ?? throwSkipped(schema, NO_TEXT_REASON);
}

/** Makes strings of the format or pattern, or else unusual ones, and the shortest and the longest string. */
export function makeValidStrings(values: Values, schema: Schema): Variant[] {
  const content = childOf(schema, ASSERTED_CONTENT);
  if (content) return stringifyContent(values.validValues(content)).filter(({ value }) => fits(values, schema, value));
  const [pointer] = pointersOf(schema, 'pattern', 'format');
  const texts = listValidTexts(values, schema).map(([label, text, implementationDefined]) =>
    createVariant(schema, { keyword: 'text', label, implementationDefined, pointer }, text),
  );
  // Strings of a format cannot have just any length.
  const hasStringFormat = rulesOf(schema, 'format').some(({ value }) => restrictsStrings(values, value));
  if (hasStringFormat) return texts;
  const { min: shortest, max: longest } = rangeOf(schema, 'Length');
  const create = (keyword: string, text: string | undefined, label = keyword): Variant =>
    createVariant(schema, { keyword, label }, text ?? throwSkipped(schema, NO_TEXT_REASON));
  const findTextOfLength = (length: number): string | undefined => findStringOfLength(values, schema, length);
  const atShortest = shortest > 0 ? [create('minLength', findTextOfLength(shortest))] : [];
  if (longest === Infinity) {
    const longText = findTextOfLength(LONG_LENGTH);
    const label = `${String(LONG_LENGTH)} characters`;
    return [...texts, ...atShortest, ...(longText === undefined ? [] : [create('length', longText, label)])];
  }
  // JSON Schema Validation section 6.3.1: length counts code points, not UTF-16 units or bytes.
  const astralVariant = create('maxLength', repeatToLength('\u{1f331}', longest), ASTRAL_MAX_LENGTH);
  const atLongest = create('maxLength', findTextOfLength(longest));
  return [...texts, ...atShortest, atLongest, ...[astralVariant].filter(({ value }) => fits(values, schema, value))];
}

function stringifyContent(variants: readonly Variant[]): Variant[] {
  return variants.map((variant) => ({
    ...variant,
    label: `content, ${variant.label}`,
    value: writeJson(variant.value),
  }));
}

/** Formats such as `password` and `int32` do not restrict strings. */
function restrictsStrings(values: Values, format: Json): boolean {
  return formatOf(values, format).right.length !== 0 || !FORMATS[toText(format)];
}

export function makeInvalidStrings(values: Values, schema: Schema): Variant[] {
  const content = childOf(schema, ASSERTED_CONTENT);
  return [
    ...(content
      ? [
          ...stringifyContent(values.invalidValues(content)),
          createVariant(schema, { keyword: ASSERTED_CONTENT, label: 'content that is not JSON' }, '{'),
        ]
      : []),
    ...makeStringsOfWrongLength(schema),
    ...rulesOf(schema, 'pattern').flatMap((rule) => makeNonMatchingStrings(values, schema, rule)),
    ...rulesOf(schema, 'format').flatMap((rule) => makeStringsOfWrongFormat(values, schema, rule)),
  ];
}

// Some servers wrongly count a character such as U+1F331 as two, since it has two UTF-16 units.
function makeStringsOfWrongLength(schema: Schema): Variant[] {
  const { min: shortest, max: longest } = rangeOf(schema, 'Length');
  const create = (keyword: string, label: string, text: string): Variant =>
    createVariant(schema, { keyword, label }, text);
  return [
    ...(shortest > 0 ? [create('minLength', 'minLength-1', repeatToLength('a', shortest - 1))] : []),
    ...(shortest > 1
      ? [create('minLength', 'minLength-1 in astral characters', repeatToLength('\u{1f331}', shortest - 1))]
      : []),
    ...(longest === Infinity
      ? []
      : [
          create('maxLength', 'maxLength+1 in ASCII', repeatToLength('a', longest + 1)),
          create('maxLength', 'maxLength+1 in astral characters', repeatToLength('\u{1f331}', longest + 1)),
        ]),
  ];
}

function makeNonMatchingStrings(values: Values, schema: Schema, { value, schemaObject }: Rule): Variant[] {
  const pattern = toText(value);
  if (!toRegExp(pattern)) throw new SkippedError('patterns that are not regular expressions', schemaObject.pointer);
  const nonMatchingTexts = [...UNUSUAL_TEXTS, ...makeNearMatches(values, schema)].filter(
    ([, text]) => !matches(pattern, text, schemaObject.pointer),
  );
  if (nonMatchingTexts.length === 0) {
    const reason = 'patterns that match every string that was tried';
    schema.contract.skipped.add({ reason, pointer: schemaObject.pointer });
  }
  return nonMatchingTexts.map(([label, text]) =>
    createVariant(schema, { keyword: 'pattern', label: `pattern, ${label}`, pointer: schemaObject.pointer }, text),
  );
}

// In many languages, `$` also matches before a final line break, and `\d` matches the digits of any script.
function makeNearMatches(values: Values, schema: Schema): LabelledText[] {
  const texts = listValidTexts(values, schema).map(([, text]) => text);
  const textWithDigit = texts.find((text) => /[0-9]/.test(text)) ?? '';
  const textInOtherScript = textWithDigit.replace(/[0-9]/g, (digit) => String.fromCodePoint(0x660 + Number(digit)));
  return [
    ...texts.slice(0, 1).map((text): LabelledText => ['a match and a line break', `${text}\n`]),
    ...(textWithDigit === '' ? [] : [['digits of another script', textInOtherScript] as const]),
  ];
}

function makeStringsOfWrongFormat(values: Values, schema: Schema, { value, schemaObject }: Rule): Variant[] {
  return formatOf(values, value).wrong.map((text) => {
    const label = `format ${toText(value)}, ${JSON.stringify(text)}`;
    return createVariant(schema, { keyword: 'format', label, pointer: schemaObject.pointer }, text);
  });
}

// Prefers fixtures and strings of the format, then unusual strings, and then strings made from the pattern, if any.
function listValidTexts(values: Values, schema: Schema): readonly LabelledText[] {
  const formatTexts = rulesOf(schema, 'format').flatMap(({ value }) => formatOf(values, value).right);
  const fixtures = rulesOf(schema, 'pattern').flatMap(({ value }) => values.fixtures.patterns.get(toText(value)) ?? []);
  const declaredTexts = [...fixtures, ...formatTexts].map((text): LabelledText => [text, text]);
  const candidates = declaredTexts.length > 0 ? declaredTexts : UNUSUAL_TEXTS;
  const validTexts = candidates.filter(([, text]) => fits(values, schema, text));
  if (validTexts.length > 0) return validTexts;
  return makeMatchingTexts(values, schema).map((text) => [`matching, ${JSON.stringify(text)}`, text]);
}

// Adds runs of 'a', for patterns that fast-check cannot sample.
function makeMatchingTexts(values: Values, schema: Schema): string[] {
  const patternSamples = new Set(rulesOf(schema, 'pattern').flatMap(({ value }) => sampleMatching(value, 200)));
  const letterRuns = Array.from({ length: 64 }, (_unused, length) => 'a'.repeat(length));
  const filterValid = (texts: Iterable<string>): string[] => [...texts].filter((text) => fits(values, schema, text));
  return [...filterValid(patternSamples), ...filterValid(letterRuns)].slice(0, 8);
}

function findStringOfLength(values: Values, schema: Schema, length: number): string | undefined {
  const seeds = ['a', 'A', '0', '\u{1f331}', ...listValidTexts(values, schema).map(([, text]) => text)].filter(
    (text) => text !== '',
  );
  for (const seed of seeds) {
    const candidates = [repeatToLength(seed, length), ...repeatOneCharacter(seed, length)];
    const valid = candidates.find((text) => fits(values, schema, text));
    if (valid !== undefined) return valid;
  }
  return makeMatchingTexts(values, schema).find((text) => Array.from(text).length === length);
}

// Counts code points: repeatToLength('abc', 5) is 'abcab'.
function repeatToLength(seed: string, length: number): string {
  const characters = Array.from(seed);
  return seed.repeat(length / characters.length) + characters.slice(0, length % characters.length).join('');
}

// Keeps both ends, which a pattern may require: repeatOneCharacter('ab', 4) is ['aaab', 'abbb'].
function repeatOneCharacter(seed: string, length: number): string[] {
  const characters = Array.from(seed);
  if (characters.length > length) return [];
  return characters.map((character, index) => {
    const addedText = character.repeat(length - characters.length);
    return [...characters.slice(0, index), addedText, ...characters.slice(index)].join('');
  });
}

function formatOf({ fixtures }: Values, format: Json): Pick<Format, 'right' | 'wrong'> {
  const name = toText(format);
  return fixtures.formats.get(name) ?? FORMATS[name] ?? { right: [], wrong: [] };
}

/** Returns undefined if fast-check does not support the pattern, for example because of a lookahead. */
export function createPatternArbitrary(pattern: Json): Arbitrary<string> | undefined {
  try {
    return stringMatching(new RegExp(toText(pattern), 'u'));
  } catch {
    return undefined;
  }
}

/** Makes the same strings in every run, or none if fast-check does not support the pattern. */
export function sampleMatching(pattern: Json, count: number): string[] {
  const texts = createPatternArbitrary(pattern);
  return texts ? sample(texts, { seed: 1, numRuns: count }) : [];
}

const NO_TEXT_REASON = 'strings whose rules no string that was tried satisfies';

/** Strings that match a format, and strings that do not. Both lists are empty when the format is only a hint. */
export interface Format {
  readonly right: readonly string[];
  readonly wrong: readonly string[];
}

export const FORMATS: Readonly<Record<string, Format | undefined>> = {
  date: {
    right: ['2024-02-29', '1970-01-01'],
    wrong: ['2024-02-30', '2024-13-01', '24-02-29', '2024-02-29T00:00:00Z', ''],
  },
  'date-time': {
    right: ['2024-02-29T12:00:00Z', '1985-04-12T23:20:50.52+01:00'],
    wrong: ['2024-02-29', '2024-02-30T12:00:00Z', '2024-02-29T25:00:00Z', ''],
  },
  email: { right: ['someone@example.org'], wrong: ['someone', '@example.org', 'some one@example.org'] },
  uuid: {
    right: ['123e4567-e89b-12d3-a456-426614174000'],
    wrong: ['123e4567-e89b-12d3-a456-42661417400', '123e4567e89b12d3a456426614174000x', 'text'],
  },
  uri: { right: ['https://example.org/a?b=c#d'], wrong: ['/relative', 'not a uri', ''] },
  ipv4: { right: ['192.0.2.1'], wrong: ['192.0.2.256', '192.0.2', 'text'] },
  ipv6: { right: ['2001:db8::1'], wrong: ['2001:db8::1::2', 'text'] },
  hostname: { right: ['example.org'], wrong: ['-example.org', 'exa mple'] },
  time: { right: ['12:00:00Z'], wrong: ['12:00', '25:00:00Z', 'noon'] },
  duration: { right: ['P1D', 'PT30M'], wrong: [] },
  'uri-reference': { right: ['/a?b=c#d', 'https://example.org'], wrong: [] },
  'uri-template': { right: ['/a/{b}{?c,d*}'], wrong: ['/a/{b', '/a/{}'] },
  url: { right: ['https://example.org/a'], wrong: [] },
  regex: { right: ['^a$'], wrong: [] },
  byte: { right: ['', 'cGxhbnQ=', 'AAAA'], wrong: ['cGxhbnQ', '*', 'AAA*'] },
  // The lengths differ, so that one of these may satisfy minLength and maxLength.
  binary: { right: ['a file', 'f', 'a longer file, for who counts its bytes'], wrong: [] },
  // A pointer to a member and an index (RFC 6901 section 5).
  'json-pointer': { right: ['/a/0'], wrong: [] },
  // These do not restrict strings, but a string with an integer format may be meant as an integer.
  ...Object.fromEntries(['password', 'float', 'double'].map((name) => [name, { right: [], wrong: [] }])),
  ...Object.fromEntries(
    Object.entries(FORMAT_RANGES).map(([name, range]) => [name, { right: range.map(String), wrong: [] }]),
  ),
};
