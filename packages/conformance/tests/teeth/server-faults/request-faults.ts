import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { onError, type Fault } from './fault';
import { sha256 } from '../../../../../generated/contract';
import { loadContract, type Contract } from '../../../../server/src/contract/operation/load-contract';
import type { Document } from '../../../../server/src/contract/schema/document';
import { readOperations } from '../../../../server/src/contract/operation/load-contract';
import { isJsonObject, type JsonObject } from '../../../src/wire/json';
import { edit } from '../contract-mutants/contract-mutant';

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

const PLANT = ['components', 'schemas', 'Plant'];
const NAME = [...PLANT, 'properties', 'name'];
const TAG = [...PLANT, 'properties', 'tag'];
const OWN = ['components', 'schemas', 'NewPlant', 'allOf', '1'];
const ID = [...OWN, 'properties', 'id'];

/** The app enforces another contract than the one it is held to. */
function enforcing(name: string, path: readonly string[], change: (schema: JsonObject) => JsonObject): Fault {
  return { name, parts: { contract: changed(path, change) } };
}

function changed(path: readonly string[], change: (schema: JsonObject) => JsonObject): Contract {
  const contract = loadContract('openapi.yaml', sha256);
  const root = contract.document as unknown as JsonObject;
  const other = edit(root, path, (schema) => change(isJsonObject(schema) ? schema : {})) as unknown as Document;
  return { ...contract, ...readOperations(other) };
}

function with_(more: JsonObject): (schema: JsonObject) => JsonObject {
  return (schema) => ({ ...schema, ...more });
}

function without(...names: readonly string[]): (schema: JsonObject) => JsonObject {
  return (schema) => Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));
}

/** Rewrites members of the body, in text, before anything is checked. */
function rewriting(name: string, from: RegExp, to: string): Fault {
  return { name, body: (body) => Buffer.from(body.toString('latin1').replace(from, to), 'latin1') };
}

/** Bodies that are refused and should not be, and the other way round. */
export const validationFaults: readonly Fault[] = [
  enforcing('U+0000 in a name is let pass', NAME, without('pattern')),
  enforcing('U+0000 in a tag is let pass', TAG, without('pattern')),
  rewriting('unpaired surrogates are let pass', /\\ud[89a-f]../gi, '?'),
  enforcing('an empty name is refused', NAME, with_({ minLength: 1 })),
  enforcing('an empty tag is refused', TAG, with_({ minLength: 1 })),
  enforcing('a name of more than 255 signs is refused', NAME, with_({ maxLength: 255 })),
  enforcing('a tag of more than 255 signs is refused', TAG, with_({ maxLength: 255 })),
  enforcing('astral signs are refused', NAME, with_({ pattern: '^[^\\u0000\\u{10000}-\\u{10ffff}]*$' })),
  enforcing('line breaks are refused', NAME, with_({ pattern: '^[^\\u0000\\n\\r]*$' })),
  enforcing('markup is refused', NAME, with_({ pattern: '^[^\\u0000<>]*$' })),
  enforcing('quotes are refused', NAME, with_({ pattern: '^[^\\u0000\'"]*$' })),
  enforcing('a name may be null', NAME, with_({ nullable: true })),
  enforcing('a tag may be null', TAG, with_({ nullable: true })),
  enforcing('undeclared properties are refused', OWN, with_({ maxProperties: 3 })),
  enforcing('an id is of 32 bits', ID, with_({ format: 'int32' })),
  enforcing('an id is at most 2^53 - 1', ID, with_({ maximum: Number.MAX_SAFE_INTEGER })),
  enforcing('an id is not negative', ID, with_({ minimum: 0 })),
  enforcing('an id is not zero', ID, with_({ minimum: 1 })),
  enforcing('the tag is required', PLANT, with_({ required: ['name', 'tag'] })),
  enforcing('the name is not required', PLANT, without('required')),
  rewriting('a missing id is 0', /^{(?![^]*"id")/, '{"id":0,'),
  rewriting('a missing name is empty', /^{(?![^]*"name")/, '{"name":"",'),
  rewriting('a numeric string is an integer', /"id":"(-?\d+)"/, '"id":$1'),
  rewriting('true is an integer', /"id":true/, '"id":1'),
  rewriting('null is an integer', /"id":null/, '"id":0'),
  rewriting('a fraction is cut', /"id":(-?\d+)\.\d*[1-9]\d*/, '"id":$1'),
  rewriting(
    'what is beyond int64 is brought inside',
    /"id":(?:9223372036854775808|18446744073709551616|1e19)/,
    '"id":1',
  ),
  rewriting('a tag of null is left out', /,"tag":null/, ''),
  rewriting('a number is a name', /"name":(\d+)/, '"name":"$1"'),
  rewriting('an array of one is its item', /"name":\[([^\]]*)\]/, '"name":"$1"'),
  rewriting('names of properties have no case', /"NAME":/, '"name":'),
  rewriting('what __proto__ has counts', /"__proto__":{"name":("[^"]*")}/, '"name":$1'),
  refusing('1.0 is refused', /"id":-?\d+\.0+[,}]/),
  refusing('1e0 is refused', /"id":-?\d+e/i),
  refusing('-0 is refused', /"id":-0[,}]/),
  refusing('escaped names are refused', /\\u00/),
  refusing('members in another order are refused', /^{"id"/),
  refusing('white space is refused', /^\s/),
  refusing('__proto__ is refused', /"__proto__":{"another/),
  refusing('an empty name of a property is refused', /"":/),
  { name: 'the first of two equal names counts', body: firstCounts },
  {
    name: 'equal names are refused',
    body: (body) => (/^{("\w+"):[^]*[,{]\1:/.test(body.toString('latin1')) ? Buffer.from('{}') : body),
  },
  {
    name: 'a body that does not fit is taken as it is',
    reply: onError([40009], () => ({
      status: 200,
      headers: [['Content-Type', 'application/json']],
      body: Buffer.from('{"name":"a"}'),
    })),
  },
];

function refusing(name: string, pattern: RegExp): Fault {
  return { name, body: (body) => (pattern.test(body.toString('latin1')) ? Buffer.from('{}') : body) };
}

function firstCounts(body: Buffer): Buffer {
  const text = body.toString('utf8');
  if (!/^{[^]*"(\w+)":[^]*"\1":/.test(text) || /[{[]/.test(text.slice(1))) return body;
  const first = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(/"(\w+)":("[^"]*"|[^,}]*)/g)) {
    if (!first.has(name)) first.set(name, value);
  }
  return Buffer.from(`{${[...first].map(([name, value]) => `"${name}":${value}`).join(',')}}`);
}
