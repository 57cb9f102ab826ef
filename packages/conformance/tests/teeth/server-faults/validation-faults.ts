import { sha256 } from '../../../../../generated/contract';
import { loadContract, type Contract } from '../../../../server/src/contract/operation/load-contract';
import type { Document } from '../../../../server/src/contract/document/document';
import { readOperations } from '../../../../server/src/contract/operation/read-operations';
import { isJsonObject, type JsonObject } from '../../../src/wire/json';
import { edit } from '../contract-mutants/edit';
import { onError } from './change-reply';
import type { Fault } from './fault';

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
