import type { Content } from '../2-resolve/document';
import type { NormalizedSchema } from '../2-resolve/schema';
import { parseHeaderValue } from '../text/header-value';
import { DocumentError } from '../text/document-error';

/** How a body is parsed. The `items` of a sequence are read one by one, but a `list` is read as a whole. */
export type MediaKind = 'json' | 'text' | 'form' | 'multipart' | 'binary' | 'items' | 'list';

/** The format of a sequence: lines, records with a separator (RFC 7464), or server-sent events. */
export type Framing = 'lines' | 'records' | 'events';

/** A media type or range (RFC 9110 sections 8.3.1 and 12.5.1), in lowercase except for parameter values. */
export interface MediaType {
  /** The type without parameters, such as `image/png`, or a range such as `image/*`. */
  readonly name: string;
  /** The parameters except the charset, such as `version=1`. */
  readonly parameters: readonly string[];
  readonly charset: string | undefined;
}

/** The media type of JSON. @example headers.set('Content-Type', JSON_TYPE) */
export const JSON_TYPE = 'application/json';

const RANGE_OF_TYPES = /^(?:\*|[^*]+)\/\*$/;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data';
const TEXT_TYPES =
  /^text\/|^application\/x-www-form-urlencoded$|[/+.-](?:xml|xml-dtd|yaml|csv|javascript|ndjson|jsonl|json-seq|graphql|sql|jwt)$/;

/**
 * Parses a media type such as `text/csv; charset=utf-8`; undefined if it is malformed.
 *
 * @example parseMediaType('text/csv; charset=UTF-8')?.charset // 'utf-8'
 */
export function parseMediaType(text: string): MediaType | undefined {
  const { value: name = '', parameters = [] } = parseHeaderValue(text) ?? {};
  if (!name.includes('/')) return undefined;
  const { charset, ...rest } = Object.fromEntries(parameters);
  return { name, parameters: Object.entries(rest).map((pair) => pair.join('=')), charset: charset?.toLowerCase() };
}

/** Splits a list of media types at commas outside quotes. */
export function splitMediaTypes(list: string): string[] {
  return [...list.matchAll(/(?:^|,)((?:"(?:[^"\\]|\\.)*"|[^,])*)/g)].map(([, text = '']) => text.trim());
}

/** Parses a key of `content`, which can list several media types or ranges. @throws DocumentError for any other key */
export function readMediaTypes(content: Content, key: string): [text: string, type: MediaType][] {
  return splitMediaTypes(key).map((text) => {
    const type = parseMediaType(text);
    const isMalformedRange = type?.name.includes('*') === true && !RANGE_OF_TYPES.test(type.name);
    if (!type || isMalformedRange) {
      throw new DocumentError(
        content,
        `${key} is not a media type: write one such as application/json, image/png or image/*`,
        key,
      );
    }
    return [text, type];
  });
}

/** Whether a media type is a range such as `image/*`. @example media.filter(({ declared }) => !isRange(declared)) */
export function isRange({ name }: MediaType): boolean {
  return name.endsWith('*');
}

/**
 * Whether a media type is application/json or ends in +json (RFC 6839 section 3.1).
 *
 * @example media.filter(({ declared }) => isJson(declared))
 */
export function isJson({ name }: Pick<MediaType, 'name'>): boolean {
  return name === JSON_TYPE || name.endsWith('+json');
}

export function isText({ name }: MediaType): boolean {
  return TEXT_TYPES.test(name);
}

/** Whether a media type is XML. Its schema describes elements, which the kit does not parse. */
export function isXml({ name }: MediaType): boolean {
  return /[/+]xml$/.test(name);
}

/** Returns the framing of a sequential media type (OpenAPI 3.2, Sequential Media Types); undefined for other types. */
export function framingOf(type: MediaType): Framing | undefined {
  if (!isUtf8(type)) return undefined;
  if (/^application\/(?:x-)?(?:jsonl|jsonlines|ndjson)$/.test(type.name)) return 'lines';
  if (/[/+]json-seq$/.test(type.name)) return 'records';
  return type.name === 'text/event-stream' ? 'events' : undefined;
}

// A range such as application/* stands for JSON if its schema allows more than bytes or a string.
function isRangeOfJson(mediaType: MediaType, { type = [], format, ...rest }: NormalizedSchema): boolean {
  const containsJson = /^(?:\*|application)\/\*$/.test(mediaType.name);
  if (!containsJson || format === 'binary') return false;
  const isStructured = ['properties', 'items', 'allOf', 'anyOf', 'oneOf'].some((keyword) => keyword in rest);
  return isStructured || [type].flat().some((name) => name !== 'string' && name !== 'null');
}

const SCALAR_TYPES = ['string', 'number', 'integer', 'boolean'];

export function allowsOnlyScalars({ type = [] }: NormalizedSchema): boolean {
  const types = [type].flat().filter((name) => name !== 'null');
  return types.length > 0 && types.every((name) => SCALAR_TYPES.includes(name));
}

/** Decides how a body is parsed or serialized. A reply is never a form. */
export function toMediaKind(type: MediaType, schema: NormalizedSchema, isReply: boolean): MediaKind {
  if (type.name === FORM_TYPE && !isReply) return 'form';
  if (type.name === MULTIPART_TYPE && !isReply) return 'multipart';
  if (schema.format === 'binary') return 'binary';
  if (isJson(type) || isRangeOfJson(type, schema)) return 'json';
  // The kit decodes only UTF-8.
  if (!isUtf8(type)) return 'binary';
  const isRangeOfText = type.name === '*/*' && schema.type === 'string';
  return isText(type) || isRangeOfText ? 'text' : 'binary';
}

export function isUtf8({ charset = 'utf-8' }: MediaType): boolean {
  return charset === 'utf-8' || charset === 'utf8';
}

/**
 * Ranks how closely a declared media type matches: 0 if it does not, 1 for any type, 2 for a range such as `image/*`, and 3
 * plus the number of parameters for the same type.
 *
 * @example declared.toSorted((one, other) => rank(other, sent) - rank(one, sent))
 */
export function rank(declared: MediaType, sent: MediaType): number {
  const hasParameters = declared.parameters.every((parameter) => sent.parameters.includes(parameter));
  // Without a charset, text is UTF-8.
  const areBothUtf8 = isUtf8(declared) && isUtf8(sent);
  const hasCharset = declared.charset === undefined || areBothUtf8 || declared.charset === sent.charset;
  if (!hasParameters || !hasCharset) return 0;
  if (declared.name === sent.name) return 3 + declared.parameters.length;
  if (declared.name === '*/*') return 1;
  const isInRange = isRange(declared) && sent.name.startsWith(declared.name.slice(0, -1));
  return isInRange ? 2 : 0;
}
