import { isJsonObject, omit, type Json, type JsonObject } from '../../../src/wire/json';
import type { Accepted } from '../proof';
import {
  renamed,
  schemaPlaces,
  objectAt,
  bodyPaths,
  replyPaths,
  type Mutations,
  type Row,
  type SchemaPlace,
} from './contract-mutant';

const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'];
const NEW_NAME = 'unheardOf';

/** What can be wrong with a schema, keyword by keyword. */
export function schemaMutations(root: JsonObject): Mutations[] {
  return schemaPlaces(root).map((place) => ({
    path: place.path,
    rows:
      place.schema['$ref'] === undefined
        ? [types, formats, strings, numbers, objects, parts].flatMap((mutate) => mutate(place))
        : references(root, place),
  }));
}

// The other parts say it too; Plant is a part of NewPlant.
function loosened(place: SchemaPlace): Accepted | undefined {
  const isPart = place.path.at(-2) === 'allOf' || place.path.join('/') === 'components/schemas/Plant';
  return isPart ? 'said elsewhere' : looser(place);
}

// Nobody can see from outside that less is promised of a reply than it keeps.
function looser({ isReplyOnly }: SchemaPlace): Accepted | undefined {
  return isReplyOnly ? 'looser reply' : undefined;
}

function withoutKeyword({ schema }: SchemaPlace, keyword: string, accepted: Accepted | undefined): Row[] {
  return schema[keyword] === undefined ? [] : [[`${keyword} dropped`, '', omit(schema, keyword), accepted]];
}

function types(place: SchemaPlace): Row[] {
  const { schema } = place;
  const { type } = schema;
  if (typeof type !== 'string') return [];
  const others = TYPES.filter((other) => other !== type).map((other): Row => {
    const isHeader = place.path.includes('headers');
    // Any text of a header is a string, and a list of anything.
    const isLooser =
      (type === 'integer' && other === 'number') ||
      (isHeader && (other === 'array' || (type === 'integer' && other === 'string')));
    const items = other === 'array' ? { items: {} } : {};
    return ['type changed', `to ${other}`, { ...schema, ...items, type: other }, isLooser ? looser(place) : undefined];
  });
  return [
    ...others,
    ['type dropped', '', omit(schema, 'type'), loosened(place)],
    ['nullable added', '', { ...schema, nullable: true }, loosened(place)],
  ];
}

function formats(place: SchemaPlace): Row[] {
  const { schema } = place;
  const { type, format } = schema;
  // Without one, a reply of this size has any of them.
  const hasNone = place.isReplyOnly && format === undefined;
  const integers = ['int32', 'int64'].filter((other) => type === 'integer' && other !== format && !hasNone);
  const texts = ['date', 'date-time', 'uuid', 'email', 'uri'].filter((other) => type === 'string' && other !== format);
  return [
    ...withoutKeyword(place, 'format', format === 'int64' && !place.isReplyOnly ? 'beyond 2^53' : looser(place)),
    ...integers.map((other): Row => {
      return ['format changed', `to ${other}`, { ...schema, format: other }, looser(place)];
    }),
    ...texts.map((other): Row => ['format added', other, { ...schema, format: other }]),
  ];
}

function strings(place: SchemaPlace): Row[] {
  const { schema } = place;
  const { type, pattern } = schema;
  if (type !== 'string') return [];
  return [
    ...withoutKeyword(place, 'pattern', looser(place)),
    ...['^[a-z]*$', '^.*$', '^\\S*$', '^[^\\u0000]*$', '^[\\u0000-\\uffff]*$']
      .filter((other) => other !== pattern && !(place.isReplyOnly && pattern === undefined))
      .map((other): Row => ['pattern changed', other, { ...schema, pattern: other }]),
    ['minLength added', '', { ...schema, minLength: 200n }],
    ['maxLength added', '', { ...schema, maxLength: 5n }],
    ['enum added', '', { ...schema, enum: ['one', 'two'] }],
  ];
}

function numbers(place: SchemaPlace): Row[] {
  const { schema } = place;
  if (schema['type'] !== 'integer') return [];
  const bounds = ['minimum', 'maximum', 'multipleOf'].flatMap((keyword): Row[] => {
    const bound = schema[keyword];
    if (typeof bound !== 'bigint') return [];
    return [
      ['bound dropped', keyword, omit(schema, keyword), looser(place)],
      // No server goes to the bounds of its replies.
      ...[-1n, 1n]
        .filter(() => !place.isReplyOnly)
        .map((step): Row => ['bound changed', `${keyword} by ${String(step)}`, { ...schema, [keyword]: bound + step }]),
      ['bound changed', `${keyword} + 1,000`, { ...schema, [keyword]: bound + 1_000n }],
    ];
  });
  return [
    ...bounds,
    ['bound added', 'minimum', { ...schema, minimum: 1_000_003n }],
    ['bound added', 'maximum', { ...schema, maximum: 0n }],
    ['bound added', 'multipleOf', { ...schema, multipleOf: 7n }],
    ['enum added', '', { ...schema, enum: [7n, 8n] }],
  ];
}

function objects(place: SchemaPlace): Row[] {
  const { schema } = place;
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : undefined;
  if (!properties) return [];
  const required = (schema['required'] ?? []) as readonly string[];
  const names = Object.keys(properties);
  const optional = (name: string): string[] => required.filter((other) => other !== name);
  const add = (property: Json): JsonObject => ({ ...schema, properties: { ...properties, [NEW_NAME]: property } });
  const altogether = omit(schema, 'required');
  const kept = place.isReplyOnly ? 'kept anyway' : undefined;
  return [
    ...required.map((name): Row => ['required dropped', name, { ...schema, required: optional(name) }, looser(place)]),
    ...(required.length > 0 ? [['required dropped', 'altogether', altogether, looser(place)] satisfies Row] : []),
    ...[...names, NEW_NAME]
      .filter((name) => !required.includes(name))
      .map((name): Row => ['required added', name, { ...schema, required: [...required, name] }]),
    ...names.flatMap((name): Row[] => {
      const dropped = { ...schema, properties: omit(properties, name) };
      const withoutProperty: Row[] = [
        ['property dropped', name, dropped, 'undeclared'],
        ['property dropped', `${name}, and it is not required`, { ...dropped, required: optional(name) }, 'undeclared'],
      ];
      const other = { ...schema, properties: renamed(properties, name, `${name}x`) };
      const requiredToo = required.map((one) => (one === name ? `${name}x` : one));
      return [
        ['property renamed', name, other, looser(place)],
        ['property renamed', `${name}, where it is required too`, { ...other, required: requiredToo }],
        ...(place.isReplyOnly ? [] : withoutProperty),
      ];
    }),
    ['property added', 'a string', add({ type: 'string' }), looser(place)],
    ['property added', 'an integer', add({ type: 'integer' }), looser(place)],
    ['property added', 'required', { ...add({ type: 'string' }), required: [...required, NEW_NAME] }],
    ['additionalProperties added', 'false', { ...schema, additionalProperties: false }, kept],
    ['additionalProperties added', 'strings', { ...schema, additionalProperties: { type: 'string' } }, looser(place)],
    ['minProperties added', '', { ...schema, minProperties: 9n }],
    ['maxProperties added', '', { ...schema, maxProperties: 1n }],
  ];
}

function parts(place: SchemaPlace): Row[] {
  const { schema } = place;
  const all = (schema['allOf'] ?? []) as readonly Json[];
  if (all.length === 0) return [];
  const rest = omit(schema, 'allOf');
  return [
    ...all.map((_part, index): Row => [
      'allOf changed',
      `without part ${String(index)}`,
      { ...rest, allOf: all.toSpliced(index, 1) },
    ]),
    ...['anyOf', 'oneOf'].map((keyword): Row => ['allOf changed', `to ${keyword}`, { ...rest, [keyword]: all }]),
  ];
}

function references(root: JsonObject, { schema, path }: SchemaPlace): Row[] {
  return Object.keys(objectAt(root, ['components', 'schemas']))
    .map((name) => `#/components/schemas/${name}`)
    .filter((reference) => reference !== schema['$ref'] && !reference.endsWith(`/${path[2] ?? ''}`))
    .map((reference): Row => ['reference changed', `to ${reference}`, { $ref: reference }]);
}

export const EXAMPLES = 'example broken';

/** What can be wrong with the examples: that they do not fit what they are examples of. */
export function exampleMutations(root: JsonObject): Mutations[] {
  return [...bodyPaths(root), ...replyPaths(root)].flatMap((path) => {
    const content = [...path, 'content'];
    return Object.keys(objectAt(root, content)).flatMap((type) => {
      const examples = [...content, type, 'examples'];
      return Object.keys(objectAt(root, examples)).map((example) => {
        const at = [...examples, example, 'value'];
        return { path: at, rows: ofExample(objectAt(root, at)) };
      });
    });
  });
}

function ofExample(value: JsonObject): Row[] {
  const [name] = Object.keys(value);
  if (name === undefined) return [];
  return [
    [EXAMPLES, `without ${name}`, omit(value, name)],
    [EXAMPLES, `another type of ${name}`, { ...value, [name]: [] }],
  ];
}
