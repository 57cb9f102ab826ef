import { isJsonObject, omit, type Json, type JsonObject } from '../../../src/wire/json';
import type { Accepted } from '../proof';
import {
  bodyPaths,
  edit,
  objectAt,
  operationPaths,
  renamed,
  replyPaths,
  type Mutations,
  type Path,
  type Row,
  schemaPlaces,
  type SchemaPlace,
} from './contract-mutant';

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'options'];

/** What can be wrong with an operation: where it stands, and what it takes. */
export function operationMutations(root: JsonObject): Mutations[] {
  return [
    ...operationPaths(root).flatMap((path) => [
      ...methods(root, path),
      { path: ['paths'], rows: paths(root, path) },
      { path: [...path, 'parameters'], rows: parameters(root, path) },
      { path, rows: [['operation dropped', '', undefined]] satisfies Row[] },
      { path: [...path, 'requestBody'], rows: [['body dropped', '', undefined]] satisfies Row[] },
    ]),
    ...bodyPaths(root).map((path) => ({ path, rows: bodies(root, path) })),
  ];
}

function methods(root: JsonObject, [paths = '', path = '', method = '']: Path): Mutations[] {
  const item = objectAt(root, [paths, path]);
  const free = METHODS.filter((other) => item[other] === undefined);
  const operation = objectAt(item, [method]);
  return [
    {
      path: [paths, path],
      rows: free.map((other): Row => ['method changed', `to ${other}`, renamed(item, method, other)]),
    },
    ...free.map((other) => ({
      path: [paths, path, other],
      rows: [['method added', other, { ...operation, operationId: `${other}More` }]] satisfies Row[],
    })),
  ];
}

function paths(root: JsonObject, [paths = '', path = '', method = '']: Path): Row[] {
  const items = objectAt(root, [paths]);
  const operation = objectAt(items, [path, method]);
  const others = [`${path}s`, path.slice(0, -1), `${path}/`, path.toUpperCase(), `/v1${path}`, `${path}/{id}`];
  return [
    ...others.map((other): Row => ['path changed', `to ${other}`, renamed(items, path, other)]),
    ['path added', '', { ...items, [`${path}/more`]: { [method]: { ...operation, operationId: 'more' } } }],
  ];
}

function parameters(root: JsonObject, operation: Path): Row[] {
  const declared = (objectAt(root, operation)['parameters'] ?? []) as readonly Json[];
  return ['query', 'header', 'cookie'].flatMap((place) =>
    [true, false].map((required): Row => {
      const added = { name: 'x-more', in: place, required, schema: { type: 'integer' } };
      return ['parameter added', `in ${place}, ${required ? 'required' : 'optional'}`, [...declared, added]];
    }),
  );
}

const BODY_TYPES = ['application/merge-patch+json', 'application/vnd.x+json', 'text/plain', 'text/json', '*/*'];

function bodies(root: JsonObject, path: Path): Row[] {
  const body = objectAt(root, path);
  const content = objectAt(body, ['content']);
  const [type = ''] = Object.keys(content);
  const withXml = { ...content, 'application/xml': content[type] ?? {} };
  return [
    ['body required dropped', 'altogether', omit(body, 'required')],
    ['body required dropped', 'false', { ...body, required: false }],
    ['body media type dropped', '', { ...body, content: {} }],
    ...BODY_TYPES.map((other): Row => [
      'body media type changed',
      `to ${other}`,
      { ...body, content: renamed(content, type, other) },
    ]),
    ['body media type added', '', { ...body, content: withXml }, 'not tried'],
  ];
}

const LOOSER: Accepted = 'looser reply';

const NEW = 'newScheme';
const NEW_SCHEME = { type: 'apiKey', in: 'header', name: 'X-Key' };

const FLOWS = { clientCredentials: { tokenUrl: 'https://example.org/token', scopes: {} } };
const OTHERS: readonly (readonly [detail: string, scheme: JsonObject, accepted?: Accepted])[] = [
  ['http basic', { type: 'http', scheme: 'basic' }],
  ['http digest', { type: 'http', scheme: 'digest' }],
  ['a key in a header', { type: 'apiKey', in: 'header', name: 'X-Key' }],
  ['a key in the query', { type: 'apiKey', in: 'query', name: 'key' }],
  ['a key in a cookie', { type: 'apiKey', in: 'cookie', name: 'key' }],
  ['mutual TLS', { type: 'mutualTLS' }],
  ['oauth2', { type: 'oauth2', flows: FLOWS }, 'same on the wire'],
  ['openIdConnect', { type: 'openIdConnect', openIdConnectUrl: 'https://example.org' }, 'same on the wire'],
];

/** What can be wrong with who may call. */
export function securityMutations(root: JsonObject): Mutations[] {
  const schemes = ['components', 'securitySchemes'];
  const names = Object.keys(objectAt(root, schemes));
  return [
    { path: ['security'], rows: [['security dropped', '', undefined]] },
    ...operationPaths(root).flatMap((path) => requirements(root, path, names)),
    ...names.map((name) => ({
      path: [...schemes, name],
      rows: [
        ['security scheme dropped', name, undefined],
        ...OTHERS.map(([detail, scheme, accepted]): Row => [
          'security scheme changed',
          `to ${detail}`,
          scheme,
          accepted,
        ]),
      ] satisfies Row[],
    })),
  ];
}

function requirements(root: JsonObject, operation: Path, names: readonly string[]): Mutations[] {
  const all = (objectAt(root, operation)['security'] ?? root['security'] ?? []) as readonly JsonObject[];
  const path = [...operation, 'security'];
  // What is new has to be declared too, so the whole document is changed.
  const declare = (security: Json): Json => {
    const changed = edit(root, path, () => security);
    return edit(changed, ['components', 'securitySchemes', NEW], () => NEW_SCHEME);
  };
  return [
    {
      path,
      rows: [
        ['security dropped', 'public', []],
        ['security dropped', 'an alternative without credentials', [...all, {}]],
        ['security scheme unknown', '', [{ [NEW]: [] }]],
        // Whoever gives the token chooses one that has them.
        ...names.map((name): Row => ['scopes added', name, [{ [name]: ['write'] }], 'same on the wire']),
      ],
    },
    {
      path: [],
      rows: [
        ['security added', 'an alternative', declare([...all, { [NEW]: [] }])],
        ['security added', 'needed as well', declare(all.map((one) => ({ ...one, [NEW]: [] })))],
        ['security added', 'instead', declare([{ [NEW]: [] }])],
      ],
    },
  ];
}

const MORE = '201 202 204 301 403 404 409 415 422 429 501 504 2XX 4XX 5XX default'.split(' ');

/** What can be wrong with the replies that are declared: statuses, media types, headers. */
export function replyMutations(root: JsonObject): Mutations[] {
  return [
    ...operationPaths(root).map((operation) => {
      const path = [...operation, 'responses'];
      return { path, rows: statuses(objectAt(root, path)) };
    }),
    ...replyPaths(root).flatMap((path) => {
      const reply = objectAt(root, path);
      return [
        { path, rows: contents(reply) },
        { path: [...path, 'headers'], rows: headers(objectAt(reply, ['headers'])) },
      ];
    }),
  ];
}

function statuses(replies: JsonObject): Row[] {
  const declared = Object.keys(replies);
  const more = MORE.filter((status) => !declared.includes(status));
  const [first] = Object.values(replies);
  return [
    ...declared.flatMap((status): Row[] => [
      // OpenAPI, Responses Object: a contract need not list each refusal.
      ...(status.startsWith('2') ? [['status dropped', status, omit(replies, status)] satisfies Row] : []),
      ...more
        .filter((other) => status.startsWith(other.slice(0, 1)) && /^\d+$/.test(other))
        .map((other): Row => ['status changed', `${status} to ${other}`, renamed(replies, status, other)]),
    ]),
    ...more.map((other): Row => ['status added', other, { ...replies, [other]: first ?? { description: '' } }]),
    ...declared.slice(1).map((status): Row => {
      const detail = `${status} has the reply of ${declared[0] ?? ''}`;
      return ['status changed', detail, { ...replies, [status]: first ?? {} }];
    }),
  ];
}

function contents(reply: JsonObject): Row[] {
  const content = objectAt(reply, ['content']);
  const [type] = Object.keys(content);
  if (type === undefined) return [];
  const others = ['application/problem+json', 'application/vnd.x+json', 'text/html'];
  return [
    ...others.map((other): Row => [
      'reply media type changed',
      `to ${other}`,
      { ...reply, content: renamed(content, type, other) },
    ]),
    ['reply body dropped', 'its schema', { ...reply, content: { [type]: {} } }, LOOSER],
  ];
}

function headers(declared: JsonObject): Row[] {
  const added = { schema: { type: 'string' } };
  return [
    ...Object.entries(declared).flatMap(([name, header]): Row[] => {
      const isRequired = isJsonObject(header) && header['required'] === true;
      const optional = isRequired && { ...declared, [name]: omit(header, 'required') };
      return [
        ['header dropped', name, omit(declared, name), LOOSER],
        ['header renamed', name, renamed(declared, name, `X-${name}`)],
        ...(optional ? [['header required dropped', name, optional, LOOSER] satisfies Row] : []),
      ];
    }),
    ['header added', 'optional', { ...declared, 'X-More': added }, LOOSER],
    ['header added', 'required', { ...declared, 'X-More': { ...added, required: true } }],
  ];
}

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
