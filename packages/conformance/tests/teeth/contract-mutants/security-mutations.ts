import type { Json, JsonObject } from '../../../src/wire/json';
import type { Accepted } from '../verdict';
import type { Mutation } from './contract-mutant';
import { edit, objectAt, type Path } from './edit';
import { operationPaths } from './places';

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
