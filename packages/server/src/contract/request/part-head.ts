// Reads the headers of a part of a multipart/form-data (RFC 7578 section 4).
import { isUtf8 } from 'node:buffer';
import { Refusal } from '../refusal/refusal';
import { tryDecode } from '../text/form-pairs';
import { parseHeaderValue, type HeaderValue } from '../text/header-value';

export interface PartHead {
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

/** @throws Refusal when the bytes are malformed or not UTF-8 */
export function readPartHead(bytes: Buffer): PartHead {
  if (!isUtf8(bytes)) throw new Refusal('INVALID_UTF8');
  const lines = bytes.toString('utf8').replace(FOLD, ' ').split('\r\n');
  const headers = lines.map((line): [name: string, text: string] => {
    const [, name, text] = HEADER.exec(line) ?? [];
    if (name === undefined || text === undefined) throw refuseMultipart('the headers of a part are malformed');
    return [name.toLowerCase(), text.trim()];
  });
  const { value, parameters } = readHeader(headers, 'content-disposition', 'none');
  const content = readHeader(headers, 'content-type', 'text/plain');
  const name = value === 'form-data' ? parameters.get('name') : undefined;
  if (name === undefined || name === '') throw refuseMultipart('a part has no name');
  const fileName = readFileName(parameters) ?? (content.value === BYTES ? '' : undefined);
  return { name, fileName, type: content.value, charset: content.parameters.get('charset') };
}

function readHeader(headers: readonly [name: string, text: string][], wanted: string, fallback: string): HeaderValue {
  const [text = fallback, another] = headers.filter(([name]) => name === wanted).map(([, sent]) => sent);
  const header = another === undefined ? parseHeaderValue(text) : undefined;
  if (!header) throw refuseMultipart(`the ${wanted} of a part is malformed, or there twice`);
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
  if (decoded === undefined) throw refuseMultipart('the filename* of a part is not UTF-8 in percent-encoding');
  return decoded;
}

/** The refusal of bytes that are not a multipart/form-data. */
export function refuseMultipart(problem: string): Refusal {
  return new Refusal('INVALID_BODY', `request/body is no multipart/form-data: ${problem}`, { rule: 'multipart' });
}
