// Compiles the patterns of the file of accepted gaps.
import { nameOf, type Part } from './find-gaps';

/** `*` matches anything without a space, `**` anything, and the word `4XX` a status of that class. */
export function toMatcher(pattern: string): (part: Part) => boolean {
  const words = pattern.split(' ').map(toExpression);
  const expression = new RegExp(`^${words.join(' ')}$`, 's');
  return (part) => expression.test(nameOf(part));
}

function toExpression(word: string): string {
  // The contract may declare a class of statuses itself, so match `404` and `4XX`.
  if (/^[1-5]XX$/.test(word)) return `${word.charAt(0)}(?:\\d\\d|XX)`;
  const pieces = word.split(/(\*\*?)/);
  return pieces.map((piece) => WILDCARDS.get(piece) ?? piece.replace(SPECIAL_CHARACTERS, '\\$&')).join('');
}

const WILDCARDS = new Map([
  ['**', '.*'],
  ['*', '[^ ]*'],
]);
const SPECIAL_CHARACTERS = /[\\^$.*+?()[\]{}|]/g;
