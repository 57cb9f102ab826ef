// Where the kit differs from the data of others on purpose, by judge.
import type { Exception } from './judge';

const JSON_TEXT = (...names: readonly string[]): string[] => names.map((name) => JSON.stringify(name));
const signatures = (...names: readonly string[]): string[] => names.map((name) => `signature ${name}`);

export const EXCEPTIONS: Readonly<Record<string, readonly Exception[]>> = {
  fixtures: [
    {
      why: 'the path parameter and the security scheme of it are not declared: it is of structure only',
      found: 'refused',
      tests: ['3.1/pass/operation-object-example.yaml', '3.2/pass/operation-object-example.yaml'],
    },
    {
      why: 'not served yet: streams of items',
      found: 'refused',
      tests: ['3.2/pass/media-type-examples.yaml'],
    },
    {
      why: 'Redocly tells it of the list of servers',
      found: 'not told at its place',
      tests: ['3.1/fail/server_enum_empty.yaml', '3.2/fail/server_enum_empty.yaml'],
    },
  ],
  'openapi-3.2': [
    {
      why: 'the parts of a multipart request are read by name, and not by position',
      found: 'not served',
      tests: ['POST /albums', 'POST /photos'],
    },
  ],
  signatures: [
    {
      why: 'HMAC is not supported: whoever can verify it can sign',
      found: 'invalid',
      tests: [
        ...signatures('1 acceptsValid', '348 Figure35', '352 Figure35', '357 ValidMac'),
        ...signatures('358 ValidEdgeCaseMac', '359 ValidEdgeCaseMac', '372 InvalidCharacterInsertedInHeader'),
        ...signatures('373 InvalidCharacterInsertedInPayload', '376 ValidSpacesInJsonHeader'),
        ...signatures('377 ValidWhiteSpaceInJsonHeader'),
        ...['key 2 acceptsValid', 'key 13 long_key', 'key 14 long_key', 'key 15 long_key'],
      ],
    },
    {
      why: 'RFC 7519, 7.2: an empty payload has no claims',
      found: 'invalid',
      tests: signatures(...['259', '264', '268', '272', '320', '325'].map((id) => `${id} emptyPayload`)),
    },
    {
      why: 'RFC 7517, 4.4: their keys name other algorithms, PS256 and ES521, than they do, PS384 and ES512',
      found: 'invalid',
      tests: signatures('346 Figure20', '347 Figure27', '350 Figure20', '351 Figure27'),
    },
    {
      why: 'jose does not look for the weak primes of a broken generator',
      found: 'valid',
      tests: ['key 7 rejectsKeyWithRocaVulnerability'],
    },
  ],
  'media-types': [
    {
      why: 'RFC 9110, 8.3: nobody can tell which of two charsets is meant',
      found: 'refused',
      tests: JSON_TEXT(
        'text/html;charset=gbk;charset=windows-1255',
        "text/html;charset=';charset=GBK",
        'text/html;charset="";charset=GBK',
      ),
    },
    {
      why: 'RFC 8259, 11: the media type of JSON is application/json',
      found: 'not JSON',
      tests: ['text/json, JSON', 'text/json;x=x, JSON'],
    },
  ],
  forms: [
    {
      why: 'a browser repairs what is not percent-encoded UTF-8, and a service refuses it',
      found: '400',
      tests: JSON_TEXT(
        ...['%FE%FF', '%FF%FE', '%C2', '%C2x', '_charset_=windows-1252&test=%C2x', '%=a', '%a=a', '%a_=a'],
        ...['id=0&value=%', 'b=%2sf%2a', 'b=%2%2af%2a', 'b=%%2a'],
      ),
    },
  ],
  templates: [
    {
      why: 'RFC 6570, 2.2: the grammar has these operators, and reserves them',
      found: 'accepted by request, reply, suite',
      tests: ['{!hello}', '{=path}', '{|var*}'],
    },
    {
      why: 'RFC 6570, 2.4.1: it depends on the value of the variable, which a syntax does not have',
      found: 'accepted by request, reply, suite',
      tests: ['{keys:1}', '{+keys:1}'],
    },
  ],
};
