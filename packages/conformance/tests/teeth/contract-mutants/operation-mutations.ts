import { isJsonObject, type Json, type JsonObject } from '../../../src/wire/json';
import {
  objectAt,
  renamed,
  without,
  bodyPaths,
  operationPaths,
  edit,
  replyPaths,
  type Mutation,
  type Path,
} from './contract-mutant';
import type { Accepted } from '../proof';

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'options'];

/** What can be wrong with an operation: where it stands, and what it takes. */
export function operationMutations(root: JsonObject): Mutation[] {
  return [
    ...operationPaths(root).flatMap((path) => [
      ...methods(root, path),
      ...paths(root, path),
      ...parameters(root, path),
      { kind: 'operation dropped', path, change: () => undefined },
      { kind: 'body dropped', path: [...path, 'requestBody'], change: () => undefined },
    ]),
    ...bodyPaths(root).flatMap((path) => bodies(root, path)),
  ];
}

function methods(root: JsonObject, [paths = '', path = '', method = '']: Path): Mutation[] {
  const item = objectAt(root, [paths, path]);
  const free = METHODS.filter((other) => item[other] === undefined);
  const operation = objectAt(item, [method]);
  return [
    ...free.map((other) => ({
      kind: 'method changed',
      detail: `to ${other}`,
      path: [paths, path],
      change: () => renamed(item, method, other),
    })),
    ...free.map((other) => ({
      kind: 'method added',
      detail: other,
      path: [paths, path, other],
      change: () => ({ ...operation, operationId: `${other}More` }),
    })),
  ];
}

function paths(root: JsonObject, [paths = '', path = '', method = '']: Path): Mutation[] {
  const items = objectAt(root, [paths]);
  const operation = objectAt(items, [path, method]);
  const others = [`${path}s`, path.slice(0, -1), `${path}/`, path.toUpperCase(), `/v1${path}`, `${path}/{id}`];
  return [
    ...others.map((other) => ({
      kind: 'path changed',
      detail: `to ${other}`,
      path: [paths],
      change: () => renamed(items, path, other),
    })),
    {
      kind: 'path added',
      path: [paths],
      change: () => ({ ...items, [`${path}/more`]: { [method]: { ...operation, operationId: 'more' } } }),
    },
  ];
}

function parameters(root: JsonObject, operation: Path): Mutation[] {
  const path = [...operation, 'parameters'];
  const declared = (objectAt(root, operation)['parameters'] ?? []) as readonly Json[];
  return ['query', 'header', 'cookie'].flatMap((place) =>
    [true, false].map((required) => ({
      kind: 'parameter added',
      detail: `in ${place}, ${required ? 'required' : 'optional'}`,
      path,
      change: () => [...declared, { name: 'x-more', in: place, required, schema: { type: 'integer' } }],
    })),
  );
}

function bodies(root: JsonObject, path: Path): Mutation[] {
  const body = objectAt(root, path);
  const content = objectAt(body, ['content']);
  const [type = ''] = Object.keys(content);
  const typed = (other: string): JsonObject => ({ ...body, content: renamed(content, type, other) });
  return [
    { kind: 'body required dropped', detail: 'altogether', path, change: () => without(body, 'required') },
    { kind: 'body required dropped', detail: 'false', path, change: () => ({ ...body, required: false }) },
    { kind: 'body media type dropped', path, change: () => ({ ...body, content: {} }) },
    ...['application/merge-patch+json', 'application/vnd.x+json', 'text/plain', 'text/json', '*/*'].map((other) => ({
      kind: 'body media type changed',
      detail: `to ${other}`,
      path,
      change: () => typed(other),
    })),
    {
      kind: 'body media type added',
      path,
      accepted: 'not tried',
      change: () => ({ ...body, content: { ...content, 'application/xml': content[type] ?? {} } }),
    },
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
export function securityMutations(root: JsonObject): Mutation[] {
  const schemes = ['components', 'securitySchemes'];
  const names = Object.keys(objectAt(root, schemes));
  return [
    { kind: 'security dropped', path: ['security'], change: () => undefined },
    ...operationPaths(root).flatMap((path) => requirements(root, path, names)),
    ...names.flatMap((name) => [
      { kind: 'security scheme dropped', detail: name, path: [...schemes, name], change: () => undefined },
      ...OTHERS.map(([detail, scheme, accepted]): Mutation => ({
        kind: 'security scheme changed',
        detail: `to ${detail}`,
        path: [...schemes, name],
        accepted,
        change: () => scheme,
      })),
    ]),
  ];
}

function requirements(root: JsonObject, operation: Path, names: readonly string[]): Mutation[] {
  const all = (objectAt(root, operation)['security'] ?? root['security'] ?? []) as readonly JsonObject[];
  const path = [...operation, 'security'];
  const set = (kind: string, detail: string, security: Json): Mutation => ({
    kind,
    detail,
    path,
    change: () => security,
  });
  // What is new has to be declared too, so the whole document is changed.
  const setNew = (detail: string, security: Json): Mutation => ({
    kind: 'security added',
    detail,
    path: [],
    change: () =>
      edit(
        edit(root, path, () => security),
        ['components', 'securitySchemes', NEW],
        () => NEW_SCHEME,
      ),
  });
  return [
    set('security dropped', 'public', []),
    set('security dropped', 'an alternative without credentials', [...all, {}]),
    set('security scheme unknown', '', [{ [NEW]: [] }]),
    // Whoever gives the token chooses one that has them.
    ...names.map((name) => ({
      ...set('scopes added', name, [{ [name]: ['write'] }]),
      accepted: 'same on the wire' as const,
    })),
    setNew('an alternative', [...all, { [NEW]: [] }]),
    setNew(
      'needed as well',
      all.map((one) => ({ ...one, [NEW]: [] })),
    ),
    setNew('instead', [{ [NEW]: [] }]),
  ];
}

const MORE = [
  '201',
  '202',
  '204',
  '301',
  '403',
  '404',
  '409',
  '415',
  '422',
  '429',
  '501',
  '504',
  '2XX',
  '4XX',
  '5XX',
  'default',
];

/** What can be wrong with the replies that are declared: statuses, media types, headers. */
export function replyMutations(root: JsonObject): Mutation[] {
  return [
    ...operationPaths(root).flatMap((path) => statuses(root, [...path, 'responses'])),
    ...replyPaths(root).flatMap((path) => [...contents(root, path), ...headers(root, path)]),
  ];
}

function statuses(root: JsonObject, path: Path): Mutation[] {
  const replies = objectAt(root, path);
  const declared = Object.keys(replies);
  const more = MORE.filter((status) => !declared.includes(status));
  const [first] = Object.values(replies);
  return [
    ...declared.flatMap((status) => [
      { kind: 'status dropped', detail: status, path, change: () => without(replies, status) },
      ...more
        .filter((other) => status.startsWith(other.slice(0, 1)) && /^\d+$/.test(other))
        .map((other) => ({
          kind: 'status changed',
          detail: `${status} to ${other}`,
          path,
          change: () => renamed(replies, status, other),
        })),
    ]),
    ...more.map((other) => ({
      kind: 'status added',
      detail: other,
      path,
      change: () => ({ ...replies, [other]: first ?? { description: '' } }),
    })),
    ...declared.slice(1).map((status) => ({
      kind: 'status changed',
      detail: `${status} has the reply of ${declared[0] ?? ''}`,
      path,
      change: () => ({ ...replies, [status]: first ?? {} }),
    })),
  ];
}

function contents(root: JsonObject, path: Path): Mutation[] {
  const reply = objectAt(root, path);
  const content = objectAt(reply, ['content']);
  const [type] = Object.keys(content);
  const common = { kind: 'reply media type changed', path };
  if (type === undefined) return [];
  return [
    ...['application/problem+json', 'application/vnd.x+json', 'text/html', `${type}; charset=utf-8`].map((other) => ({
      ...common,
      detail: `to ${other}`,
      change: () => ({ ...reply, content: renamed(content, type, other) }),
    })),
    { kind: 'reply body dropped', path, change: () => without(reply, 'content') },
    {
      kind: 'reply body dropped',
      detail: 'its schema',
      path,
      accepted: LOOSER,
      change: () => ({ ...reply, content: { [type]: {} } }),
    },
  ];
}

function headers(root: JsonObject, path: Path): Mutation[] {
  const reply = objectAt(root, path);
  const declared = objectAt(reply, ['headers']);
  const at = [...path, 'headers'];
  const added = { schema: { type: 'string' } };
  return [
    ...Object.entries(declared).flatMap(([name, header]) => [
      { kind: 'header dropped', detail: name, path: at, accepted: LOOSER, change: () => without(declared, name) },
      { kind: 'header renamed', detail: name, path: at, change: () => renamed(declared, name, `X-${name}`) },
      ...(isJsonObject(header) && header['required'] === true
        ? [
            {
              kind: 'header required dropped',
              detail: name,
              path: at,
              accepted: LOOSER,
              change: () => ({ ...declared, [name]: without(header, 'required') }),
            },
          ]
        : []),
    ]),
    {
      kind: 'header added',
      detail: 'optional',
      path: at,
      accepted: LOOSER,
      change: () => ({ ...declared, 'X-More': added }),
    },
    {
      kind: 'header added',
      detail: 'required',
      path: at,
      change: () => ({ ...declared, 'X-More': { ...added, required: true } }),
    },
  ];
}
