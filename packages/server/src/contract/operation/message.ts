// Describes whole requests and replies, so that the validator checks each in one call.
import type { Media } from './content';
import { resolveReference, type Document, type Schema, type HeaderObject, type Reference } from '../schema/document';
import { readNotation, type ParameterLocation, type Parameter, type Notation } from './parameters';
import { createShape } from '../int64/create-shape';
import { MADE_BY_KIT, type Mark } from '../schema/read-write-only';
import type { Shape } from '../int64/shape';
import { assertName } from '../schema/supported';
import { Mistake } from '../text/mistake';

/** A whole request or reply as one object, such as `{ path, query, body }`. Its shape locates the int64s. */
export interface Message {
  readonly schema: Schema;
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

/** Such as `{ path, query, headers, cookies, body }`, without properties that are readOnly. */
export function toRequestMessage(
  document: Document,
  parameters: readonly Parameter[],
  body: { readonly media: Media; readonly isRequired: boolean } | undefined,
): Message {
  const groups = Object.entries(GROUPS).flatMap(([location, name]) => {
    const declared = parameters.filter((parameter) => parameter.location === location);
    const members = declared.map((parameter) => withOwnDefault(document, parameter));
    return toGroup(name, members);
  });
  return toMessage(document, [...groups, ...toBody(body)], 'readOnly');
}

/** Such as `{ headers, body }`, without properties that are writeOnly. */
export function toReplyMessage(document: Document, headers: readonly ReplyHeader[], media: Media | undefined): Message {
  const body = toBody(media && { media, isRequired: true });
  return toMessage(document, [...toGroup('headers', headers), ...body], 'writeOnly');
}

interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

function toMessage(document: Document, members: readonly Member[], excluded: Mark): Message {
  const schema = toObjectSchema(members);
  return { schema, excluded, shape: createShape(document, schema, excluded) };
}

// An object with these members, required by the message; none without members.
function toGroup(name: string, members: readonly Member[]): Member[] {
  return members.length > 0 ? [{ name, isRequired: true, schema: toObjectSchema(members) }] : [];
}

function toBody(body: { readonly media: Media; readonly isRequired: boolean } | undefined): Member[] {
  return body ? [{ name: 'body', isRequired: body.isRequired, schema: body.media.schema }] : [];
}

/** The schema of an object with these members and no others. The symbol tells it from the schemas of the contract. */
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

// Moves the default of a referenced schema beside the reference: express-openapi-validator applies it only there.
function withOwnDefault(document: Document, parameter: Parameter): Member {
  const { schema } = parameter;
  const { default: defaultValue } = resolveReference(document, schema);
  if (schema.$ref === undefined || defaultValue === undefined) return parameter;
  return { ...parameter, schema: { allOf: [schema], default: defaultValue } };
}

export interface ReplyHeader extends Notation {
  /** As the contract spells it. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

// RFC 9110 section 5.1.
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

// The kit writes these headers itself, declared or not. A handler sets none of them but Content-Type.
const OWN_HEADERS = ['content-type', 'content-length', 'x-request-id'] as const;
export type OwnHeader = (typeof OWN_HEADERS)[number];

// RFC 9110 section 7.6.1. Transfer-Encoding and Trailer too: the kit frames a body by its length.
const CONNECTION_HEADERS = new Set(['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

/** Without those that the kit writes itself, such as Content-Type. Throws a Mistake when the kit cannot write a header. */
export function readReplyHeaders(
  document: Document,
  headers: Readonly<Record<string, HeaderObject | Reference>>,
): ReplyHeader[] {
  return Object.entries(headers)
    .filter(([name]) => !isOwnHeader(name.toLowerCase()))
    .map(([name, node], index, all) => {
      const object = resolveReference<HeaderObject>(document, node);
      if (!HEADER_NAME.test(name)) throw new Mistake(headers, `${name} is no name of a header`, name);
      assertName(headers, name);
      if (CONNECTION_HEADERS.has(name.toLowerCase())) {
        throw new Mistake(headers, `the header ${name} is about a connection, not a reply: leave it out`, name);
      }
      const isRepeated = all.slice(0, index).some(([earlier]) => earlier.toLowerCase() === name.toLowerCase());
      if (isRepeated)
        throw new Mistake(headers, `the header ${name} is listed twice: names are the same in any case`, name);
      const notation = readNotation(document, object, 'header');
      if (name.toLowerCase() === 'set-cookie' && notation.form !== 'scalar') {
        throw new Mistake(headers, 'one Set-Cookie has one cookie: give it the type string', name);
      }
      return { name, isRequired: object.required ?? false, ...notation };
    });
}

/** Whether the kit writes a header itself; the name is in lower case. */
export function isOwnHeader(name: string): boolean {
  return OWN_HEADERS.some((own) => own === name);
}
