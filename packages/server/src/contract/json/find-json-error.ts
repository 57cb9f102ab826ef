// Finds where a text stops being JSON.

/** What the text must have next: a value, a name, a colon, or a comma or closing bracket. */
type Expected = 'value' | 'name' | ':' | ', or end';

// RFC 8259 sections 2, 6 and 7.
const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/y;
const SCALAR = new RegExp(`${STRING.source}|true|false|null|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?`, 'y');
const CLOSING_BRACKETS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** The index of the wrong character: 10 in `{ "a": 1, }`. JSON.parse tells it only for some mistakes, and quotes the text. */
export function findJsonError(text: string): number {
  // The closing brackets that the open arrays and objects need, the innermost last.
  const open: string[] = [];
  let expected: Expected = 'value';
  // Whether the last character opened an array or object, which may be empty: a closing bracket may follow at once.
  let mayBeEmpty = false;
  let index = 0;

  /** Moves behind a match of the pattern at `index`; false if there is none. */
  function skip(pattern: RegExp): boolean {
    pattern.lastIndex = index;
    const isMatch = pattern.test(text);
    if (isMatch) index = pattern.lastIndex;
    return isMatch;
  }

  while (skip(SPACE) && index < text.length) {
    const character = String(text[index]);
    const closing = CLOSING_BRACKETS[character];
    if (character === open.at(-1) && (mayBeEmpty || expected === ', or end')) {
      index += 1;
      open.pop();
      expected = ', or end';
    } else if (expected === ':' || expected === ', or end') {
      // Without an open array or object, the text had to end.
      if (character !== (expected === ':' ? ':' : ',') || open.length === 0) return index;
      index += 1;
      expected = expected === ', or end' && open.at(-1) === '}' ? 'name' : 'value';
    } else if (expected === 'value' && closing !== undefined) {
      index += 1;
      open.push(closing);
      expected = closing === '}' ? 'name' : 'value';
      mayBeEmpty = true;
      continue;
    } else if (skip(expected === 'name' ? STRING : SCALAR)) {
      expected = expected === 'name' ? ':' : ', or end';
    } else {
      return index;
    }
    mayBeEmpty = false;
  }
  return index;
}
