/**
 * What a server is held to. Each level has the findings of those before it.
 *
 * - `contract`: what OpenAPI, JSON Schema and the MUSTs of HTTP say.
 * - `robust`: malformed messages and sizes too, where servers may differ: nothing wrong is accepted, no status is 5xx,
 *   and the server goes on.
 * - `strict`: house rules, which no standard has.
 */
export type Level = (typeof LEVELS)[number];

/**
 * The levels, the mildest first.
 *
 * @example const level = LEVELS.find((one) => one === text) ?? 'contract'
 */
export const LEVELS = ['contract', 'robust', 'strict'] as const;

/** Whether something of level `of`, such as a check, counts when a server is held to `level`. */
export function includes(level: Level, of: Level): boolean {
  return LEVELS.indexOf(of) <= LEVELS.indexOf(level);
}

/**
 * The clauses of standards that let a server accept or refuse a request. The server must still answer it, but below
 * level strict neither a success nor a refusal is a finding.
 */
export const IMPLEMENTATION_DEFINED = {
  'OpenAPI 3.0.3, 3.1.0 Data Types':
    'An integer is a number without a fraction or an exponent, and `1.0` is one for JSON Schema.',
  'OpenAPI 3.0.3, 3.1.0 Schema Object (readOnly)':
    'What is readOnly should not be sent; a server may drop it or refuse it.',
  'OpenAPI 3.0.4, 3.1.1 Discriminator Object':
    'A discriminator does not change which values are valid, nor does validation ask for the schemas that inherit from one.',
  'OpenAPI 3.0.4, 3.1.1 Appendix B':
    'How a number is written in a text is not said: with a plus, leading zeros or white space around it, it may be one.',
  'RFC 3986 3.4': 'Of two equal names in a query a server may take either, or refuse both.',
  'RFC 8259 9': 'A parser may accept extensions, and set limits on the character contents of strings.',
  'RFC 8259 8.2': 'The grammar has surrogates alone.',
  'RFC 9110 2.4': 'A recipient may recover what is meant from what is malformed.',
  'RFC 9110 2.5': 'A server may refuse any major version.',
  'RFC 9110 5.4, 15.5.14': 'How much a server takes is its own to say; 413, 414 and 431 are for what is more.',
  'RFC 9110 8.3': 'Without a type a recipient may look at the data; of several, many take the last.',
  'RFC 9110 8.4': 'A server may decode what is compressed, and refuse any coding.',
} as const;

export type ImplementationDefined = keyof typeof IMPLEMENTATION_DEFINED;
