/**
 * Escapes characters that control a terminal or reorder its text, except line feeds and tabs. U+001B becomes `\u{1b}`.
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
 * Like toTerminalText, but for JSON, whose value stays the same. JSON.stringify escapes these characters only up to U+001F.
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
