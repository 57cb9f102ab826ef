// Reads the `content` of a request body or a response.
import {
  resolveReference,
  type Content,
  type JsonEvents,
  type MediaTypeObject,
  type NormalizedDocument,
} from '../2-resolve/document';
import { isOpenApi32, type NormalizedSchema } from '../2-resolve/schema';
import { readForm, type Form } from './form';
import {
  allowsOnlyScalars,
  framingOf,
  isRange,
  isXml,
  JSON_TYPE,
  readMediaTypes,
  toMediaKind,
  type Framing,
  type MediaKind,
  type MediaType,
} from './media-type';
import { DocumentError } from '../text/document-error';
import { readValueKinds } from '../4-shape/value-kinds';

/** A body with one of the media types in a contract's `content`. */
export interface Media {
  readonly key: string;
  /** The media type in the contract, or application/json if the contract has a range that stands for it. */
  readonly type: string;
  readonly declared: MediaType;
  readonly kind: MediaKind;
  readonly framing: Framing | undefined;
  readonly itemSchema: NormalizedSchema | undefined;
  readonly jsonEvents: JsonEvents | undefined;
  /** The schema for the validator; ANYTHING if the body is not checked. */
  readonly schema: NormalizedSchema;
  readonly writtenSchema: NormalizedSchema | undefined;
  /** Whether the schema has rules that are not checked. */
  readonly hasUnchecked: boolean;
  readonly form: Form;
}

/**
 * The schema of a body that is not checked. Test for it with `===`.
 *
 * @example const isChecked = media.schema !== ANYTHING;
 */
export const ANYTHING: NormalizedSchema = {};

// Keywords that do not restrict bytes or text.
const KEYWORDS_WITHOUT_RULES = new Set(
  'format nullable title description example examples contentMediaType contentEncoding'.split(' '),
);

/**
 * Reads the bodies that a request or reply can have, in the contract's order.
 *
 * @throws DocumentError if the kit cannot parse, serialize or validate one of them
 */
export function readContent(document: NormalizedDocument, content: Content, isReply: boolean): Media[] {
  const bodies = Object.entries(content).flatMap(([key, node]) => {
    const body = resolveReference<MediaTypeObject>(document, node, 'MediaType');
    if (!isReply) assertNamedParts(body);
    return readMediaTypes(content, key).map(([spelled, declared]) =>
      readMedia(document, { ...body, node: body, key, spelled, declared }, isReply),
    );
  });
  // If application/json is not declared, the narrowest range whose schema describes JSON stands for it.
  const jsonRangeBodies = bodies.filter(({ kind, declared }) => kind === 'json' && isRange(declared));
  const [narrowest] = jsonRangeBodies.toSorted((left, right) => right.declared.name.length - left.declared.name.length);
  const json = bodies.find(({ declared }) => declared.name === JSON_TYPE) ?? narrowest;
  return bodies.map((body) => (body === json && isRange(body.declared) ? { ...body, type: JSON_TYPE } : body));
}

/** @throws DocumentError if parts are described by position, or are themselves multipart (OpenAPI 3.2) */
function assertNamedParts(body: MediaTypeObject): void {
  for (const node of [body, ...Object.values(body.encoding ?? {})]) {
    const keys = ['prefixEncoding', 'itemEncoding', ...(node === body ? [] : ['encoding'])];
    const key = keys.find((name) => Object.hasOwn(node, name));
    if (key !== undefined)
      throw new DocumentError(
        node,
        `${key} is not supported in a request: describe the parts by name, in the encoding of multipart/form-data`,
        key,
      );
  }
}

type ContentEntry = MediaTypeObject & {
  readonly node: MediaTypeObject;
  readonly key: string;
  readonly spelled: string;
  readonly declared: MediaType;
};

function readMedia(document: NormalizedDocument, entry: ContentEntry, isReply: boolean): Media {
  const { node, key, spelled, declared, schema = ANYTHING, encoding } = entry;
  const resolved = resolveReference(document, schema);
  const sequence = readSequence(document, entry);
  const kind = sequence?.kind ?? toMediaKind(declared, resolved, isReply);
  const isForm = kind === 'form' || kind === 'multipart';
  const isCheckedText = kind === 'text' && allowsOnlyScalars(resolved) && !isXml(declared);
  const isChecked = isForm || kind === 'json' || kind === 'list' || isCheckedText;
  const form = isForm
    ? readForm(document, schema, kind === 'multipart', encoding)
    : { ...NO_FIELDS, schema: isChecked ? schema : ANYTHING, unused: findUnusedEncodings(node) };
  return {
    key,
    type: spelled,
    declared,
    kind,
    framing: sequence?.framing,
    itemSchema: kind === 'items' ? entry.itemSchema : undefined,
    jsonEvents: entry['x-json-events'],
    schema: sequence?.schema ?? form.schema,
    writtenSchema: entry.schema,
    hasUnchecked: !isChecked && !hasNoRules(resolved),
    form,
  };
}

const NO_FIELDS = { styled: [], named: new Map(), patterns: [], others: undefined } as const;

function findUnusedEncodings(node: MediaTypeObject): DocumentError[] {
  return ['encoding', 'prefixEncoding', 'itemEncoding']
    .filter((field) => Object.hasOwn(node, field))
    .map((field) => new DocumentError(node, `${field} has no effect, except on the form of a request`, field));
}

/**
 * Reads a sequential media type. With a `schema`, the body is one list; otherwise its items are read one by one. Before
 * OpenAPI 3.2, a `schema` without an `itemSchema` describes the text.
 *
 * @throws DocumentError if any other media type has an `itemSchema`
 */
function readSequence(
  document: NormalizedDocument,
  { key, declared, schema, itemSchema }: ContentEntry,
): (Pick<Media, 'schema'> & { readonly kind: 'items' | 'list'; readonly framing: Framing }) | undefined {
  const framing = framingOf(declared);
  if (itemSchema && !framing)
    throw new DocumentError(
      itemSchema,
      `${key} has no items: use itemSchema with application/jsonl, application/x-ndjson, application/json-seq or text/event-stream`,
    );
  if (!framing) return undefined;
  if (!schema) return itemSchema && { kind: 'items', framing, schema: ANYTHING };
  const isList = isOpenApi32(document.openapi) && readValueKinds(document, schema).has('array');
  if (itemSchema)
    return {
      kind: 'list',
      framing,
      schema: { allOf: [schema, { type: 'array', items: itemSchema }] },
    };
  return isList ? { kind: 'list', framing, schema } : undefined;
}

function hasNoRules({ type = 'string', ...otherKeywords }: NormalizedSchema): boolean {
  return type === 'string' && Object.keys(otherKeywords).every((keyword) => KEYWORDS_WITHOUT_RULES.has(keyword));
}
