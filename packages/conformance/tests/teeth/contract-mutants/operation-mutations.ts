import type { Json, JsonObject } from '../../../src/wire/json';
import type { Mutation } from './contract-mutant';
import { objectAt, renamed, without, type Path } from './edit';
import { bodyPaths, operationPaths } from './places';

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
      change: () => ({ ...body, content: { ...content, 'application/xml': content[type] ?? {} } }),
    },
  ];
}
