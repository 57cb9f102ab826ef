// The files of a multipart/form-data.
import { ruleIds, rulesOf, type Schema } from '../contract/schema';
import { createVariant, type Variant } from '../values/variant';
import { toConcreteType, type SentPart } from '../wire/multipart';
import type { Property } from './form-values';
import { createRule, type Rule } from './sent-body';

const BYTES: readonly (readonly [label: string, bytes: string])[] = [
  ['every byte', String.fromCharCode(...Array.from({ length: 256 }, (_unused, byte) => byte))],
  ['what looks like the end of a part', 'a\r\n--\r\n\r\n--between'],
];

const NAMES: readonly (readonly [label: string, name: string])[] = [
  ['a name with a space', 'a b.bin'],
  ['a name beyond ASCII', '\u00fc\u{1f331}.bin'],
  // RFC 7578 section 4.2: a server uses at most the last segment.
  ['a name that is a path', '../../a.bin'],
];

/** Makes files with unusual bytes. */
export function goodFiles(schema: Schema, { isList, name }: Property): Variant[] {
  return BYTES.map(([label, bytes]) =>
    createVariant(schema, { keyword: 'value', label: `${name}, ${label}` }, isList ? [bytes] : bytes),
  );
}

/** Makes lists of files with the fewest and the most items allowed, and beyond. */
export function manyFiles(schema: Schema, { isList, name }: Property): Variant[] {
  if (!isList) return [];
  const createFiles = (length: number, label: string, ...keywords: readonly string[]): Variant =>
    createVariant(
      schema,
      { keyword: keywords[0] ?? 'value', label: `${name}, ${label}` },
      Array.from({ length }, (_unused, index) => `file ${String(index)}`),
      ruleIds(schema, ...keywords),
    );
  const least = Math.max(0, ...rulesOf(schema, 'minItems').map(({ value }) => Number(value)));
  const mosts = rulesOf(schema, 'maxItems').map(({ value }) => Number(value));
  const most = Math.min(...mosts);
  return [
    createFiles(Math.max(least, 1), 'few', 'minItems', 'type'),
    ...(least > 1 ? [createFiles(least - 1, 'minItems-1', 'minItems')] : []),
    ...(mosts.length > 0
      ? [createFiles(most, 'maxItems', 'maxItems'), createFiles(most + 1, 'maxItems+1', 'maxItems')]
      : []),
  ];
}

type Changed = readonly [rule: Rule, parts: SentPart[]];

/** Sends each media type that `encoding` lists, and unusual file names. */
export function typedFiles(property: Property, plain: readonly SentPart[]): Changed[] {
  const { kind, name, types, schema } = property;
  if (kind !== 'file') return [];
  return [
    ...types.map((type): Changed => [
      { ...ruleOfType(property), label: `${name} of ${type}` },
      changePart(plain, name, { type: toConcreteType(type) }),
    ]),
    ...NAMES.map(([label, fileName]): Changed => [
      createRule(schema, 'spelling', `${name}, ${label}`),
      changePart(plain, name, { fileName }),
    ]),
  ];
}

const OTHERS = ['application/x-other', 'text/x-other'];

/** Sends a media type that `encoding` does not list. */
export function wrongFiles(property: Property, plain: readonly SentPart[]): Changed[] {
  const { kind, name, types } = property;
  if (kind !== 'file' || types.length === 0) return [];
  const ranges = types.map((type) => type.toLowerCase().replace(/\*$/, ''));
  const other = OTHERS.find((type) => !ranges.some((range) => range === '*/' || type.startsWith(range)));
  if (other === undefined) return [];
  // OpenAPI says which types a client sends, not that a server refuses others.
  const rule: Rule = { ...ruleOfType(property), label: `${name} of ${other}`, level: 'robust' };
  return [[rule, changePart(plain, name, { type: other })]];
}

function ruleOfType({ pointer }: Property): Omit<Rule, 'label'> {
  return { pointer, keyword: 'contentType', covers: [`${pointer} contentType`] };
}

function changePart(plain: readonly SentPart[], name: string, change: Partial<SentPart>): SentPart[] {
  return plain.map((part) => (part.name === name ? { ...part, ...change } : part));
}
