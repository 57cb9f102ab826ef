import { readFileSync } from 'node:fs';

/** A block of code in a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** What its first line names. */
  readonly file: string | undefined;
}

export function readBlocks(page: string): Block[] {
  return [...readFileSync(page, 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
    file: /^\/\/ (\S+\.m?[jt]s)\n/.exec(text)?.[1],
  }));
}
