import {
  findPart,
  isJson,
  itemShape,
  parseExactJson,
  parseMediaType,
  propertyShape,
  rank,
  readScalar,
  readUtf8,
  toPointerKey,
  type BodyMedia,
  type FormPart,
  type PartKinds,
  type Shape,
} from '@contract-kit/contract';
import { Refusal, toPlace } from '../errors/refusal';
import type { BodyBuffer } from './body-budget';
import type { BodySink } from './receive-body';
import { MAX_PARSED_BYTES } from './body-limit';
import type { ByteStore } from './store-bytes';
import { createMultipartReader, type PartHead } from './multipart';
import { createDuplicateError, readObject, readParameterValue, toFieldRefusal, UnreadableText } from './read-value';
import { decodeForm, decodePercent, groupPairs, planQuery } from './parameters';

const UNDECLARED_PART: FormPart = { value: new Set(['file', 'text']), item: undefined, types: [] };
const STYLED_PART: FormPart = { value: new Set(['text']), item: undefined, types: [] };

type Form = Pick<BodyMedia, 'shape' | 'form'>;
type Member<T> = [name: string, value: T];

/** Reads a form field, if it was sent. @throws Refusal that names the field if it cannot be read */
function readMember<T>(
  shape: Shape,
  [form, name]: readonly [form: string, name: string],
  read: () => T | undefined,
): Member<T>[] {
  try {
    const value = read();
    return value === undefined ? [] : [[name, value]];
  } catch (cause) {
    const pointer = `/${form}/${toPointerKey(name)}`;
    throw toFieldRefusal(cause, pointer, toPlace(shape, pointer));
  }
}

// Plans how to read a form. `partOf` returns STYLED_PART for a styled field. `read` throws a Refusal for an unreadable field.
function planForm<Sent>({ shape, form }: Form, place: 'body' | 'querystring', reader: PartReader<Sent>) {
  const root = shape.properties.get(place);
  const plan = planQuery(form.styled, [...form.named.keys()]);
  const isStyled = (name: string): boolean => !form.named.has(name) && plan.isKnown(name);
  const partOf = (name: string): FormPart => (isStyled(name) ? STYLED_PART : (findPart(form, name) ?? UNDECLARED_PART));
  return {
    partOf,
    read(groups: ReadonlyMap<string, readonly Sent[]>): object {
      const toPairs = ([name, sent]: readonly [string, readonly Sent[]]): Member<readonly string[]>[] =>
        readMember(shape, [place, name], () => sent.flatMap(reader.toQueryText));
      const pairs = new Map(
        form.styled.length === 0 ? [] : [...groups].filter(([name]) => plan.isKnown(name)).flatMap(toPairs),
      );
      const styledMembers = plan.finders.flatMap(([field, find]) =>
        readMember(shape, [place, field.name], () => {
          const texts = find(pairs);
          if (texts === undefined) return undefined;
          return readParameterValue(field, texts, field.isPlusLiteral ? decodePercent : decodeForm);
        }),
      );
      const otherMembers = [...groups].flatMap(([name, sent]) => {
        const part = partOf(name);
        if (part === STYLED_PART) return [];
        return readMember(shape, [place, name], () => readValue(sent, part, propertyShape(root, name), reader));
      });
      return readObject([...otherMembers, ...styledMembers]);
    },
  };
}

/** @throws Refusal for a field that cannot be read, UnreadableText or JsonError for the whole form */
export function parseForm(form: Form, bytes: Buffer, place: 'body' | 'querystring'): object {
  return planForm(form, place, URLENCODED_READER).read(groupPairs(readUtf8(bytes)));
}

interface PartReader<Sent> {
  readonly kindOf: (sent: Sent, kinds: PartKinds) => PartKind;
  readonly read: (sent: Sent, kind: PartKind, part: FormPart, shape: Shape | undefined) => unknown;
  /** Returns the text of a styled field as it would appear in a query; none for a file. */
  readonly toQueryText: (sent: Sent) => readonly string[];
}

type PartKind = 'file' | 'json' | 'text';

const URLENCODED_READER: PartReader<string> = {
  kindOf: (_sent, kinds) => (kinds.has('json') ? 'json' : 'text'),
  read: (sent, kind, _part, shape) => readText(Buffer.from(decodeForm(sent)), kind, shape),
  toQueryText: (sent) => [sent],
};

function readText(bytes: Buffer, kind: PartKind, shape: Shape | undefined): unknown {
  return kind === 'json' ? parseExactJson(bytes, shape) : readScalar(shape, readUtf8(bytes));
}

// Reads all parts with the same name. An array has a part for each item, or a single part with a JSON array.
function readValue<Sent>(
  sent: readonly Sent[],
  part: FormPart,
  shape: Shape | undefined,
  { kindOf, read }: PartReader<Sent>,
): unknown {
  const { value, item } = part;
  const [first, second] = sent;
  if (first !== undefined && second === undefined) {
    const kind = kindOf(first, new Set([...(value ?? []), ...(item ?? [])]));
    const isWhole = value !== undefined && (value.has(kind) || item?.has(kind) !== true);
    if (isWhole) return read(first, kind, part, shape);
    const items = kind === 'json' ? read(first, kind, part, shape) : undefined;
    if (Array.isArray(items)) return items;
  }
  if (!item) throw createDuplicateError();
  return sent.map((sentItem, index) => read(sentItem, kindOf(sentItem, item), part, itemShape(shape, index)));
}

/**
 * Parses a multipart/form-data body (RFC 7578) as it arrives. Files go to `stored`, and everything else stays in memory.
 *
 * @throws Refusal for a part that cannot be read, UnreadableText or JsonError for the whole body
 */
export function createFormSink(
  form: Form,
  contentType: string,
  stored: ByteStore,
  inMemory: BodyBuffer,
): BodySink<object> {
  const plan = planForm(form, 'body', MULTIPART_READER);
  const arrivingParts: ArrivingPart[] = [];
  let memorySize = 0;
  let writing: Promise<void> | undefined;

  const reader = createMultipartReader(contentType, {
    begin(head, headBytes) {
      const { value, item } = plan.partOf(head.name);
      const isFile = mayBeFile(head, new Set([...(value ?? []), ...(item ?? [])]));
      countMemory(headBytes);
      const start = isFile ? stored.size() : inMemory.size();
      arrivingParts.push({ ...head, isFile, start, end: start });
    },
    add(bytes) {
      const [part] = arrivingParts.slice(-1) as [ArrivingPart];
      part.end += bytes.length;
      if (part.isFile) {
        const writePromise = stored.add(bytes);
        // If a later part is malformed, nothing awaits this promise.
        writePromise?.catch(/* istanbul ignore next: a disk that fails at this very moment */ () => undefined);
        if (writePromise) writing = Promise.all([writing, writePromise]).then(() => undefined);
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
      const parts = arrivingParts.map((part) => {
        const { start, end, isFile } = part;
        return { ...part, bytes: isFile ? files.slice(start, end) : texts.subarray(start, end) };
      });
      return plan.read(Map.groupBy(parts.filter(isChosen), ({ name }) => name));
    },
    discard() {
      stored.discard();
      inMemory.discard();
    },
  };
}

interface ArrivingPart extends PartHead {
  readonly isFile: boolean;
  /** The offset of the part's bytes in the stored files, or in memory if the part is not a file. */
  readonly start: number;
  end: number;
}

interface SentPart extends ArrivingPart {
  readonly bytes: Blob | Buffer;
}

// If no file is selected, browsers send an empty part with an empty file name (HTML, constructing the entry list).
function isChosen({ fileName, isFile, start, end }: ArrivingPart): boolean {
  return !isFile || fileName !== '' || end > start;
}

// Whether a part can be a file, which does not need a filename (RFC 7578 section 4.2).
function mayBeFile({ fileName, type }: PartHead, kinds: PartKinds): boolean {
  const name = type.replace(/[ \t]*;.*/, '');
  const isSentAsFile = fileName !== undefined || !(name.startsWith('text/') || isJson({ name }));
  return kinds.has('file') && (kinds.size === 1 || isSentAsFile);
}

const MULTIPART_READER: PartReader<SentPart> = {
  kindOf: (sent, kinds) => {
    if (sent.isFile) return 'file';
    return kinds.has('json') ? 'json' : 'text';
  },
  read: (sent, kind, { types }, shape) =>
    kind === 'file' ? readFile(sent, types) : readText(toUtf8(sent), kind, shape),
  // Nothing is percent-encoded in multipart/form-data (OpenAPI 3.2, Encoding Object), and a comma is always a delimiter.
  toQueryText: (sent) => (sent.isFile ? [] : [encodeURIComponent(readUtf8(toUtf8(sent))).replaceAll('%2C', ',')]),
};

function readFile({ fileName = '', type, bytes }: SentPart, types: FormPart['types']): File {
  const sentType = parseMediaType(type);
  if (types.length > 0 && !types.some((allowed) => sentType && rank(allowed, sentType) > 0)) {
    const names = types.map(({ name, parameters, charset }) =>
      [name, ...parameters, charset && `charset=${charset}`].filter(Boolean).join('; '),
    );
    throw new UnreadableText('contentType', `must be of the media type ${names.join(' or ')}`);
  }
  // File's constructor would change the type to lower case.
  return Object.defineProperty(new File([bytes as Blob], fileName), 'type', { value: type });
}

// Converts a part's text to UTF-8. Text that should already be UTF-8 is checked later, when it is read.
function toUtf8({ fileName, charset, ...part }: SentPart): Buffer {
  const bytes = part.bytes as Buffer;
  if (fileName !== undefined || charset === undefined || /^utf-?8$/i.test(charset)) return bytes;
  try {
    return Buffer.from(new TextDecoder(charset, { fatal: true }).decode(bytes));
  } catch {
    throw new UnreadableText('charset', 'is not text in its charset, or names a charset that the server does not know');
  }
}
