// Reads the `--fixtures` file, in which a team provides values.
import { parse } from 'yaml';
import { isJsonList, isJsonObject, toJson, type Json, type JsonObject, type Wire } from '../wire/json';

/** Values that a team provides where the suite cannot make any. */
export interface Fixtures {
  /** Valid and invalid strings, keyed by format. */
  readonly formats: ReadonlyMap<string, { readonly right: readonly string[]; readonly wrong: readonly string[] }>;
  /** Matching strings, keyed by pattern. */
  readonly patterns: ReadonlyMap<string, readonly string[]>;
  /** Valid bodies, exactly as sent, keyed by media type. */
  readonly mediaTypes: ReadonlyMap<string, readonly string[]>;
  /** Valid values, keyed by JSON pointer to a schema, parameter or Media Type Object. Cases send the first one. */
  readonly places: ReadonlyMap<string, readonly Json[]>;
}

export const NO_FIXTURES: Fixtures = {
  formats: new Map(),
  patterns: new Map(),
  mediaTypes: new Map(),
  places: new Map(),
};

/**
 * Parses fixtures from YAML or JSON. The keys of `places` are JSON pointers into the contract.
 *
 * @throws Error when the file is malformed
 * @example parseFixtures("formats: { iban: { right: [DE89370400440532013000] } }")
 */
export function parseFixtures(text: string): Fixtures {
  const root = toJson((parse(text, { intAsBigInt: true }) ?? null) as Wire);
  const sections = requireObject(root, 'the file');
  const unknownSection = Object.keys(sections).find((name) => !(name in NO_FIXTURES));
  if (unknownSection !== undefined)
    throw new Error(`unknown kind of fixture ${unknownSection}: the kinds are ${Object.keys(NO_FIXTURES).join(', ')}`);
  return {
    formats: readSection(sections, 'formats', readFormatEntry),
    patterns: readSection(sections, 'patterns', requireStrings),
    mediaTypes: readSection(sections, 'mediaTypes', requireStrings),
    places: readSection(sections, 'places', requireList),
  };
}

// Error messages contain the `location` in the file, such as `formats: iban`.
function readSection<T>(
  sections: JsonObject,
  name: keyof Fixtures,
  parseEntry: (value: Json, location: string) => T,
): Map<string, T> {
  const section = requireObject(sections[name] ?? {}, name);
  return new Map(Object.entries(section).map(([key, value]) => [key, parseEntry(value, `${name}: ${key}`)]));
}

function readFormatEntry(
  value: Json,
  location: string,
): { readonly right: readonly string[]; readonly wrong: readonly string[] } {
  const { right = [], wrong = [], ...unknownKeys } = requireObject(value, location);
  const [unknownKey] = Object.keys(unknownKeys);
  if (unknownKey !== undefined) throw new Error(`${location}: the only keys are right and wrong, not ${unknownKey}`);
  return { right: requireStrings(right, location), wrong: requireStrings(wrong, location) };
}

function requireObject(value: Json, location: string): JsonObject {
  if (!isJsonObject(value)) throw new Error(`${location} must be an object`);
  return value;
}

function requireList(value: Json, location: string): readonly Json[] {
  if (!isJsonList(value)) throw new Error(`${location} must be a list`);
  return value;
}

function requireStrings(value: Json, location: string): readonly string[] {
  return requireList(value, location).map((item) => {
    if (typeof item !== 'string') throw new Error(`${location} must have only strings`);
    return item;
  });
}
