import { isJsonObject, type Json, type JsonObject } from '../../../src/wire/json';
import type { Accepted } from '../proof';
import {
  renamed,
  without,
  schemaPlaces,
  objectAt,
  bodyPaths,
  replyPaths,
  type Mutation,
  type SchemaPlace,
  type Path,
} from './contract-mutant';

const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'];
const NEW_NAME = 'unheardOf';

/** What can be wrong with a schema, keyword by keyword. */
export function schemaMutations(root: JsonObject): Mutation[] {
  return schemaPlaces(root).flatMap((place) =>
    place.schema['$ref'] === undefined
      ? [...types(place), ...formats(place), ...strings(place), ...numbers(place), ...objects(place), ...parts(place)]
      : references(root, place),
  );
}

type Made = readonly [kind: string, detail: string, schema: JsonObject, accepted?: Accepted | undefined];

function toMutations({ path }: SchemaPlace, made: readonly Made[]): Mutation[] {
  return made.map(([kind, detail, schema, accepted]) => ({ kind, detail, path, accepted, change: () => schema }));
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

function types(place: SchemaPlace): Mutation[] {
  const { schema } = place;
  const { type } = schema;
  if (typeof type !== 'string') return [];
  const others = TYPES.filter((other) => other !== type).map((other): Made => {
    const isHeader = place.path.includes('headers');
    // Any text of a header is a string, and a list of anything.
    const isLooser =
      (type === 'integer' && other === 'number') ||
      (isHeader && (other === 'array' || (type === 'integer' && other === 'string')));
    const items = other === 'array' ? { items: {} } : {};
    return ['type changed', `to ${other}`, { ...schema, ...items, type: other }, isLooser ? looser(place) : undefined];
  });
  return toMutations(place, [
    ...others,
    ['type dropped', '', without(schema, 'type'), loosened(place)],
    ['nullable added', '', { ...schema, nullable: true }, loosened(place)],
  ]);
}

function formats(place: SchemaPlace): Mutation[] {
  const { schema } = place;
  const { type, format } = schema;
  // Without one, a reply of this size has any of them.
  const hasNone = place.isReplyOnly && format === undefined;
  const integers = ['int32', 'int64'].filter((other) => type === 'integer' && other !== format && !hasNone);
  const texts = ['date', 'date-time', 'uuid', 'email', 'uri'].filter((other) => type === 'string' && other !== format);
  return toMutations(place, [
    ...(format === undefined
      ? []
      : [
          [
            'format dropped',
            '',
            without(schema, 'format'),
            format === 'int64' && !place.isReplyOnly ? 'beyond 2^53' : looser(place),
          ] satisfies Made,
        ]),
    ...integers.map((other): Made => {
      return ['format changed', `to ${other}`, { ...schema, format: other }, looser(place)];
    }),
    ...texts.map((other): Made => ['format added', other, { ...schema, format: other }]),
  ]);
}

function strings(place: SchemaPlace): Mutation[] {
  const { schema } = place;
  const { type, pattern } = schema;
  if (type !== 'string') return [];
  return toMutations(place, [
    ...(pattern === undefined
      ? []
      : [['pattern dropped', '', without(schema, 'pattern'), looser(place)] satisfies Made]),
    ...['^[a-z]*$', '^.*$', '^\\S*$', '^[^\\u0000]*$', '^[\\u0000-\\uffff]*$']
      .filter((other) => other !== pattern && !(place.isReplyOnly && pattern === undefined))
      .map((other): Made => ['pattern changed', other, { ...schema, pattern: other }]),
    ['minLength added', '', { ...schema, minLength: 200n }],
    ['maxLength added', '', { ...schema, maxLength: 5n }],
    ['enum added', '', { ...schema, enum: ['one', 'two'] }],
  ]);
}

function numbers(place: SchemaPlace): Mutation[] {
  const { schema } = place;
  if (schema['type'] !== 'integer') return [];
  const bounds = ['minimum', 'maximum', 'multipleOf'].flatMap((keyword): Made[] => {
    const bound = schema[keyword];
    if (typeof bound !== 'bigint') return [];
    return [
      ['bound dropped', keyword, without(schema, keyword), looser(place)],
      // No server goes to the bounds of its replies.
      ...[-1n, 1n]
        .filter(() => !place.isReplyOnly)
        .map((step): Made => [
          'bound changed',
          `${keyword} by ${String(step)}`,
          { ...schema, [keyword]: bound + step },
        ]),
      ['bound changed', `${keyword} + 1,000`, { ...schema, [keyword]: bound + 1_000n }],
    ];
  });
  return toMutations(place, [
    ...bounds,
    ['bound added', 'minimum', { ...schema, minimum: 1_000_003n }],
    ['bound added', 'maximum', { ...schema, maximum: 0n }],
    ['bound added', 'multipleOf', { ...schema, multipleOf: 7n }],
    ['enum added', '', { ...schema, enum: [7n, 8n] }],
  ]);
}

function objects(place: SchemaPlace): Mutation[] {
  const { schema } = place;
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : undefined;
  if (!properties) return [];
  const required = (schema['required'] ?? []) as readonly string[];
  const names = Object.keys(properties);
  const add = (property: Json): JsonObject => ({ ...schema, properties: { ...properties, [NEW_NAME]: property } });
  return toMutations(place, [
    ...required.map((name): Made => [
      'required dropped',
      name,
      { ...schema, required: required.filter((other) => other !== name) },
      looser(place),
    ]),
    ...(required.length > 0
      ? [['required dropped', 'altogether', without(schema, 'required'), looser(place)] satisfies Made]
      : []),
    ...[...names, NEW_NAME]
      .filter((name) => !required.includes(name))
      .map((name): Made => ['required added', name, { ...schema, required: [...required, name] }]),
    ...names.flatMap((name): Made[] => [
      ['property dropped', name, { ...schema, properties: without(properties, name) }],
      [
        'property dropped',
        `${name}, and it is not required`,
        {
          ...schema,
          properties: without(properties, name),
          required: required.filter((other) => other !== name),
        },
      ],
      ['property renamed', name, { ...schema, properties: renamed(properties, name, `${name}x`) }],
      [
        'property renamed',
        `${name}, where it is required too`,
        {
          ...schema,
          properties: renamed(properties, name, `${name}x`),
          required: required.map((other) => (other === name ? `${name}x` : other)),
        },
      ],
    ]),
    ['property added', 'a string', add({ type: 'string' }), looser(place)],
    ['property added', 'an integer', add({ type: 'integer' }), looser(place)],
    ['property added', 'required', { ...add({ type: 'string' }), required: [...required, NEW_NAME] }],
    [
      'additionalProperties added',
      'false',
      { ...schema, additionalProperties: false },
      place.isReplyOnly ? 'kept anyway' : undefined,
    ],
    ['additionalProperties added', 'strings', { ...schema, additionalProperties: { type: 'string' } }, looser(place)],
    ['minProperties added', '', { ...schema, minProperties: 9n }],
    ['maxProperties added', '', { ...schema, maxProperties: 1n }],
  ]);
}

function parts(place: SchemaPlace): Mutation[] {
  const { schema } = place;
  const all = (schema['allOf'] ?? []) as readonly Json[];
  if (all.length === 0) return [];
  const rest = without(schema, 'allOf');
  return toMutations(place, [
    ...all.map((_part, index): Made => [
      'allOf changed',
      `without part ${String(index)}`,
      { ...rest, allOf: all.toSpliced(index, 1) },
    ]),
    ...['anyOf', 'oneOf'].map((keyword): Made => ['allOf changed', `to ${keyword}`, { ...rest, [keyword]: all }]),
  ]);
}

function references(root: JsonObject, place: SchemaPlace): Mutation[] {
  const components = isJsonObject(root['components']) ? root['components'] : {};
  const schemas = isJsonObject(components['schemas']) ? components['schemas'] : {};
  const others = Object.keys(schemas)
    .map((name) => `#/components/schemas/${name}`)
    .filter((reference) => reference !== place.schema['$ref'] && !reference.endsWith(`/${place.path[2] ?? ''}`));
  return toMutations(
    place,
    others.map((reference): Made => ['reference changed', `to ${reference}`, { $ref: reference }]),
  );
}

export const EXAMPLES = 'example broken';

/** What can be wrong with the examples: that they do not fit what they are examples of. */
export function exampleMutations(root: JsonObject): Mutation[] {
  return [...bodyPaths(root), ...replyPaths(root)].flatMap((path) => {
    const content = [...path, 'content'];
    return Object.keys(objectAt(root, content)).flatMap((type) => {
      const examples = [...content, type, 'examples'];
      return Object.keys(objectAt(root, examples)).flatMap((name) => ofExample(root, [...examples, name, 'value']));
    });
  });
}

function ofExample(root: JsonObject, path: Path): Mutation[] {
  const value = objectAt(root, path);
  const [name] = Object.keys(value);
  if (name === undefined || !isJsonObject(value)) return [];
  return [
    { kind: EXAMPLES, detail: `without ${name}`, path, change: () => without(value, name) },
    { kind: EXAMPLES, detail: `another type of ${name}`, path, change: () => ({ ...value, [name]: [] }) },
  ];
}
