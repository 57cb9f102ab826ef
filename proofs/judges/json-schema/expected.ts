// Where the kit is known to disagree with the suite, or refuses a schema, and why.

/** How often, for each of DIALECTS in their order. */
type Counts = readonly [number, number, number, number, number, number];

/** A file of the suite, or the reason of a refusal as proofs/judges/json-schema.ts writes it; and the clause that it is about. */
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
    [32, 6, 6, 11, 11, 18],
    'Core 2020-12, 8.2: $id; a contract is one document',
  ],
  [
    '... is remote, and the kit fetches nothing: bundle it into the contract, for example with npx @redocly/cli bundle',
    [25, 7, 9, 14, 19, 25],
    'Core 2020-12, 8.2: URLs and the metaschema',
  ],
  ['... is not a JSON pointer: write one, such as ...', [4, 1, 1, 1, 1, 3], 'Core 2020-12, 8.2.2: $anchor'],
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
  ['OpenAPI 3.0 has no schema keyword patternProperties', [0, 13, 0, 0, 0, 0], 'OpenAPI 3.0, Schema Object'],
  ['OpenAPI 3.0 has no schema keyword id', [0, 4, 0, 0, 0, 0], 'OpenAPI 3.0, Schema Object'],
  [
    'the default does not match its schema: OpenAPI 3.0 requires that it does',
    [0, 1, 0, 0, 0, 0],
    'OpenAPI 3.0, Schema Object: default MUST conform',
  ],
];
