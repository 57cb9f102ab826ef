import { changeRequest, isHarmless, type Change, type Draft } from './case';
import { isPublic, type Model, type Operation } from '../contract/model';
import { isSamePath, matchesPath } from '../contract/path-template';
import type { Values } from '../values/variant';
import { NO_CREDENTIALS } from './credentials';
import { percentEncode } from './parameter-spellings';
import { validRequest } from './valid-request';

export function createPathCases(values: Values, operation: Operation, { paths, operations }: Model): Draft[] {
  const request = validRequest(values, operation);
  const [validPath = '', query] = request.target.split('?', 2);
  const createCase = (label: string, change: Change): Draft =>
    changeRequest(pointerOfPath(operation), label, request, change);
  const isDeclared = (path: string): boolean => paths.some((template) => matchesPath(template, path));
  // A changed path can contain the id of a resource that this run did not create.
  const mayVaryId = isHarmless(operation) || !operation.path.includes('{');
  const unknownPaths = createSimilarPaths(validPath).filter(
    ([, path]) => path !== validPath && !isDeclared(path) && (mayVaryId || path.includes(validPath)),
  );
  const anonymousRequest = validRequest(values, operation, { credentials: NO_CREDENTIALS });
  return [
    ...(!isPublic(operation)
      ? [
          // An alternative spelling of the path must not bypass the credentials check.
          createCase('a letter encoded, no credentials (RFC 3986 6.2.2.2)', {
            ...anonymousRequest,
            expect: 'no credentials',
            target: encodeFirstLetter(anonymousRequest.target),
          }),
        ]
      : []),
    ...unknownPaths.map(([label, path]) =>
      createCase(label, { expect: 'unknown path', target: query === undefined ? path : `${path}?${query}` }),
    ),
    ...(operation === operations[0] ? [createCase(...ABSOLUTE_FORM_CASE)] : []),
  ];
}

// A server must accept a whole URL as the target. It does that for every operation or none, so one case is enough.
const ABSOLUTE_FORM_CASE = [
  'in absolute form (RFC 9112 3.2.2)',
  { expect: 'accepted', changeHead: (head: string, { origin }: URL) => head.replace(' /', () => ` ${origin}/`) },
] as const;

function pointerOfPath({ pointer }: Operation): string {
  return pointer.slice(0, pointer.lastIndexOf('/'));
}

function createSimilarPaths(validPath: string): [label: string, path: string][] {
  return [
    ['a slash at the end', `${validPath}/`],
    ['two slashes at the start', `/${validPath}`],
    ['one more segment', `${validPath}/more`],
    ['one character more', `${validPath}x`],
    ['one character less', validPath.slice(0, -1)],
    ['upper case', validPath.toUpperCase()],
    ['a parameter of the segment', `${validPath};x=1`],
    ['an encoded slash at the end', `${validPath}%2F`],
    ['an encoded NUL', `${validPath}%00`],
    ['an invalid percent-encoding', `${validPath}%zz`],
    ['an extension', `${validPath}.json`],
    ['another path', '/no/such/path'],
  ];
}

function encodeFirstLetter(target: string): string {
  return target.replace(/(?<!%[\da-f]?)[a-z]/i, percentEncode);
}

const TRIED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND'];

/** An undeclared method gets a 405 whose Allow header lists the methods of the path (RFC 9110 section 15.5.6). */
export function createMethodCases(values: Values, operation: Operation, { operations }: Model): Draft[] {
  const operationsOnPath = operations.filter(({ path }) => isSamePath(path, operation.path));
  const allowedMethods = operationsOnPath.map(({ method }) => method);
  // If operations have different servers, the methods of the path depend on the base URL.
  const isCertain = operationsOnPath.every(({ server }) => server?.path === operation.server?.path);
  // A server with GET may also support HEAD (RFC 9110 section 9.1).
  const maySupport = (method: string): boolean =>
    allowedMethods.includes(method) || (method === 'HEAD' && allowedMethods.includes('GET'));
  const request = validRequest(values, operation, { body: undefined });
  const refusedCases = TRIED_METHODS.filter((method) => isCertain && !maySupport(method)).map((method): Draft => ({
    pointer: pointerOfPath(operation),
    label: method,
    request: { ...request, method },
    expect: 'unknown method',
    // A proxy may answer TRACE itself (RFC 9110 section 9.3.8).
    ...(method === 'TRACE' && { level: 'robust' }),
  }));
  // `OPTIONS *` is about the whole server, so it is sent only once.
  return operation === operations[0] ? [...refusedCases, SERVER_OPTIONS] : refusedCases;
}

/** The case `OPTIONS *`, which may get any reply except a server error (RFC 9110 section 9.3.7). */
const SERVER_OPTIONS: Draft = {
  pointer: '#/paths',
  label: 'OPTIONS * (RFC 9110 9.3.7)',
  request: {
    method: 'OPTIONS',
    target: '*',
    headers: [],
    // Request targets normally get the path of the base URL as a prefix, but this one must be a bare `*`.
    changeHead: (head) => head.replace(/ \S+/, ' *'),
  },
  expect: 'answered',
};
