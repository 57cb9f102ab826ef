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

/** How often, for each of DIALECTS in their order. */
type Counts = readonly [number, number, number, number, number, number];

/** A file of the suite, or the reason of a refusal as json-schema.ts writes it; and the clause that it is about. */
export type Expected = readonly [what: string, counts: Counts, why: string];

/** Files of the suite, by how many of their tests disagree. */
export const EXPECTED_DIFFERENCES: readonly Expected[] = [
  // Of the conformance package.
  ['ref', [6, 0, 0, 6, 6, 6], 'Core 2020-12, 8.2.1: it skips references below an $id, and tells them'],
  // Of the server.
  ['format', [15, 0, 0, 0, 0, 0], 'Validation 2020-12, 7.2.1: formats may be asserted, as docs/contract.md says'],
  ['optional/content', [0, 0, 0, 0, 4, 0], 'Validation draft-07, 8.1: what a text contains need not be checked'],
  ['optional/dependencies-compatibility', [14, 0, 0, 0, 0, 14], 'Validation 2019-09, appendix A: no longer a keyword'],
  ['optional/format/ecmascript-regex', [1, 0, 0, 0, 1, 1], 'Validation 2020-12, 6.3.3: the flag u is a SHOULD'],
  ['optional/format/hostname', [0, 1, 1, 1, 0, 0], 'RFC 5890, 2.3.1: hyphens in these places are those of A-labels'],
  ['optional/format/idn-email', [2, 0, 0, 0, 2, 2], 'an annotation: docs/contract.md'],
  ['optional/format/idn-hostname', [54, 0, 0, 0, 54, 54], 'an annotation: docs/contract.md'],
  ['optional/format/iri', [6, 0, 0, 0, 6, 6], 'an annotation: docs/contract.md'],
  ['optional/format/iri-reference', [2, 0, 0, 0, 2, 2], 'an annotation: docs/contract.md'],
  ['optional/zeroTerminatedFloats', [0, 1, 1, 0, 0, 0], 'Core draft-06, 4.2: 1.0 is an integer in all later drafts'],
];

/** Reasons, by how many schemas are not served for them. */
export const EXPECTED_REFUSALS: readonly Expected[] = [
  [
    '... refers to another file: run contract-kit bundle, which makes one document from several files',
    [31, 6, 6, 11, 11, 17],
    'Core 2020-12, 8.2: $id; a contract is one document',
  ],
  [
    '... is remote, and the kit fetches nothing: bundle it into the contract, for example with npx @redocly/cli bundle',
    [25, 7, 9, 14, 19, 25],
    'Core 2020-12, 8.2: URLs and the metaschema',
  ],
  ['... is not a JSON pointer: write one, such as ...', [5, 1, 1, 1, 1, 4], 'Core 2020-12, 8.2.2: $anchor'],
  [
    'is not supported, because its target depends on the schemas around it: write $ref',
    [3, 0, 0, 0, 0, 7],
    'Core 2020-12, 8.2.3.2: $dynamicRef; Core 2019-09, 8.2.4.2: $recursiveRef',
  ],
  [
    'names a dialect that the kit does not know: write a dialect of JSON Schema, from draft-04 to 2020-12',
    [4, 0, 0, 0, 0, 2],
    'Core 2020-12, 8.1.1: another metaschema',
  ],
  [
    'has had another meaning since 2020-12: declare that dialect',
    [0, 0, 0, 0, 0, 10],
    'Core 2020-12, 10.3.1.3: unevaluatedItems beside contains',
  ],
  [
    'items must be a schema',
    [0, 14, 14, 15, 15, 30],
    'Core 2020-12, 10.3.1.1: a list is prefixItems now; OpenAPI 3.0: MUST be an object',
  ],
  [
    'is not supported: write dependentRequired for names, or dependentSchemas for schemas',
    [0, 0, 5, 7, 7, 0],
    'Validation draft-07, 6.5.7: dependencies',
  ],
  ['the name __proto__ cannot be checked: remove it', [2, 2, 2, 2, 2, 2], 'none: Ajv leaves such a property out'],
  ['OpenAPI 3.0 has no schema keyword additionalItems', [0, 3, 0, 0, 0, 0], 'OpenAPI 3.0, Schema Object'],
  ['OpenAPI 3.0 has no schema keyword dependencies', [0, 5, 0, 0, 0, 0], 'OpenAPI 3.0, Schema Object'],
  ['OpenAPI 3.0 has no schema keyword patternProperties', [0, 12, 0, 0, 0, 0], 'OpenAPI 3.0, Schema Object'],
  ['type must be a type, or a list of types', [0, 9, 0, 0, 0, 0], 'OpenAPI 3.0, Data Types: null is not a type'],
  ['OpenAPI 3.0 has no schema keyword id', [0, 4, 0, 0, 0, 0], 'OpenAPI 3.0, Schema Object'],
  [
    'the default does not match its schema: OpenAPI 3.0 requires that it does',
    [0, 1, 0, 0, 0, 0],
    'OpenAPI 3.0, Schema Object: default MUST conform',
  ],
];
