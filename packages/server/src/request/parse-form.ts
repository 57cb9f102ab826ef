// Parses forms: application/x-www-form-urlencoded and multipart/form-data.
import {
  BROWSER_PAIR,
  findPart,
  isJson,
  itemShape,
  parseExactJson,
  parseHeaderValue,
  parseMediaType,
  propertyShape,
  rank,
  readUtf8,
  toPointerKey,
  tryDecode,
  type BodyMedia,
  type FormPart,
  type HeaderValue,
  type PartKinds,
  type Shape,
} from '@contract-kit/contract';
import { toPlace } from '../errors/refusal';
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

const UNDECLARED: FormPart = { value: new Set(['file', 'text']), item: undefined, types: [] };

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
  const plan = planQuery(styled, [...unstyled.named.keys()]);
  const styledMembers = plan.finders.flatMap(([field, find]) =>
    readMember(shape, field.name, () => {
      const parts = find(pairs);
      if (parts === undefined) return undefined;
      return readParameterValue(field, parts, field.isPlusLiteral ? decodePercent : decodeForm);
    }),
  );
  const otherMembers = [...pairs].flatMap(([name, texts]) => {
    // The name belongs to a styled field.
    if (!unstyled.named.has(name) && plan.isKnown(name)) return [];
    const part = findPart(unstyled, name) ?? UNDECLARED;
    return readMember(shape, name, () => readValue(texts, part, propertyShape(body, name), TEXTS));
  });
  return readObject([...otherMembers, ...styledMembers]);
}

/** How the parts of one name are read. */
interface PartReader<Sent> {
  readonly kindOf: (sent: Sent, kinds: PartKinds) => PartKind;
  readonly read: (sent: Sent, kind: PartKind, part: FormPart, shape: Shape | undefined) => ReadValue;
}

type PartKind = 'file' | 'json' | 'text';

// The fields of an application/x-www-form-urlencoded have no files.
const TEXTS: PartReader<string> = {
  kindOf: (_sent, kinds) => (kinds.has('json') ? 'json' : 'text'),
  read: (sent, kind, _part, shape) => readText(Buffer.from(decodeForm(sent)), kind, shape),
};

function readText(bytes: Buffer, kind: PartKind, shape: Shape | undefined): ReadValue {
  return kind === 'json' ? parseExactJson(bytes, shape) : readScalar(shape, readUtf8(bytes));
}

// Reads what has one name: an array has a part for each item, or a single part with a JSON array.
function readValue<Sent>(
  sent: readonly Sent[],
  part: FormPart,
  shape: Shape | undefined,
  { kindOf, read }: PartReader<Sent>,
): ReadValue {
  const { value, item } = part;
  const [first, another] = sent;
  if (first !== undefined && another === undefined) {
    const kind = kindOf(first, new Set([...(value ?? []), ...(item ?? [])]));
    const isWhole = value !== undefined && (value.has(kind) || item?.has(kind) !== true);
    if (isWhole) return read(first, kind, part, shape);
    const items = kind === 'json' ? read(first, kind, part, shape) : undefined;
    if (items && Array.isArray(items.value)) return items;
  }
  if (!item) throw createTwiceError();
  return readArray(sent.map((one, index) => read(one, kindOf(one, item), part, itemShape(shape, index))));
}

/**
 * In memory (RFC 7578): no temporary files are left behind.
 *
 * @throws Refusal for a part that cannot be read, UnreadableText or JsonError for the whole body
 */
export function parseMultipart({ shape, parts }: BodyMedia, bytes: Buffer, contentType: string): ReadValue {
  const body = shape.properties.get('body');
  const groups = Map.groupBy(readParts(bytes, contentType), ({ name }) => name);
  const members = [...groups].flatMap(([name, sent]) => {
    const part = (parts && findPart(parts, name)) ?? UNDECLARED;
    const chosen = mayBeFile(part) ? sent.filter(isChosen) : sent;
    if (chosen.length === 0) return [];
    return readMember(shape, name, () => readValue(chosen, part, propertyShape(body, name), PARTS));
  });
  return readObject(members);
}

// For an input without a file, browsers send one without a name and bytes (HTML, constructing the entry list).
function isChosen({ fileName, bytes }: SentPart): boolean {
  return fileName !== '' || bytes.length > 0;
}

function mayBeFile({ value, item }: FormPart): boolean {
  return value?.has('file') === true || item?.has('file') === true;
}

const PARTS: PartReader<SentPart> = {
  kindOf: ({ fileName, type }, kinds) => {
    // A file need not have a filename (RFC 7578 section 4.2).
    const isSentAsFile = fileName !== undefined || !(type.startsWith('text/') || isJson({ name: type }));
    if (kinds.has('file') && (kinds.size === 1 || isSentAsFile)) return 'file';
    return kinds.has('json') ? 'json' : 'text';
  },
  read: (sent, kind, { types }, shape) =>
    kind === 'file' ? readFile(sent, types) : readText(toUtf8(sent), kind, shape),
};

function readFile({ fileName = '', type, bytes }: SentPart, types: FormPart['types']): ReadValue {
  const sentType = parseMediaType(type);
  // A rank of 0 is no match.
  if (types.length > 0 && !types.some((allowed) => sentType && rank(allowed, sentType) > 0)) {
    const names = types.map((allowed) => allowed.name).join(' or ');
    throw new UnreadableText('contentType', `must be of the media type ${names}`);
  }
  // The name is a string for the handler, never a path.
  return { value: new File([bytes as Buffer<ArrayBuffer>], fileName, { type }), literals: undefined };
}

interface PartHead {
  readonly name: string;
  /** The last part of the path that was sent, perhaps empty; undefined for what is not a file. */
  readonly fileName: string | undefined;
  /** The media type without its parameters. */
  readonly type: string;
  readonly charset: string | undefined;
}

const FOLD = /\r\n[ \t]/g;
const HEADER = /^([\w!#$%&'*+.^`|~-]+):([\t\P{Cc}]*)$/u;
// RFC 8187 section 3.2.1, in the one charset that each recipient knows.
const EXTENDED = /^utf-8'[^']*'(.*)$/i;
const BYTES = 'application/octet-stream';

/** @throws UnreadableText or JsonError when the bytes are malformed or not UTF-8 */
function readPartHead(bytes: Buffer): PartHead {
  const lines = readUtf8(bytes).replace(FOLD, ' ').split('\r\n');
  const headers = lines.map((line): [name: string, text: string] => {
    const [, name, text] = HEADER.exec(line) ?? [];
    if (name === undefined || text === undefined) throw createMultipartError('the headers of a part are malformed');
    return [name.toLowerCase(), text.trim()];
  });
  const { value, parameters } = readHeader(headers, 'content-disposition', 'none', BROWSER_PAIR);
  const content = readHeader(headers, 'content-type', 'text/plain');
  const name = value === 'form-data' ? parameters.get('name') : undefined;
  if (name === undefined || name === '') throw createMultipartError('a part has no name');
  const fileName = readFileName(parameters) ?? (content.value === BYTES ? '' : undefined);
  return { name, fileName, type: content.value, charset: content.parameters.get('charset') };
}

function readHeader(
  headers: readonly [name: string, text: string][],
  wanted: string,
  fallback: string,
  quotedPair?: RegExp,
): HeaderValue {
  const [text = fallback, another] = headers.filter(([name]) => name === wanted).map(([, sent]) => sent);
  const header = another === undefined ? parseHeaderValue(text, quotedPair) : undefined;
  if (!header) throw createMultipartError(`the ${wanted} of a part is malformed or repeated`);
  return header;
}

function readFileName(parameters: HeaderValue['parameters']): string | undefined {
  const extended = parameters.get('filename*');
  const sent = extended === undefined ? parameters.get('filename') : decodeExtended(extended);
  const last = sent?.replace(/^.*[/\\]/s, '');
  return last === '.' || last === '..' ? '' : last;
}

function decodeExtended(text: string): string {
  const [, encoded] = EXTENDED.exec(text) ?? [];
  const decoded = encoded === undefined ? undefined : tryDecode(encoded);
  if (decoded === undefined) throw createMultipartError('the filename* of a part is not UTF-8 in percent-encoding');
  return decoded;
}

/** The error of bytes that are not a multipart/form-data. */
function createMultipartError(problem: string): UnreadableText {
  return new UnreadableText('multipart', `must be well-formed multipart/form-data: ${problem}`);
}

interface SentPart extends PartHead {
  readonly bytes: Buffer;
}

const MAX_PARTS = 1_000;
const MAX_HEAD_BYTES = 16 * 1024;
// RFC 2046 section 5.1.1. The longer a boundary is, the longer text that is nearly one takes Buffer.indexOf.
const MAX_BOUNDARY_LENGTH = 70;
const LINE_END = '\r\n';
const [SPACE, TAB] = Buffer.from(' \t') as unknown as readonly [number, number];

/** @throws UnreadableText or JsonError when the bytes are malformed, or the head of a part is not UTF-8 */
function readParts(bytes: Buffer, contentType: string): SentPart[] {
  const delimiter = Buffer.from(`${LINE_END}--${readBoundary(contentType)}`, 'latin1');
  const parts: SentPart[] = [];
  // The first delimiter begins the bytes, without its line end, or follows a preamble, which counts for nothing.
  const isFirst = bytes.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2));
  for (let end = isFirst ? -2 : bytes.indexOf(delimiter); ;) {
    if (end === -1) throw createMultipartError('the closing boundary is missing');
    let start = end + delimiter.length;
    // RFC 2046 section 5.1.1: ignore what follows the closing boundary, and white space that follows any other.
    if (bytes.toString('latin1', start, start + 2) === '--') return parts;
    while (bytes[start] === SPACE || bytes[start] === TAB) start++;
    if (bytes.toString('latin1', start, start + 2) !== LINE_END)
      throw createMultipartError('a boundary must be followed by a line break');
    if (parts.length === MAX_PARTS) throw createMultipartError(`it has more than ${String(MAX_PARTS)} parts`);
    const headLength = bytes.subarray(start, start + MAX_HEAD_BYTES).indexOf(LINE_END + LINE_END);
    if (headLength === -1) throw createMultipartError('the headers of a part do not end within 16 kB');
    const head = readPartHead(bytes.subarray(start + 2, start + headLength));
    // The line end of a delimiter may be that of the empty line behind the headers.
    const content = start + headLength + 4;
    end = bytes.indexOf(delimiter, content - 2);
    parts.push({ ...head, bytes: bytes.subarray(content, end) });
  }
}

function readBoundary(contentType: string): string {
  const boundary = parseHeaderValue(contentType)?.parameters.get('boundary') ?? '';
  if (boundary === '' || boundary.length > MAX_BOUNDARY_LENGTH) {
    throw createMultipartError(`the Content-Type needs a boundary of 1 to ${String(MAX_BOUNDARY_LENGTH)} characters`);
  }
  return boundary;
}

/** The bytes of a text, as UTF-8 from the charset that its part names; whether it is well-formed is checked when it is read. */
function toUtf8({ fileName, charset, bytes }: SentPart): Buffer {
  if (fileName !== undefined || charset === undefined || /^utf-?8$/i.test(charset)) return bytes;
  try {
    return Buffer.from(new TextDecoder(charset, { fatal: true }).decode(bytes));
  } catch {
    throw new UnreadableText('charset', 'is not text in its charset, or names a charset that the server does not know');
  }
}
