import type { Case, Expectation } from '../case';
import type { Model, Operation } from '../contract/model';
import type { Values } from '../values/variant';
import type { WireRequest } from '../wire/request';
import { percentEncode } from './parameter-spellings';
import { validRequest } from './valid-request';

/**
 * Creates cases with paths that differ slightly from one of the contract (404), and with equivalent spellings of it.
 */
export function createPathCases(values: Values, operation: Operation, { paths }: Model): Case[] {
  const request = validRequest(values, operation);
  const [right = '', query] = request.target.split('?', 2);
  const createCase = (label: string, expect: Expectation, change: Partial<WireRequest>): Case => ({
    operation: operation.id,
    class: 'path',
    pointer: operation.pointer.slice(0, operation.pointer.lastIndexOf('/')),
    label,
    covers: [],
    request: { ...request, ...change },
    expect,
  });
  const neighbours: [label: string, path: string][] = [
    ['a slash at the end', `${right}/`],
    ['a slash more in front', `/${right}`],
    ['one more segment', `${right}/more`],
    ['a sign more', `${right}x`],
    ['a sign less', right.slice(0, -1)],
    ['upper case', right.toUpperCase()],
    ['a parameter of the segment', `${right};x=1`],
    ['an encoded slash at the end', `${right}%2F`],
    ['an encoded NUL', `${right}%00`],
    ['an encoding that is none', `${right}%zz`],
    ['an extension', `${right}.json`],
    ['another path', '/no/such/path'],
  ];
  const others = neighbours.filter(
    ([, one]) => one !== right && ![...paths.keys()].some((template) => matchesTemplate(template, one)),
  );
  const encoded = { target: encodeFirstLetter(request.target) };
  const isSecured = operation.alternatives.every((schemes) => schemes.length > 0);
  const unauthenticated = validRequest(values, operation, { credentials: { headers: [], query: [], cookies: [] } });
  return [
    // RFC 3986 calls both the same path, but does not require servers to normalize.
    { ...createCase('a letter encoded (RFC 3986 6.2.2.2)', 'accepted', encoded), level: 'strict' },
    ...(isSecured
      ? [
          createCase('a letter encoded, no credentials (RFC 3986 6.2.2.2)', 'no credentials', {
            ...unauthenticated,
            target: encodeFirstLetter(unauthenticated.target),
          }),
        ]
      : []),
    ...others.map(([label, one]) =>
      createCase(label, 'unknown path', { target: query === undefined ? one : `${one}?${query}` }),
    ),
    // RFC 9112 section 3.2.2: a server must accept the absolute form.
    {
      ...createCase('behind the same target in absolute form (RFC 9112 3.2.2)', 'accepted', {}),
      before: {
        request: {
          ...request,
          isKept: true,
          bend: (head, { origin }) => head.replace(' /', () => ` ${origin}/`),
        },
        expect: 'accepted',
        isPipelined: false,
        isSame: true,
      },
    },
  ];
}

// Skips letters that are part of a percent encoding.
function encodeFirstLetter(target: string): string {
  return target.replace(/(?<!%[\da-f]?)[a-z]/i, percentEncode);
}

function matchesTemplate(template: string, path: string): boolean {
  const parts = template.split(/\{[^}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]+')}$`).test(path);
}
