import { isJsonObject, type JsonObject } from '../../../src/wire/json';
import type { Mutation } from './contract-mutant';
import { objectAt, renamed, without, type Path } from './edit';
import { operationPaths, replyPaths } from './places';

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
    { kind: 'reply body dropped', detail: 'its schema', path, change: () => ({ ...reply, content: { [type]: {} } }) },
  ];
}

function headers(root: JsonObject, path: Path): Mutation[] {
  const reply = objectAt(root, path);
  const declared = objectAt(reply, ['headers']);
  const at = [...path, 'headers'];
  const added = { schema: { type: 'string' } };
  return [
    ...Object.entries(declared).flatMap(([name, header]) => [
      { kind: 'header dropped', detail: name, path: at, change: () => without(declared, name) },
      { kind: 'header renamed', detail: name, path: at, change: () => renamed(declared, name, `X-${name}`) },
      ...(isJsonObject(header) && header['required'] === true
        ? [
            {
              kind: 'header required dropped',
              detail: name,
              path: at,
              change: () => ({ ...declared, [name]: without(header, 'required') }),
            },
          ]
        : []),
    ]),
    { kind: 'header added', detail: 'optional', path: at, change: () => ({ ...declared, 'X-More': added }) },
    {
      kind: 'header added',
      detail: 'required',
      path: at,
      change: () => ({ ...declared, 'X-More': { ...added, required: true } }),
    },
  ];
}
