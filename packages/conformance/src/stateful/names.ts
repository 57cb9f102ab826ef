import { extendPointer } from '../contract/pointer';
import type { Schema } from '../contract/schema';

/** What one of a collection is called, by the last segment that is no parameter. */
export function nounOf(collection: string): string {
  return toSingular(toName(collection.split('/').findLast((part) => part !== '' && !part.includes('{')) ?? ''));
}

/** A name in words, by which names of other spellings are the same. */
export function toName(name: string): string {
  return wordsOf(name).join(' ');
}

/** The fragments of the property that is the id: of the value, or of what stands alone in it, as in an envelope. */
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

/** Which name means the key: the same one, its last words, or with what the noun says of it. */
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
 * The words of a name, in lower case, whatever the way they are put together.
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
 * What one of many is called, as far as English is regular.
 *
 * @example toSingular('categories') // 'category'
 */
function toSingular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}
