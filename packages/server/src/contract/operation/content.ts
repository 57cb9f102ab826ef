// Reads a body of one media type.
import { resolveReference, type Content, type Document, type Schema } from '../document/document';
import {
  isRange,
  isRangeOfJson,
  isXml,
  JSON_TYPE,
  readMediaTypes,
  toMediaKind,
  type MediaKind,
  type MediaType,
} from './media-type';
import { NO_FIELDS, readFields, readForm, type FormFields, type FormPart } from './form-parts';

/** One entry of a contract's `content`: a body of one media type. */
export interface Media {
  /** The key of the contract's content. */
  readonly key: string;
  /** As the contract spells it; application/json for a range whose schema is of JSON (see isRangeOfJson). */
  readonly type: string;
  /** The same, parsed: a media type, or a range of them. */
  readonly declared: MediaType;
  readonly kind: MediaKind;
  /** The schema that bodies are checked against; ANYTHING where they are not checked. */
  readonly schema: Schema;
  /** Whether the schema has rules that are not checked. */
  readonly hasUnchecked: boolean;
  /** The declared parts of a multipart/form-data, by name; undefined for any other body. */
  readonly parts?: ReadonlyMap<string, FormPart> | undefined;
  /** The declared fields of an application/x-www-form-urlencoded; none for any other body. */
  readonly fields: FormFields;
}

/**
 * The schema of a body that is not checked: it allows anything.
 *
 * @example const isChecked = media.schema !== ANYTHING;
 */
export const ANYTHING: Schema = {};

// Keywords that add no rule to a schema of bytes or text.
const KEYWORDS_WITHOUT_RULES = new Set(
  'format nullable title description example examples contentMediaType contentEncoding'.split(' '),
);
const SCALAR_TYPES = ['string', 'number', 'integer', 'boolean'];

/**
 * Reads the bodies that a request or a reply may have, in the order of the contract.
 *
 * @throws Mistake when the kit cannot read, write or validate one of them
 * @example for (const { type, kind } of readContent(document, response.content, true)) console.log(type, kind)
 */
export function readContent(document: Document, content: Content, isReply: boolean): Media[] {
  const bodies = Object.entries(content).flatMap(([key, body]) =>
    // One key may list several media types.
    readMediaTypes(content, key).map(([spelled, declared]) =>
      readMedia(document, { ...body, key, spelled, declared }, isReply),
    ),
  );
  // An entry application/json describes JSON better than a range such as */* does.
  const listsJson = bodies.some(({ declared }) => declared.name === JSON_TYPE);
  return listsJson ? bodies.filter(({ type, declared }) => !(type === JSON_TYPE && isRange(declared))) : bodies;
}

type ContentEntry = Content[string] & {
  readonly key: string;
  /** The media type as the key spells it. */
  readonly spelled: string;
  readonly declared: MediaType;
};

// The schema is ANYTHING, without rules, for bytes, XML and other text that is not checked.
function readMedia(document: Document, entry: ContentEntry, isReply: boolean): Media {
  const { key, spelled, declared, schema = ANYTHING, encoding } = entry;
  const resolved = resolveReference(document, schema);
  const kind = toMediaKind(declared, resolved, isReply);
  // A multipart body is checked by a schema that allows anything as a file.
  const form = kind === 'multipart' ? readForm(document, schema, encoding) : undefined;
  const isCheckedText = kind === 'text' && allowsOnlyScalars(resolved) && !isXml(declared);
  const isChecked = kind === 'json' || kind === 'form' || isCheckedText;
  return {
    key,
    type: isRangeOfJson(declared, resolved) ? JSON_TYPE : spelled,
    declared,
    kind,
    schema: form?.schema ?? (isChecked ? schema : ANYTHING),
    hasUnchecked: !isChecked && !form && !hasNoRules(resolved),
    parts: form?.parts,
    fields: kind === 'form' && !isReply ? readFields(document, schema, encoding) : NO_FIELDS,
  };
}

function allowsOnlyScalars({ type = [] }: Schema): boolean {
  const types = [type].flat().filter((one) => one !== 'null');
  return types.length > 0 && types.every((one) => SCALAR_TYPES.includes(one));
}

/** Whether any bytes or text match a schema. */
function hasNoRules({ type = 'string', ...rest }: Schema): boolean {
  return type === 'string' && Object.keys(rest).every((keyword) => KEYWORDS_WITHOUT_RULES.has(keyword));
}
