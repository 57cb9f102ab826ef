import type { Media } from './content';
import { resolveReference, type Document, type HeaderObject, type Reference, type Schema } from '../document/document';
import { Mistake } from '../document/mistake';
import { readNotation, type Notation, type ParameterLocation } from './notation';
import type { Parameter } from './parameter';
import { createShape } from '../document/create-shape';
import { MADE_BY_KIT, type Mark } from '../document/marks';
import type { Shape } from '../document/shape';

/**
 * A whole request or reply described as one object, such as `{ path, query, body }`: the validator checks it in one call,
 * and its shape locates the int64s.
 */
export interface Message {
  readonly schema: Schema;
  /** The keyword of properties that the message must not have: readOnly in a request, writeOnly in a reply. */
  readonly excluded: Mark;
  readonly shape: Shape;
}

/** The property of a handler's request with the parameters of a location. */
export const GROUPS = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const satisfies Record<
  ParameterLocation,
  string
>;

/** The value of a message: parameters by group and name, or headers by name, and the body. */
export type Groups = Record<string, unknown>;

/** A header of a reply. */
export interface ReplyHeader extends Notation {
  /** As the contract spells it. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

/** The message of a request: a group for each location with parameters, and the body. */
export function toRequestMessage(
  document: Document,
  parameters: readonly Parameter[],
  body: { readonly media: Media; readonly isRequired: boolean } | undefined,
): Message {
  const groups = Object.entries(GROUPS).flatMap(([location, group]) => {
    const members = parameters.filter((parameter) => parameter.location === location);
    return toGroup(group, members.map(withDefault(document)));
  });
  return toMessage(document, [...groups, ...toBody(body)], 'readOnly');
}

/** The message of a reply: its headers, if any are declared, and its body. */
export function toReplyMessage(document: Document, headers: readonly ReplyHeader[], media: Media | undefined): Message {
  const body = toBody(media && { media, isRequired: true });
  return toMessage(document, [...toGroup('headers', headers), ...body], 'writeOnly');
}

/** @throws Mistake when the kit cannot write a header */
export function readReplyHeaders(
  document: Document,
  headers: Readonly<Record<string, HeaderObject | Reference>>,
): ReplyHeader[] {
  return Object.entries(headers)
    .filter(([name]) => !isOwnHeader(name.toLowerCase()))
    .map(([name, node]) => {
      const object = resolveReference<HeaderObject>(document, node);
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new Mistake(headers, `${name} is no name of a header`, name);
      if (OF_CONNECTIONS.has(name.toLowerCase())) {
        throw new Mistake(headers, `the header ${name} is about a connection, not a reply: leave it out`, name);
      }
      const notation = readNotation(document, object, 'header');
      if (name.toLowerCase() === 'set-cookie' && notation.form !== 'scalar') {
        throw new Mistake(headers, 'one Set-Cookie has one cookie: give it the type string', name);
      }
      return { name, isRequired: object.required ?? false, ...notation };
    });
}

// The kit writes these headers itself, declared or not. A handler sets none of them but Content-Type.
const OWN_HEADERS = ['content-type', 'content-length', 'x-request-id'] as const;
export type OwnHeader = (typeof OWN_HEADERS)[number];

// RFC 9110 section 7.6.1. Transfer-Encoding and Trailer too: the kit frames a body by its length.
const OF_CONNECTIONS = new Set(['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

/** Whether the kit writes a header itself; the name is in lower case. */
export function isOwnHeader(name: string): boolean {
  return OWN_HEADERS.some((own) => own === name);
}

/** A property of the object that describes a message. */
interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

function toMessage(document: Document, members: readonly Member[], excluded: Mark): Message {
  const schema = toObjectSchema(members);
  return { schema, excluded, shape: createShape(document, schema, excluded) };
}

function toGroup(name: string, members: readonly Member[]): Member[] {
  return members.length > 0 ? [{ name, isRequired: true, schema: toObjectSchema(members) }] : [];
}

function toBody(body: { readonly media: Media; readonly isRequired: boolean } | undefined): Member[] {
  return body ? [{ name: 'body', isRequired: body.isRequired, schema: body.media.schema }] : [];
}

function toObjectSchema(members: readonly Member[]): Schema {
  const required = members.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    additionalProperties: false,
    ...{ [MADE_BY_KIT]: true },
  };
}

// express-openapi-validator applies a default only beside the property itself, not behind a reference.
function withDefault(document: Document): (parameter: Parameter) => Member {
  return (parameter) => {
    const { schema } = parameter;
    const { default: value } = resolveReference(document, schema);
    if (schema.$ref === undefined || value === undefined) return parameter;
    return { ...parameter, schema: { allOf: [schema], default: value } };
  };
}
