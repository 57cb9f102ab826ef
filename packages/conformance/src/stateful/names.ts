import { extendPointer } from '../contract/pointer';
import type { Schema } from '../contract/schema';

/** The singular name of a collection's items, from its last segment without a parameter: `book` for `/books`. */
export function nounOf(collection: string): string {
  return toSingular(toName(collection.split('/').findLast((part) => part !== '' && !part.includes('{')) ?? ''));
}

/** Normalizes a name to lower-case words, so that `bookId` and `book_id` are equal. */
export function toName(name: string): string {
  return wordsOf(name).join(' ');
}

/** JSON pointers to the property that is the id: in the object itself, or in an envelope such as `data`. */
export function findProperty(
  schema: Schema,
  propertiesIn: (schema: Schema) => Map<string, Schema>,
  key: string,
  noun: string,
): string[] {
  const own = propertiesIn(schema);
  const name = findName([...own.keys()], key, noun);
  if (name !== undefined) return [extendPointer('#', name)];
  return [...own].flatMap(([outer, inner]) => {
    const found = findName([...propertiesIn(inner).keys()], key, noun);
    const isEnvelope = own.size === 1 || ['data', 'result', noun].includes(toName(outer));
    return found !== undefined && isEnvelope ? [extendPointer('#', outer, found)] : [];
  });
}

/** Finds the property name for a path parameter: the same name, its last words, or the name with the noun in front. */
export function findName(names: readonly string[], key: string, noun: string): string | undefined {
  const wanted = toName(key);
  return (
    names.find((name) => name === key) ??
    names.find((name) => toName(name) === wanted) ??
    names.find((name) => wanted.endsWith(` ${toName(name)}`)) ??
    names.find((name) => toName(name) === `${noun} ${wanted}`) ??
    // `/pets/{pet}` and `/pets/{petName}`.
    names.find((name) => wanted === noun && /^(?:id|uuid|key)$/i.test(name))
  );
}

/**
 * Splits a name into lower-case words.
 *
 * @example wordsOf('bookNumber') // ['book', 'number'], as of book_number and book-number
 */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z\d]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

/**
 * The singular of a regular English plural.
 *
 * @example toSingular('categories') // 'category'
 */
function toSingular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}
