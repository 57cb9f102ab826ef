import { BROWSER_PAIR, parseHeaderValue, readUtf8, tryDecode, type HeaderValue } from '@contract-kit/contract';
import { UnreadableText } from './read-value';

export interface PartHead {
  readonly name: string;
  /** The sent name without its directories, possibly empty; undefined if the part is not a file. */
  readonly fileName: string | undefined;
  readonly type: string;
  readonly charset: string | undefined;
}

export interface PartListener {
  readonly begin: (head: PartHead, headBytes: number) => void;
  /** Called with further bytes of the current part. */
  readonly add: (bytes: Buffer) => void;
}

export interface MultipartReader {
  /** @throws UnreadableText or JsonError when the bytes are malformed, or the head of a part is not UTF-8 */
  readonly read: (bytes: Buffer) => void;
  /** @throws UnreadableText when the closing boundary is missing */
  readonly end: () => void;
}

const MAX_PARTS = 1_000;
const MAX_HEAD_BYTES = 16 * 1024;
// The limit in RFC 2046 section 5.1.1. With a longer boundary, Buffer.indexOf would take longer for text that almost matches.
const MAX_BOUNDARY_LENGTH = 70;
const LINE_END = '\r\n';
const HEAD_END = LINE_END + LINE_END;
const PADDING = Buffer.from(' \t');
const NO_LINE_BREAK = 'a boundary must be followed by a line break';

/** Parses a multipart/form-data body as it arrives. @throws UnreadableText when the Content-Type has no valid boundary */
export function createMultipartReader(contentType: string, { begin, add }: PartListener): MultipartReader {
  const delimiter = Buffer.from(`${LINE_END}--${readBoundary(contentType)}`, 'latin1');
  // The bytes that are not parsed yet, after a line end for the first delimiter, since every delimiter begins with a line end.
  let unparsed: Buffer = Buffer.from(LINE_END);
  let step: () => boolean = skipPreamble;
  let partCount = 0;
  const pendingChunks: Buffer[] = [];
  // The number of bytes in `unparsed` that belong to the empty line after the headers. They can also be the start of a delimiter.
  let headEndBytes = 0;

  // Each step consumes bytes from `unparsed`, and returns false if it needs more.

  function skipPreamble(): boolean {
    return skipTo(readDelimiterEnd, () => undefined);
  }

  function readDelimiterEnd(): boolean {
    if (unparsed.length < LINE_END.length) return false;
    step = unparsed.toString('latin1', 0, LINE_END.length) === '--' ? ignoreEpilogue : skipPadding;
    return true;
  }

  // RFC 2046 section 5.1.1: white space may follow a boundary.
  function skipPadding(): boolean {
    const padding = unparsed.findIndex((byte) => !PADDING.includes(byte));
    unparsed = unparsed.subarray(padding === -1 ? unparsed.length : padding);
    if (unparsed.length < LINE_END.length) return false;
    if (unparsed.toString('latin1', 0, LINE_END.length) !== LINE_END) throw createMultipartError(NO_LINE_BREAK);
    step = readHead;
    return true;
  }

  function readHead(): boolean {
    const headLength = unparsed.subarray(0, MAX_HEAD_BYTES).indexOf(HEAD_END);
    if (headLength === -1 && unparsed.length < MAX_HEAD_BYTES) return false;
    if (partCount === MAX_PARTS) throw createMultipartError(`it has more than ${String(MAX_PARTS)} parts`);
    if (headLength === -1) throw createMultipartError('the headers of a part do not end within 16 kB');
    partCount += 1;
    begin(readPartHead(unparsed.subarray(LINE_END.length, Math.max(LINE_END.length, headLength))), headLength);
    unparsed = unparsed.subarray(headLength + LINE_END.length);
    headEndBytes = LINE_END.length;
    step = readContent;
    return true;
  }

  function readContent(): boolean {
    return skipTo(readDelimiterEnd, (end) => {
      if (end > headEndBytes) add(unparsed.subarray(headEndBytes, end));
      headEndBytes = Math.max(0, headEndBytes - end);
    });
  }

  // RFC 2046 section 5.1.1: anything after the closing boundary is ignored.
  function ignoreEpilogue(): boolean {
    unparsed = Buffer.alloc(0);
    return false;
  }

  // Consumes the bytes up to the next delimiter. If there is none yet, leaves the bytes that could be its start.
  function skipTo(next: () => boolean, take: (end: number) => void): boolean {
    const index = unparsed.indexOf(delimiter);
    const end = index === -1 ? Math.max(0, unparsed.length - delimiter.length + 1) : index;
    take(end);
    unparsed = unparsed.subarray(index === -1 ? end : end + delimiter.length);
    if (index !== -1) step = next;
    return index !== -1;
  }

  function read(bytes: Buffer): void {
    pendingChunks.push(bytes);
    // Collect small chunks, since copying and searching `unparsed` for each byte would be slow.
    if (bytes.length > 0 && bytes.length * pendingChunks.length <= unparsed.length / 32) return;
    unparsed = Buffer.concat([unparsed, ...pendingChunks.splice(0)]);
    while (step());
  }

  return {
    read,
    end: () => {
      read(Buffer.alloc(0));
      if (step === readDelimiterEnd || step === skipPadding) throw createMultipartError(NO_LINE_BREAK);
      if (step === readHead) throw createMultipartError('the headers of a part do not end within 16 kB');
      if (step !== ignoreEpilogue) throw createMultipartError('the closing boundary is missing');
    },
  };
}

function readBoundary(contentType: string): string {
  const boundary = parseHeaderValue(contentType)?.parameters.get('boundary') ?? '';
  if (boundary === '' || boundary.length > MAX_BOUNDARY_LENGTH) {
    throw createMultipartError(`the Content-Type needs a boundary of 1 to ${String(MAX_BOUNDARY_LENGTH)} characters`);
  }
  return boundary;
}

const FOLD = /\r\n[ \t]/g;
const HEADER = /^([\w!#$%&'*+.^`|~-]+):([\t\P{Cc}]*)$/u;
// An extended value (RFC 8187 section 3.2.1), in the only charset that every recipient must support.
const EXTENDED_VALUE = /^utf-8'[^']*'(.*)$/i;
const BINARY_TYPE = 'application/octet-stream';

function readPartHead(bytes: Buffer): PartHead {
  const lines = readUtf8(bytes).replace(FOLD, ' ').split('\r\n');
  const headers = lines.map((line): [name: string, text: string] => {
    const [, name, text] = HEADER.exec(line) ?? [];
    if (name === undefined || text === undefined) throw createMultipartError('the headers of a part are malformed');
    return [name.toLowerCase(), text.trim()];
  });
  const { value, parameters } = readHeader(headers, 'content-disposition', 'none', BROWSER_PAIR);
  const content = readHeader(headers, 'content-type', 'text/plain');
  const name = value === 'form-data' ? unescapeName(parameters.get('name')) : '';
  if (name === '') throw createMultipartError('a part has no name');
  const fileName = readFileName(parameters) ?? (content.value === BINARY_TYPE ? '' : undefined);
  const type = content.value + content.text.slice(content.value.length);
  return { name, fileName, type, charset: content.parameters.get('charset') };
}

function readHeader(
  headers: readonly [name: string, text: string][],
  headerName: string,
  fallback: string,
  quotedPair?: RegExp,
): HeaderValue & { readonly text: string } {
  const [text = fallback, duplicate] = headers.filter(([name]) => name === headerName).map(([, sent]) => sent);
  const header = duplicate === undefined ? parseHeaderValue(text, quotedPair) : undefined;
  if (!header) throw createMultipartError(`the ${headerName} of a part is malformed or repeated`);
  return { ...header, text };
}

// Undoes the escapes that browsers use in names (HTML, multipart form data), and no others.
function unescapeName(text = ''): string {
  return text.replace(/%0A|%0D|%22/gi, decodeURIComponent);
}

function readFileName(parameters: HeaderValue['parameters']): string | undefined {
  const extendedName = parameters.get('filename*');
  const plainName = parameters.get('filename');
  const decodedName = extendedName === undefined ? plainName && unescapeName(plainName) : decodeExtended(extendedName);
  const fileName = decodedName?.replace(/^.*[/\\]/s, '');
  return fileName === '.' || fileName === '..' ? '' : fileName;
}

function decodeExtended(text: string): string {
  const [, encoded] = EXTENDED_VALUE.exec(text) ?? [];
  const decoded = encoded === undefined ? undefined : tryDecode(encoded);
  if (decoded === undefined) throw createMultipartError('the filename* of a part is not UTF-8 in percent-encoding');
  return decoded;
}

function createMultipartError(problem: string): UnreadableText {
  return new UnreadableText('multipart', `must be well-formed multipart/form-data: ${problem}`);
}
