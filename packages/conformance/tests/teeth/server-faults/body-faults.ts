import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import type { Fault } from './fault';

const JSON_TYPE = 'application/json';

function reading(name: string, change: (text: string) => string): Fault {
  return { name, body: (body) => Buffer.from(change(body.toString('latin1')), 'latin1') };
}

function typed(name: string, isAccepted: (type: string) => boolean): Fault {
  return {
    name,
    head: ({ headers }) => {
      if (isAccepted(headers['content-type'] ?? '')) headers['content-type'] = JSON_TYPE;
      return true;
    },
  };
}

/** Bodies that are read in another way than they are written. */
export const bodyFaults: readonly Fault[] = [
  reading('comments are read', (text) => text.replace(/\/\*.*?\*\//g, '').replace(/\/\/ $/, '')),
  reading('a comma at the end is read', (text) => text.replace(/,([}\]])$/, '$1')),
  reading('single quotes are read', (text) => (text.startsWith("{'") ? text.replaceAll("'", '"') : text)),
  reading('text behind the value is ignored', (text) => text.replace(/}x$/, '}')),
  reading('a second value is ignored', (text) => text.replace(/^({[^{}]*}){[^{}]*}$/, '$1')),
  reading('a closing bracket too many is ignored', (text) => text.replace(/}}$/, '}')),
  reading('a missing bracket is added', (text) => (/^{[^}]*$/.test(text) ? `${text}}` : text)),
  reading('a no-break space is white space', (text) => text.replace(/\xc2\xa0$/, '')),
  reading('names without quotes are read', (text) => text.replace(/([{,])(\w+):/g, '$1"$2":')),
  reading('NaN is read', (text) => text.replace(':NaN', ':null')),
  reading('Infinity is read', (text) => text.replace(':-Infinity', ':null')),
  reading('undefined is read', (text) => text.replace(':undefined', ':null')),
  reading('True is read', (text) => text.replace(':True', ':true')),
  reading('leading zeros are read', (text) => text.replace(':01}', ':1}')),
  reading('a plus sign is read', (text) => text.replace(':+1', ':1')),
  reading('hexadecimal is read', (text) => text.replace(':0x1', ':1')),
  reading('a number without a whole part is read', (text) => text.replace(':.5', ':0.5')),
  reading('a number that ends in a point is read', (text) => text.replace(':1.}', ':1}')),
  reading('an exponent without digits is read', (text) => text.replace(':1e}', ':1}')),
  reading('underscores in numbers are read', (text) => text.replace(':1_0', ':10')),
  reading('bigint literals are read', (text) => text.replace(':1n', ':1')),
  reading('controls in strings are read', (text) => text.replace('"\u0001"', '""')),
  reading('line breaks in strings are read', (text) => text.replace('"\n"', '""')),
  reading('unknown escapes are read', (text) => text.replace('\\x41', 'A')),
  reading('escapes cut short are read', (text) => text.replace('"\\u00"', '""')),
  reading('a byte order mark is skipped', (text) => text.replace(/^\xef\xbb\xbf/, '')),
  reading('a NUL at the end is skipped', (text) => text.replace(/\0$/, '')),
  { name: 'UTF-16 is read', body: (body) => (body[1] === 0 ? Buffer.from(body.toString('utf16le')) : body) },
  { name: 'invalid UTF-8 is read as well as it can be', body: (body) => Buffer.from(body.toString('utf8')) },
  {
    name: 'what is not UTF-8 is read as Latin-1',
    body: (body) => (isUtf8(body) ? body : Buffer.from(body.toString('latin1'))),
  },
  {
    name: 'nonsense is taken for a plant',
    body: (body) => (isJson(body) ? body : Buffer.from('{"id":1,"name":"a"}')),
  },
  { name: 'gzip is read', head: unzipped, body: (body) => (body[0] === 0x1f ? gunzipSync(body) : body) },
  {
    name: 'the coding is ignored',
    head: ({ headers }) => {
      delete headers['content-encoding'];
      return true;
    },
  },
  typed('any media type is read', () => true),
  typed('text/plain is read', (type) => type === 'text/plain'),
  typed('a form is read as JSON', (type) => type.includes('form')),
  typed('every type of +json or the like is read', (type) => type.startsWith(JSON_TYPE)),
  typed('a missing media type is read', (type) => type === ''),
  typed('the charset is ignored', (type) => /^application\/json *; *charset=[\w-]+$/i.test(type)),
  typed('iso-8859-1 is read', (type) => type.endsWith('iso-8859-1')),
  typed('two media types are read', (type) => type.includes(',')),
  {
    name: 'the media type has a case',
    head: ({ headers }) => {
      if (headers['content-type'] === JSON_TYPE.toUpperCase()) headers['content-type'] = 'x/y';
      return true;
    },
  },
  {
    name: 'a media type with a parameter is refused',
    head: ({ headers }) => {
      if (headers['content-type']?.includes(';') === true) headers['content-type'] = 'x/y';
      return true;
    },
  },
  {
    name: 'chunks are refused',
    head: ({ headers }) => {
      if (headers['transfer-encoding'] !== undefined) headers['content-type'] = 'x/y';
      return true;
    },
  },
  { name: 'a body may be twice as large', parts: { bodyLimit: 2 * 1024 ** 2 } },
  { name: 'a body may be one byte larger', parts: { bodyLimit: 1024 ** 2 + 1 } },
  { name: 'a body may be one byte less', parts: { bodyLimit: 1024 ** 2 - 1 } },
  {
    name: 'what is beyond 64 KiB is ignored',
    body: (body) => (body.length > 65_536 && isJson(body) ? body.subarray(0, 100) : body),
  },
];

function unzipped({ headers }: { headers: NodeJS.Dict<string | string[]> }): boolean {
  if (headers['content-encoding'] === 'gzip') delete headers['content-encoding'];
  return true;
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
