import type { Media } from './content';
import type { Document, HeaderObject, Reference, Schema } from '../document/document';
import { resolveReference } from '../document/document';
import { Mistake } from '../document/mistake';
import { readNotation, type Notation, type Parameter, type ParameterLocation } from './parameter';
import { createShape } from '../document/create-shape';
import type { Shape } from '../document/shape';

/**
 * All that a handler gets, or gives, as one value: the validator is asked about it at once, and its int64s are read, or
 * written, along one shape.
 */
export interface Message {
  readonly schema: Schema;
  readonly shape: Shape;
}

/** Where a handler finds the parameters of a location. */
export const GROUPS = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const satisfies Record<
  ParameterLocation,
  string
>;

/** What a request or a reply has, by group: its parameters or headers by name, and its body. */
export type Groups = Record<string, unknown>;

/** A header of a reply. */
export interface ReplyHeader extends Notation {
  /** As the contract spells it. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

/** What is expected of a request: the groups of its parameters, those that it has, and its body. */
export function toRequestMessage(
  document: Document,
  parameters: readonly Parameter[],
  body: { readonly media: Media; readonly isRequired: boolean } | undefined,
): Message {
  const groups = Object.entries(GROUPS).flatMap(([location, group]) => {
    const members = parameters.filter((parameter) => parameter.location === location);
    return toGroup(group, members.map(withDefault(document)));
  });
  return toMessage(document, [...groups, ...toBody(body)]);
}

/** What is expected of a reply: its headers, if it may have any, and its body. */
export function toReplyMessage(document: Document, headers: readonly ReplyHeader[], media: Media | undefined): Message {
  return toMessage(document, [...toGroup('headers', headers), ...toBody(media && { media, isRequired: true })]);
}

/** @throws Mistake when the kit cannot write one of them */
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
      if (name.toLowerCase() === 'set-cookie' && notation.form !== 'one') {
        throw new Mistake(headers, 'one Set-Cookie has one cookie: give it the type string', name);
      }
      return { name, isRequired: object.required ?? false, ...notation };
    });
}

// The kit writes these into every reply, declared or not. A handler sets none of them but Content-Type.
const OWN_HEADERS = ['content-type', 'content-length', 'x-request-id'] as const;
export type OwnHeader = (typeof OWN_HEADERS)[number];

// RFC 9110 section 7.6.1; and a body is framed by its length.
const OF_CONNECTIONS = new Set(['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

/** @param name in lower case */
export function isOwnHeader(name: string): boolean {
  return OWN_HEADERS.some((own) => own === name);
}

interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

function toMessage(document: Document, members: readonly Member[]): Message {
  const schema = toObject(members);
  return { schema, shape: createShape(document, schema) };
}

function toGroup(name: string, members: readonly Member[]): Member[] {
  return members.length > 0 ? [{ name, isRequired: true, schema: toObject(members) }] : [];
}

function toBody(body: { readonly media: Media; readonly isRequired: boolean } | undefined): Member[] {
  return body ? [{ name: 'body', isRequired: body.isRequired, schema: body.media.schema }] : [];
}

function toObject(members: readonly Member[]): Schema {
  const required = members.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    additionalProperties: false,
  };
}

// The validator fills a default in where it stands, not where a reference leads to.
function withDefault(document: Document): (parameter: Parameter) => Member {
  return (parameter) => {
    const { schema } = parameter;
    const { default: value } = resolveReference(document, schema);
    if (schema.$ref === undefined || value === undefined) return parameter;
    return { ...parameter, schema: { allOf: [schema], default: value } };
  };
}
