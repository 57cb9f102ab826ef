/**
 * Escapes characters that control a terminal or reorder its text, such as U+001B as `\u{1b}`, except line ends and tabs.
 *
 * @example toTerminalText('\u202eabc') // '\\u{202e}abc'
 */
export function toTerminalText(text: string): string {
  return text.replace(
    /[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${Number(character.codePointAt(0)).toString(16)}}`,
  );
}

/**
 * Escapes the same characters in JSON, whose value does not change. JSON.stringify escapes only those up to U+001F.
 *
 * @example toTerminalJson('"\u009b"') // '"\\u009b"'
 */
export function toTerminalJson(json: string): string {
  return json.replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
