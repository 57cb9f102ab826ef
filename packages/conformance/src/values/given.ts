// Reads the values that a team gives in a file, `--values`.
import { parse } from 'yaml';
import { isJsonList, isJsonObject, toJson, type Json, type JsonObject, type Wire } from '../wire/json';

/** Values that a team gives where the suite cannot make any. */
export interface Given {
  /** Strings by the name of a format: valid and invalid ones. */
  readonly formats: ReadonlyMap<string, { readonly right: readonly string[]; readonly wrong: readonly string[] }>;
  /** Matching strings by pattern. */
  readonly patterns: ReadonlyMap<string, readonly string[]>;
  /** Valid bodies by media type, as they are sent. */
  readonly mediaTypes: ReadonlyMap<string, readonly string[]>;
  /** Valid values by the JSON pointer of a schema, a parameter, or a Media Type Object. */
  readonly places: ReadonlyMap<string, readonly Json[]>;
}

/** No values. */
export const NOTHING: Given = { formats: new Map(), patterns: new Map(), mediaTypes: new Map(), places: new Map() };

/**
 * Reads a file of values, in YAML or JSON.
 *
 * @throws Error when the file is malformed
 * @example readGiven("formats: { iban: { right: [DE89370400440532013000] } }")
 */
export function readGiven(text: string): Given {
  const root = toJson((parse(text, { intAsBigInt: true }) ?? null) as Wire);
  const parts = requireObject(root, 'the file');
  const unknown = Object.keys(parts).find((name) => !(name in NOTHING));
  if (unknown !== undefined) throw new Error(`${unknown} is none of ${Object.keys(NOTHING).join(', ')}`);
  return {
    formats: readSection(parts, 'formats', (value, at) => {
      const { right = [], wrong = [], ...others } = requireObject(value, at);
      const [odd] = Object.keys(others);
      if (odd !== undefined) throw new Error(`${at}: ${odd} is neither right nor wrong`);
      return { right: requireTexts(right, at), wrong: requireTexts(wrong, at) };
    }),
    patterns: readSection(parts, 'patterns', requireTexts),
    mediaTypes: readSection(parts, 'mediaTypes', requireTexts),
    places: readSection(parts, 'places', requireList),
  };
}

function readSection<T>(
  parts: JsonObject,
  name: keyof Given,
  parseEntry: (value: Json, place: string) => T,
): Map<string, T> {
  const part = requireObject(parts[name] ?? {}, name);
  return new Map(Object.entries(part).map(([key, value]) => [key, parseEntry(value, `${name}: ${key}`)]));
}

function requireObject(value: Json, place: string): JsonObject {
  if (!isJsonObject(value)) throw new Error(`${place} is not an object`);
  return value;
}

function requireList(value: Json, place: string): readonly Json[] {
  if (!isJsonList(value)) throw new Error(`${place} is not a list`);
  return value;
}

function requireTexts(value: Json, place: string): readonly string[] {
  return requireList(value, place).map((text) => {
    if (typeof text !== 'string') throw new Error(`${place} has something that is not a text`);
    return text;
  });
}
