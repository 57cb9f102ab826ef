// Compares the names of parameters, properties and paths, to find which of them mean the same id.
import { extendPointer } from '../contract/pointer';
import type { Schema } from '../contract/schema';
import { normalizeName } from '../contract/paging';

/** The singular name of a collection's items, from its last segment without a parameter: `book` for `/books`. */
export function nounOf(collection: string): string {
  return toSingular(normalizeName(collection.split('/').findLast((part) => part !== '' && !part.includes('{')) ?? ''));
}

/**
 * Finds the property of a body that holds the id: in the object itself, or else in an envelope (an object around it),
 * such as `{ "data": { "id": 1 } }`.
 *
 * @param propertiesIn the properties of a schema: those of requests, or those of replies
 * @returns JSON pointers such as `#/id` or `#/data/id`
 */
export function findIdPointers(
  schema: Schema,
  propertiesIn: (schema: Schema) => Map<string, Schema>,
  idParameter: string,
  noun: string,
): string[] {
  const properties = propertiesIn(schema);
  const ownName = findIdName([...properties.keys()], idParameter, noun);
  if (ownName !== undefined) return [extendPointer('#', ownName)];
  return [...properties].flatMap(([outerName, inner]) => {
    const innerName = findIdName([...propertiesIn(inner).keys()], idParameter, noun);
    const isEnvelope = properties.size === 1 || ['data', 'result', noun].includes(normalizeName(outerName));
    return innerName !== undefined && isEnvelope ? [extendPointer('#', outerName, innerName)] : [];
  });
}

/** The property name that means the same as a path parameter with an id; `noun` is `book` for `/books/{id}`. */
export function findIdName(names: readonly string[], idParameter: string, noun: string): string | undefined {
  const wanted = normalizeName(idParameter);
  return (
    names.find((name) => name === idParameter) ??
    // `book_id` for `{bookId}`.
    names.find((name) => normalizeName(name) === wanted) ??
    // `id` for `{bookId}`.
    names.find((name) => wanted.endsWith(` ${normalizeName(name)}`)) ??
    // `bookId` for `{id}`.
    names.find((name) => normalizeName(name) === `${noun} ${wanted}`) ??
    // `id` for `{book}`.
    names.find((name) => wanted === noun && /^(?:id|uuid|key)$/i.test(name))
  );
}

// Returns the singular of a regular English plural: `category` for `categories`, `box` for `boxes`, `glass` unchanged.
function toSingular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}
