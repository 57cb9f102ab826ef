import { nameOf, type Part } from './find-gaps';

/**
 * Whether a pattern names a part of a contract: `*` is anything without a space, `**` anything, and `4XX` a status of its
 * class.
 */
export function toMatcher(pattern: string): (part: Part) => boolean {
  const words = pattern.split(' ').map((word) => {
    if (/^[1-5]XX$/.test(word)) return `${String(word[0])}(?:\\d\\d|XX)`;
    const texts = word.split(/(\*\*?)/);
    return texts.map((text) => (text === '**' ? '.*' : text === '*' ? '[^ ]*' : text.replace(SIGNS, '\\$&'))).join('');
  });
  const expression = new RegExp(`^${words.join(' ')}$`, 's');
  return (part) => expression.test(nameOf(part));
}

// What means something in an expression.
const SIGNS = /[\\^$.*+?()[\]{}|]/g;
