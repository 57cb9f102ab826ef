import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { sha256 } from '@contract-kit/test-support/plants/generated/contract';
import { loadContract, readOperations, type Document } from '@contract-kit/contract';
import { isJsonObject, omit, type JsonObject } from '../../../src/wire/json';
import { edit } from '../contract-mutants/contract-mutant';
import { atLevel, ofError, ofHead, ofText, success, type Fault } from './fault';

const JSON_TYPE = 'application/json';

/** Bodies that are read in another way than they are written. */
export const bodyFaults: readonly Fault[] = [
  ofText('a closing bracket too many is ignored', (text) => text.replace(/}}$/, '}')),
  {
    name: 'nonsense is taken for a plant',
    body: (body) => (isJson(body) ? body : Buffer.from('{"id":1,"name":"a"}')),
  },
  ofHead('the media type has a case', ({ headers }) => {
    if (headers['content-type'] === JSON_TYPE.toUpperCase()) headers['content-type'] = 'x/y';
  }),
  ofHead('a media type with a parameter is refused', ({ headers }) => {
    if (headers['content-type']?.includes(';') === true) headers['content-type'] = 'x/y';
  }),
  ofHead('chunks are refused', ({ headers }) => {
    if (headers['transfer-encoding'] !== undefined) headers['content-type'] = 'x/y';
  }),
  // Malformed messages and other media types: what a server may read in its way, and is not to accept.
  ...atLevel('robust', [
    ofText('text behind the value is ignored', (text) => text.replace(/}x$/, '}')),
    ofText('a second value is ignored', (text) => text.replace(/^({[^{}]*}){[^{}]*}$/, '$1')),
    ofText('a missing bracket is added', (text) => (/^{[^}]*$/.test(text) ? `${text}}` : text)),
    ofText('an exponent without digits is read', (text) => text.replace(':1e}', ':1}')),
    ofText('escapes cut short are read', (text) => text.replace('"\\u00"', '""')),
    ofText('a NUL at the end is skipped', (text) => text.replace(/\0$/, '')),
    { name: 'UTF-16 is read', body: (body) => (body[1] === 0 ? Buffer.from(body.toString('utf16le')) : body) },
    { name: 'invalid UTF-8 is read as well as it can be', body: (body) => Buffer.from(body.toString('utf8')) },
    {
      name: 'what is not UTF-8 is read as Latin-1',
      body: (body) => (isUtf8(body) ? body : Buffer.from(body.toString('latin1'))),
    },
    { ...ofHead('gzip is read', unzip), body: (body) => (body[0] === 0x1f ? gunzipSync(body) : body) },
    ofHead('the coding is ignored', ({ headers }) => {
      delete headers['content-encoding'];
    }),
    ofType('any media type is read', () => true),
    ofType('text/plain is read', (type) => type === 'text/plain'),
    ofType('a form is read as JSON', (type) => type.includes('form')),
    ofType('every type of +json or the like is read', (type) => type.startsWith(JSON_TYPE)),
  ]),
];

/** A media type that is taken for JSON. */
function ofType(name: string, isAccepted: (type: string) => boolean): Fault {
  return ofHead(name, ({ headers }) => {
    if (isAccepted(headers['content-type'] ?? '')) headers['content-type'] = JSON_TYPE;
  });
}

function unzip({ headers }: IncomingMessage): void {
  if (headers['content-encoding'] === 'gzip') delete headers['content-encoding'];
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

const CONTRACT = loadContract('packages/test-support/plants/openapi.yaml', sha256);
const PLANT = ['components', 'schemas', 'Plant'];
const NAME = [...PLANT, 'properties', 'name'];
const TAG = [...PLANT, 'properties', 'tag'];
const OWN = ['components', 'schemas', 'NewPlant', 'allOf', '1'];
const ID = [...OWN, 'properties', 'id'];

/** Bodies that are refused and should not be, and the other way round. */
export const validationFaults: readonly Fault[] = [
  enforcing('U+0000 in a name is let pass', NAME, (schema) => omit(schema, 'pattern')),
  enforcing('U+0000 in a tag is let pass', TAG, (schema) => omit(schema, 'pattern')),
  enforcing('an empty name is refused', NAME, { minLength: 1 }),
  enforcing('an empty tag is refused', TAG, { minLength: 1 }),
  enforcing('a name of more than 255 signs is refused', NAME, { maxLength: 255 }),
  enforcing('a tag of more than 255 signs is refused', TAG, { maxLength: 255 }),
  enforcing('astral signs are refused', NAME, { pattern: '^[^\\u0000\\u{10000}-\\u{10ffff}]*$' }),
  enforcing('line breaks are refused', NAME, { pattern: '^[^\\u0000\\n\\r]*$' }),
  enforcing('markup is refused', NAME, { pattern: '^[^\\u0000<>]*$' }),
  enforcing('quotes are refused', NAME, { pattern: '^[^\\u0000\'"]*$' }),
  enforcing('a name may be null', NAME, { nullable: true }),
  enforcing('a tag may be null', TAG, { nullable: true }),
  enforcing('undeclared properties are refused', OWN, { maxProperties: 3 }),
  enforcing('an id is of 32 bits', ID, { format: 'int32' }),
  enforcing('an id is at most 2^53 - 1', ID, { maximum: Number.MAX_SAFE_INTEGER }),
  enforcing('an id is not negative', ID, { minimum: 0 }),
  enforcing('an id is not zero', ID, { minimum: 1 }),
  enforcing('the tag is required', PLANT, { required: ['name', 'tag'] }),
  enforcing('the name is not required', PLANT, (schema) => omit(schema, 'required')),
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
  refusing('-0 is refused', /"id":-0[,}]/),
  refusing('escaped names are refused', /\\u00/),
  refusing('members in another order are refused', /^{"id"/),
  refusing('white space is refused', /^\s/),
  refusing('an empty name of a property is refused', /"":/),
  ofError('a body that does not fit is taken as it is', [40009], success('{"name":"a"}')),
];

/** The app enforces another contract than the one it is held to. @param change what is added to a schema, or becomes of it */
function enforcing(
  name: string,
  path: readonly string[],
  change: JsonObject | ((schema: JsonObject) => JsonObject),
): Fault {
  const other = edit(CONTRACT.document as unknown as JsonObject, path, (value) => {
    const schema = isJsonObject(value) ? value : {};
    return typeof change === 'function' ? change(schema) : { ...schema, ...change };
  });
  return { name, parts: { contract: { ...CONTRACT, ...readOperations(other as unknown as Document) } } };
}

/** Rewrites members of the body before anything is checked. */
function rewriting(name: string, from: RegExp, to: string): Fault {
  return ofText(name, (text) => text.replace(from, to));
}

function refusing(name: string, pattern: RegExp): Fault {
  return ofText(name, (text) => (pattern.test(text) ? '{}' : text));
}
