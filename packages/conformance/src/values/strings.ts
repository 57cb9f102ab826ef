// Makes valid and invalid strings for a schema.
import { sample, stringMatching, type Arbitrary } from 'fast-check';
import { ruleIds, rulesOf, type Schema } from '../contract/schema';
import { Untriable } from '../contract/untried';
import type { LeftOpen } from '../left-open';
import { toText, type Json } from '../wire/json';
import { matches, toRegExp } from '../pattern';
import { FORMATS, type Format } from './formats';
import { fits, pointerOf, createVariant, type Values, type Variant } from './variant';

type Text = readonly [label: string, text: string, leftOpen?: LeftOpen];

/** Strings that servers, databases and languages are known to change, cut or refuse. */
const TEXTS: readonly Text[] = [
  ['plain', 'a'],
  ['empty', ''],
  ['spaces around', '  a  '],
  ['only a space', ' '],
  ['line breaks', 'a\r\n\tb'],
  ['quotes and backslashes', `"'\\\`/`],
  ['markup', '<script>alert(1)</script>&amp;'],
  ['SQL', "'); DROP TABLE x; --"],
  ['a formula', '=1+1'],
  ['a template', '${x}{{x}}%s%n'],
  ['what looks like a number', '1'],
  ['what looks like null', 'null'],
  ['accents, composed', '\u00e9'],
  ['accents, decomposed', 'e\u0301'],
  ['astral', '\u{1f331}\u{10ffff}'],
  ['a family of joined signs', '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}'],
  ['right to left', '\u05d0\u0627\u202e'],
  ['C0 and C1 controls', '\u0001\u001f\u007f\u0085'],
  ['separators of lines', '\u2028\u2029'],
  ['a byte order mark', '\ufeffa'],
  ['noncharacters', '\ufffd\ufffe\uffff', 'RFC 8259 9'],
  ['next to surrogates', '\ud7ff\ue000'],
  ['upper and lower case', 'aA\u0130\u0131\u00df'],
  ['NUL', '\u0000'],
  ['NUL inside', 'a\u0000b'],
];

/** Without maxLength, a length that people may want to store. */
const LONG = 10_000;

/** Makes one valid string: the mark if it is valid. */
export function makeBaseString(values: Values, schema: Schema): string {
  return (
    [values.mark, ...goodTexts(values, schema).map(([, text]) => text)].find((text) => fits(values, schema, text)) ??
    throwUntriable(schema)
  );
}

/** Makes valid strings: unusual ones, and of the shortest and longest length. */
export function goodStrings(values: Values, schema: Schema): Variant[] {
  const shortest = lengthOf(schema, 'minLength', Math.max) ?? 0;
  const longest = lengthOf(schema, 'maxLength', Math.min);
  const patterned = ruleIds(schema, 'pattern', 'format');
  const texts = goodTexts(values, schema).map(([label, text, leftOpen]) =>
    createVariant(schema, { keyword: 'text', label, leftOpen }, text, patterned),
  );
  // A format fixes the lengths itself.
  if (
    rulesOf(schema, 'format').some(({ value }) => formatOf(values, value).right.length !== 0 || !FORMATS[toText(value)])
  ) {
    return texts.map((made) => ({ ...made, covers: [...made.covers, ...ruleIds(schema, 'minLength', 'maxLength')] }));
  }
  return [
    ...texts,
    ...(shortest > 0 ? [createEdge('minLength', shortest)] : []),
    ...(longest === undefined ? longTexts(values, schema) : [createEdge('maxLength', longest)]),
  ];

  function createEdge(keyword: string, length: number): Variant {
    const text = textOfLength(values, schema, length) ?? throwUntriable(schema);
    return createVariant(schema, { keyword, label: keyword }, text, ruleIds(schema, keyword));
  }
}

// A long string, unless the pattern forbids it.
function longTexts(values: Values, schema: Schema): Variant[] {
  const text = textOfLength(values, schema, LONG);
  return text === undefined
    ? []
    : [createVariant(schema, { keyword: 'length', label: `${String(LONG)} characters` }, text)];
}

/** Makes invalid strings: of wrong length, or not matching the pattern or format. */
export function badStrings(values: Values, schema: Schema): Variant[] {
  const shortest = lengthOf(schema, 'minLength', Math.max) ?? 0;
  const longest = lengthOf(schema, 'maxLength', Math.min);
  const lengths = [
    ...(shortest > 0
      ? [
          createVariant(
            schema,
            { keyword: 'minLength', label: 'minLength-1' },
            repeatToLength('a', shortest - 1),
            ruleIds(schema, 'minLength'),
          ),
        ]
      : []),
    ...(longest === undefined
      ? []
      : ['a', '\u{1f331}'].map((sign) =>
          createVariant(
            schema,
            { keyword: 'maxLength', label: `maxLength+1 of ${sign === 'a' ? 'ASCII' : 'astral signs'}` },
            repeatToLength(sign, longest + 1),
            ruleIds(schema, 'maxLength'),
          ),
        )),
  ];
  const patterned = rulesOf(schema, 'pattern').flatMap(({ value, place }) => {
    const pattern = toText(value);
    if (!toRegExp(pattern)) throw new Untriable('patterns that are no regular expressions', place.pointer);
    const covers = ruleIds({ ...schema, places: [place] }, 'pattern');
    const refused = TEXTS.filter(([, text]) => !matches(pattern, text, place.pointer));
    if (refused.length === 0)
      schema.contract.untried.add({
        reason: 'patterns that no text was found for that they refuse',
        pointer: place.pointer,
      });
    return refused.map(([label, text]) =>
      createVariant(schema, { keyword: 'pattern', label: `pattern, ${label}` }, text, covers),
    );
  });
  const formatted = rulesOf(schema, 'format').flatMap(({ value, place }) =>
    formatOf(values, value).wrong.map((text) =>
      createVariant(
        schema,
        { keyword: 'format', label: `format ${toText(value)}, ${JSON.stringify(text)}` },
        text,
        ruleIds({ ...schema, places: [place] }, 'format'),
      ),
    ),
  );
  return [...lengths, ...patterned, ...formatted];
}

function goodTexts(values: Values, schema: Schema): readonly Text[] {
  const formatted = rulesOf(schema, 'format').flatMap(({ value }) =>
    formatOf(values, value).right.map((text) => [text, text] as const),
  );
  const given = rulesOf(schema, 'pattern').flatMap(({ value }) =>
    (values.given.patterns.get(toText(value)) ?? []).map((text) => [text, text] as const),
  );
  const pool = formatted.length + given.length > 0 ? [...given, ...formatted] : TEXTS;
  const fitting = pool.filter(([, text]) => fits(values, schema, text));
  if (fitting.length > 0) return fitting;
  return findMatchingTexts(values, schema).map((text) => [`matching, ${JSON.stringify(text)}`, text] as const);
}

function findMatchingTexts(values: Values, schema: Schema): string[] {
  const found = rulesOf(schema, 'pattern').flatMap(({ value }) => samplesOf(value, 200));
  const fitting = [...new Set(found)].filter((text) => fits(values, schema, text));
  const filled = Array.from({ length: 64 }, (_unused, length) => 'a'.repeat(length)).filter((text) =>
    fits(values, schema, text),
  );
  return [...fitting, ...filled].slice(0, 8);
}

function textOfLength(values: Values, schema: Schema, length: number): string | undefined {
  const seeds = ['a', 'A', '0', '\u{1f331}', ...goodTexts(values, schema).map(([, text]) => text)].filter(
    (text) => text !== '',
  );
  for (const seed of seeds) {
    const fitting = [repeatToLength(seed, length), ...repeatOneCharacter(seed, length)].find((text) =>
      fits(values, schema, text),
    );
    if (fitting !== undefined) return fitting;
  }
  return findMatchingTexts(values, schema).find((text) => Array.from(text).length === length);
}

/** Repeats a string to a length in code points, as JSON Schema counts. */
function repeatToLength(seed: string, length: number): string {
  const signs = Array.from(seed);
  return seed.repeat(length / signs.length) + signs.slice(0, length % signs.length).join('');
}

/** Repeats one code point of a string until it has a length: for patterns that fix its beginning and end. */
function repeatOneCharacter(seed: string, length: number): string[] {
  const signs = Array.from(seed);
  if (signs.length > length) return [];
  return signs.map((sign, index) =>
    [...signs.slice(0, index), sign.repeat(length - signs.length), ...signs.slice(index)].join(''),
  );
}

function lengthOf(schema: Schema, keyword: string, tightest: (...lengths: number[]) => number): number | undefined {
  const lengths = rulesOf(schema, keyword).map(({ value }) => Number(value));
  return lengths.length > 0 ? tightest(...lengths) : undefined;
}

// An unknown format has no values.
function formatOf({ given }: Values, value: Json): Pick<Format, 'right' | 'wrong'> {
  const name = toText(value);
  return given.formats.get(name) ?? FORMATS[name] ?? { right: [], wrong: [] };
}

/** Strings that match a pattern; undefined when fast-check cannot make any, as for a lookahead. */
export function textsMatching(pattern: Json): Arbitrary<string> | undefined {
  try {
    return stringMatching(new RegExp(toText(pattern), 'u'));
  } catch {
    return undefined;
  }
}

/** Some matching strings, the same in each run. */
export function samplesOf(pattern: Json, count: number): string[] {
  const texts = textsMatching(pattern);
  return texts ? sample(texts, { seed: 1, numRuns: count }) : [];
}

function throwUntriable(schema: Schema): never {
  throw new Untriable('texts that none was found for that fits their rules', pointerOf(schema));
}
