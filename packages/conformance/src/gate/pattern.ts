import { nameOf, type Part } from './find-gaps';

/**
 * Compiles a pattern: `*` matches anything without a space, `**` anything, and `4XX` a status of that class.
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

// Special characters of regular expressions.
const SIGNS = /[\\^$.*+?()[\]{}|]/g;
