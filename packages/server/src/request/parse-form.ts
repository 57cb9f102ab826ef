// Parses forms: application/x-www-form-urlencoded and multipart/form-data.
import {
  itemShape,
  parseExactJson,
  parseMediaType,
  propertyShape,
  rank,
  readUtf8,
  toPointerKey,
  type BodyMedia,
  type FormPart,
  type Shape,
} from '@contract-kit/contract';
import { Refusal, toPlace } from '../errors/refusal';
import type { BodyBuffer } from './body-budget';
import type { BodySink } from './receive-body';
import { MAX_PARSED_BYTES } from './body-limit';
import type { ByteStore } from './store-bytes';
import { createMultipartReader, type PartHead } from './multipart';
import {
  createTwiceError,
  readArray,
  readObject,
  readParameterValue,
  readScalar,
  toFieldRefusal,
  UnreadableText,
  type ReadValue,
} from './read-value';
import { decodeForm, decodePercent, groupPairs, planQuery } from './parameters';

const UNDECLARED_TEXT: FormPart = { kind: 'text', isList: false, types: [] };
const UNDECLARED_FILE: FormPart = { kind: 'file', isList: false, types: [] };

type Member = [name: string, value: ReadValue];

/** Reads a field of a form, if it is there. @throws Refusal that names the field when it cannot be read */
function readMember(shape: Shape, name: string, read: () => ReadValue | undefined): Member[] {
  try {
    const value = read();
    return value ? [[name, value]] : [];
  } catch (cause) {
    const pointer = `/body/${toPointerKey(name)}`;
    throw toFieldRefusal(cause, pointer, toPlace(shape, pointer));
  }
}

/**
 * The `styled` fields are encoded as in a query, `unstyled` ones are JSON or text.
 *
 * @throws Refusal for a field that cannot be read, UnreadableText or JsonError for the whole body
 */
export function parseForm({ shape, fields: { styled, unstyled } }: BodyMedia, bytes: Buffer): ReadValue {
  const body = shape.properties.get('body');
  const pairs = groupPairs(readUtf8(bytes));
  const plan = planQuery(styled, [...unstyled.keys()]);
  const styledMembers = plan.finders.flatMap(([field, find]) =>
    readMember(shape, field.name, () => {
      const parts = find(pairs);
      if (parts === undefined) return undefined;
      return readParameterValue(field, parts, field.isPlusLiteral ? decodePercent : decodeForm);
    }),
  );
  const otherMembers = [...pairs].flatMap(([name, texts]) => {
    const part = unstyled.get(name);
    // The name belongs to a styled field.
    if (!part && plan.isKnown(name)) return [];
    const read = (): ReadValue => readField(texts.map(decodeForm), part ?? UNDECLARED_TEXT, propertyShape(body, name));
    return readMember(shape, name, read);
  });
  return readObject([...otherMembers, ...styledMembers]);
}

// Reads the texts of one name: several are an array (OpenAPI: style form, exploded).
function readField(texts: readonly string[], { kind }: FormPart, shape: Shape | undefined): ReadValue {
  const read = (text: string, textShape: Shape | undefined): ReadValue =>
    kind === 'json' ? parseExactJson(Buffer.from(text), textShape) : readScalar(textShape, text);
  if (shape?.types.has('array') === true) {
    return readArray(texts.map((text, index) => read(text, itemShape(shape, index))));
  }
  const [first, another] = texts as readonly [string, string?];
  if (another !== undefined) throw createTwiceError();
  return read(first, shape);
}

/**
 * Reads a multipart/form-data (RFC 7578) as it arrives: the bytes of its files are stored, and all others are kept in memory.
 *
 * @throws Refusal for a part that cannot be read, UnreadableText or JsonError for the whole body
 */
export function createFormSink(
  { shape, parts }: BodyMedia,
  contentType: string,
  stored: ByteStore,
  inMemory: BodyBuffer,
): BodySink<ReadValue> {
  const sent: (PartHead & { readonly declared: FormPart; readonly start: number; end: number })[] = [];
  let memorySize = 0;
  let writing: Promise<void> | undefined;

  const reader = createMultipartReader(contentType, {
    begin(head, headBytes) {
      const declared = parts?.get(head.name) ?? (head.fileName === undefined ? UNDECLARED_TEXT : UNDECLARED_FILE);
      countMemory(headBytes);
      const start = declared.kind === 'file' ? stored.size() : inMemory.size();
      sent.push({ ...head, declared, start, end: start });
    },
    add(bytes) {
      // There is no content before the first part.
      const [part] = sent.slice(-1) as [(typeof sent)[number]];
      part.end += bytes.length;
      if (part.declared.kind === 'file') {
        const written = stored.add(bytes);
        // A later part may be malformed: then nothing waits for what was written before.
        written?.catch(() => undefined);
        if (written) writing = Promise.all([writing, written]).then(() => undefined);
        return;
      }
      countMemory(bytes.length);
      inMemory.add(bytes);
    },
  });

  function countMemory(bytes: number): void {
    memorySize += bytes;
    if (memorySize > MAX_PARSED_BYTES) throw new Refusal('BODY_TOO_LARGE');
  }

  return {
    add(chunk) {
      writing = undefined;
      reader.read(chunk);
      return writing;
    },
    async end() {
      reader.end();
      const files = await stored.toBlob();
      const texts = inMemory.toBuffer();
      const all = sent.map((part) => {
        const { start, end, declared } = part;
        return { ...part, bytes: declared.kind === 'file' ? files.slice(start, end) : texts.subarray(start, end) };
      });
      return readParts(shape, all);
    },
    discard() {
      stored.discard();
      inMemory.discard();
    },
  };
}

function readParts(shape: Shape, sent: readonly SentPart[]): ReadValue {
  const body = shape.properties.get('body');
  const groups = Map.groupBy(sent, ({ name }) => name);
  return readObject(
    [...groups].flatMap(([name, group]) =>
      readMember(shape, name, () => readPartsOf(group, propertyShape(body, name))),
    ),
  );
}

// Reads the parts of one name.
function readPartsOf(sent: readonly SentPart[], shape: Shape | undefined): ReadValue {
  const [firstPart] = sent as readonly [SentPart];
  const { isList, kind } = firstPart.declared;
  const values = sent.map((part, index) => readPart(part, isList ? itemShape(shape, index) : shape));
  const [first, another] = values;
  // An array has a part for each item, or a single part with a JSON array.
  if (first && (!isList || (!another && kind === 'json' && Array.isArray(first.value)))) {
    if (another) throw createTwiceError();
    // It was read as an item: read it again as the array.
    return isList ? readPart(firstPart, shape) : first;
  }
  return readArray(values);
}

function readPart(part: SentPart, shape: Shape | undefined): ReadValue {
  // The media types that a file may have; empty for all.
  const { kind, types } = part.declared;
  if (kind === 'file') {
    // A file need not have a filename (RFC 7578 section 4.2).
    const { fileName = '', type, bytes } = part;
    const sentType = parseMediaType(type);
    // A rank of 0 is no match.
    if (types.length > 0 && !types.some((allowed) => sentType && rank(allowed, sentType) > 0)) {
      const names = types.map((allowed) => allowed.name).join(' or ');
      throw new UnreadableText('contentType', `must be of the media type ${names}`);
    }
    // The name is a string for the handler, never a path.
    return { value: new File([bytes as Blob], fileName, { type }), literals: undefined };
  }
  const bytes = toUtf8(part);
  if (kind === 'json') return parseExactJson(bytes, shape);
  return readScalar(shape, readUtf8(bytes));
}

interface SentPart extends PartHead {
  readonly declared: FormPart;
  /** A Blob of a file, a Buffer of any other part. */
  readonly bytes: Blob | Buffer;
}

/** The bytes of a text, as UTF-8 from the charset that its part names; whether it is well-formed is checked when it is read. */
function toUtf8({ fileName, charset, ...part }: SentPart): Buffer {
  const bytes = part.bytes as Buffer;
  if (fileName !== undefined || charset === undefined || /^utf-?8$/i.test(charset)) return bytes;
  try {
    return Buffer.from(new TextDecoder(charset, { fatal: true }).decode(bytes));
  } catch {
    throw new UnreadableText('charset', 'is not text in its charset, or names a charset that the server does not know');
  }
}
