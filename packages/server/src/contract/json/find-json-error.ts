// Finds where a text stops being JSON.

/** What may come next: a value, a name, or one of the characters. */
type Next = 'value' | 'name' | ':' | ', or end';

// RFC 8259 sections 2, 6 and 7.
const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/y;
const SCALAR = new RegExp(`${STRING.source}|true|false|null|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?`, 'y');
const ENDS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/**
 * Where a text stops being JSON (RFC 8259): the index of the character that is wrong there, or begins a string or a word
 * that is none. `JSON.parse` tells it for some mistakes only, and with words of the text.
 *
 * @param text not JSON
 * @example findJsonError('{ "a": 1, }') // 10
 */
export function findJsonError(text: string): number {
  // The ends of the arrays and objects around the place.
  const ends: string[] = [];
  let next: Next = 'value';
  let mayEnd = false;
  let at = 0;

  function skip(pattern: RegExp): boolean {
    pattern.lastIndex = at;
    const isThere = pattern.test(text);
    if (isThere) at = pattern.lastIndex;
    return isThere;
  }

  while (skip(SPACE) && at < text.length) {
    const character = String(text[at]);
    const end = ENDS[character];
    if (character === ends.at(-1) && (mayEnd || next === ', or end')) {
      at += 1;
      ends.pop();
      next = ', or end';
    } else if (next === ':' || next === ', or end') {
      if (character !== (next === ':' ? ':' : ',') || ends.length === 0) return at;
      at += 1;
      next = next === ', or end' && ends.at(-1) === '}' ? 'name' : 'value';
    } else if (next === 'value' && end !== undefined) {
      at += 1;
      ends.push(end);
      next = end === '}' ? 'name' : 'value';
      mayEnd = true;
      continue;
    } else if (skip(next === 'name' ? STRING : SCALAR)) {
      next = next === 'name' ? ':' : ', or end';
    } else {
      return at;
    }
    mayEnd = false;
  }
  return at;
}
