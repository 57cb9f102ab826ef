// Creates cases with paths that the contract does not have, or spells otherwise.
import type { Before, Case, Expectation } from '../case';
import type { Model, Operation } from '../contract/model';
import type { Values } from '../values/variant';
import type { WireRequest } from '../wire/request';
import { NO_CREDENTIALS } from './credentials';
import { percentEncode } from './parameter-spellings';
import { validRequest } from './valid-request';

/** Paths that differ slightly must have a 404, equivalent spellings must be accepted. */
export function createPathCases(values: Values, operation: Operation, { paths }: Model): Case[] {
  const request = validRequest(values, operation);
  const [validPath = '', query] = request.target.split('?', 2);
  const createCase = (label: string, expect: Expectation, change: Partial<WireRequest>): Case => ({
    operation: operation.id,
    class: 'path',
    pointer: pointerOfPath(operation),
    label,
    request: { ...request, ...change },
    expect,
  });
  const isDeclared = (path: string): boolean => [...paths.keys()].some((template) => matchesTemplate(template, path));
  const unknownPaths = similarPaths(validPath).filter(([, path]) => path !== validPath && !isDeclared(path));
  const needsCredentials = operation.alternatives.every((schemes) => schemes.length > 0);
  const anonymous = validRequest(values, operation, { credentials: NO_CREDENTIALS });
  return [
    // RFC 3986 calls both the same path, but does not require servers to normalize: at other levels 404 is right, too.
    {
      ...createCase('a letter encoded (RFC 3986 6.2.2.2)', 'accepted', { target: encodeFirstLetter(request.target) }),
      level: 'strict',
    },
    ...(needsCredentials
      ? [
          // The spelling must not lead past the check of credentials.
          createCase('a letter encoded, no credentials (RFC 3986 6.2.2.2)', 'no credentials', {
            ...anonymous,
            target: encodeFirstLetter(anonymous.target),
          }),
        ]
      : []),
    ...unknownPaths.map(([label, path]) =>
      createCase(label, 'unknown path', { target: query === undefined ? path : `${path}?${query}` }),
    ),
    {
      ...createCase('behind the same target in absolute form (RFC 9112 3.2.2)', 'accepted', {}),
      before: inAbsoluteForm(request),
    },
  ];
}

function pointerOfPath({ pointer }: Operation): string {
  return pointer.slice(0, pointer.lastIndexOf('/'));
}

function similarPaths(validPath: string): [label: string, path: string][] {
  return [
    ['a slash at the end', `${validPath}/`],
    ['a slash more in front', `/${validPath}`],
    ['one more segment', `${validPath}/more`],
    ['a sign more', `${validPath}x`],
    ['a sign less', validPath.slice(0, -1)],
    ['upper case', validPath.toUpperCase()],
    ['a parameter of the segment', `${validPath};x=1`],
    ['an encoded slash at the end', `${validPath}%2F`],
    ['an encoded NUL', `${validPath}%00`],
    ['an encoding that is none', `${validPath}%zz`],
    ['an extension', `${validPath}.json`],
    ['another path', '/no/such/path'],
  ];
}

// A server must accept the whole URL as target, `GET http://host/path` (RFC 9112 section 3.2.2). `isSame` lets the
// suite compare the two replies.
function inAbsoluteForm(request: WireRequest): Before {
  return {
    request: {
      ...request,
      isKept: true,
      bend: (head, { origin }) => head.replace(' /', () => ` ${origin}/`),
    },
    expect: 'accepted',
    isPipelined: false,
    isSame: true,
  };
}

// Percent-encodes the first letter that is not part of a percent encoding.
function encodeFirstLetter(target: string): string {
  return target.replace(/(?<!%[\da-f]?)[a-z]/i, percentEncode);
}

function matchesTemplate(template: string, path: string): boolean {
  const fixedTexts = template.split(/\{[^}]*\}/);
  const escaped = fixedTexts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('[^/]+')}$`).test(path);
}
