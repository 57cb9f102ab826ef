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
