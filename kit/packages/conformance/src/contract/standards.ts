/**
 * How strictly a server is checked. Each level includes the checks of the levels before it.
 *
 * - `contract`: what OpenAPI and JSON Schema require, and every MUST in HTTP.
 * - `robust`: also every SHOULD in HTTP, and common expectations, such as that paging loses no items. Also sends
 *   malformed messages: a server may refuse them in any way, but must not accept them, send a 5xx or crash.
 */
export type Level = (typeof LEVELS)[number];

/**
 * The levels, from the most lenient to the strictest.
 *
 * @example const level = LEVELS.find((name) => name === text) ?? 'contract'
 */
export const LEVELS = ['contract', 'robust'] as const;

/** Whether `level` includes checks that count from `lowestLevel` on. */
export function includes(level: Level, lowestLevel: Level): boolean {
  return LEVELS.indexOf(lowestLevel) <= LEVELS.indexOf(level);
}

/** Clauses that let a server either accept or refuse a request, so that neither is a finding. */
export const IMPLEMENTATION_DEFINED = {
  'OpenAPI 3.0.4, 3.1.1 Discriminator Object':
    'A discriminator does not change which values are valid, and validation ignores the schemas that inherit from the one with it.',
  'RFC 3986 2.1': 'A server need not decode what a percent sign in a target begins, nor read it as UTF-8.',
  'RFC 8259 6': 'An implementation may limit the range and precision of numbers.',
  'RFC 7464 2.1': 'A reader of a JSON text sequence may skip a malformed text, and go on behind it.',
  'RFC 8259 9': 'A JSON parser may accept extensions, and may limit the characters in strings.',
  'RFC 9110 2.4': 'A server may recover a usable meaning from a malformed message.',
  'RFC 9110 8.3': 'A server may inspect the body if Content-Type is missing; if there are several, many take the last.',
  'RFC 9110 8.4': 'A server may decode a compressed body, or refuse any coding.',
} as const;

export type ImplementationDefined = keyof typeof IMPLEMENTATION_DEFINED;
