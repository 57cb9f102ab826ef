// The files of a multipart/form-data.
import { pointersOf, rulesOf } from '../contract/schema';
import { createVariant, type Variant } from '../values/variant';
import { toConcreteType, type SentPart } from '../wire/multipart';
import type { Property } from './form-values';
import { createRule, type Rule } from './sent-body';

const UNUSUAL_BYTES: readonly (readonly [label: string, bytes: string])[] = [
  ['every byte', String.fromCharCode(...Array.from({ length: 256 }, (_unused, byte) => byte))],
  ['what looks like the end of a part', 'a\r\n--\r\n\r\n--between'],
];

const UNUSUAL_FILE_NAMES: readonly (readonly [label: string, fileName: string])[] = [
  ['a name with a space', 'a b.bin'],
  ['a name beyond ASCII', '\u00fc\u{1f331}.bin'],
  // RFC 7578 section 4.2: a server uses at most the last segment.
  ['a name that is a path', '../../a.bin'],
];

export function filesOfUnusualBytes({ schema, isList, name }: Property): Variant[] {
  return UNUSUAL_BYTES.map(([label, bytes]) =>
    createVariant(schema, { keyword: 'value', label: `${name}, ${label}` }, isList ? [bytes] : bytes),
  );
}

/**
 * Makes lists with the fewest and the most files that are allowed, and with one less or more, which is invalid: the
 * caller keeps the valid or the invalid ones. Empty when the property is a single file.
 */
export function listsOfFiles({ schema, isList, name }: Property): Variant[] {
  if (!isList) return [];
  const createList = (length: number, label: string, keyword: string): Variant =>
    createVariant(
      schema,
      { keyword, label: `${name}, ${label}` },
      Array.from({ length }, (_unused, index) => `file ${String(index)}`),
      pointersOf(schema, keyword),
    );
  const minItems = Math.max(0, ...rulesOf(schema, 'minItems').map(({ value }) => Number(value)));
  // Infinity when there is no such rule.
  const maxItems = Math.min(...rulesOf(schema, 'maxItems').map(({ value }) => Number(value)));
  return [
    // An empty list would have no part at all.
    createList(Math.max(minItems, 1), 'few', 'minItems'),
    ...(minItems > 1 ? [createList(minItems - 1, 'minItems-1', 'minItems')] : []),
    ...(maxItems < Infinity
      ? [createList(maxItems, 'maxItems', 'maxItems'), createList(maxItems + 1, 'maxItems+1', 'maxItems')]
      : []),
  ];
}

type ChangedParts = readonly [rule: Rule, parts: SentPart[]];

/** File parts of each media type that the property's `encoding` lists, and with unusual names: still a valid form. */
export function withOtherTypesAndNames(property: Property, validParts: readonly SentPart[]): ChangedParts[] {
  const { kind, name, types, schema } = property;
  if (kind !== 'file') return [];
  return [
    ...types.map((type): ChangedParts => [
      { ...ruleOfType(property), label: `${name} of ${type}` },
      changeParts(validParts, name, { type: toConcreteType(type) }),
    ]),
    ...UNUSUAL_FILE_NAMES.map(([label, fileName]): ChangedParts => [
      createRule(schema, 'spelling', `${name}, ${label}`),
      changeParts(validParts, name, { fileName }),
    ]),
  ];
}

const UNLIKELY_TYPES = ['application/x-other', 'text/x-other'];

/** File parts of a media type that the property's `encoding` does not list; empty when any type is allowed. */
export function withUnlistedType(property: Property, validParts: readonly SentPart[]): ChangedParts[] {
  const { kind, name, types } = property;
  if (kind !== 'file' || types.length === 0) return [];
  // `image/*` matches all types that begin with `image/`.
  const listedStarts = types.map((type) => type.toLowerCase().replace(/\*$/, ''));
  const isListed = (type: string): boolean => listedStarts.some((start) => start === '*/' || type.startsWith(start));
  const unlisted = UNLIKELY_TYPES.find((type) => !isListed(type));
  if (unlisted === undefined) return [];
  // OpenAPI says which types a client sends, not that a server refuses others.
  const rule: Rule = { ...ruleOfType(property), label: `${name} of ${unlisted}`, level: 'robust' };
  return [[rule, changeParts(validParts, name, { type: unlisted })]];
}

function ruleOfType({ pointer }: Property): Omit<Rule, 'label'> {
  return { pointer, keyword: 'contentType' };
}

function changeParts(parts: readonly SentPart[], name: string, change: Partial<SentPart>): SentPart[] {
  return parts.map((part) => (part.name === name ? { ...part, ...change } : part));
}
