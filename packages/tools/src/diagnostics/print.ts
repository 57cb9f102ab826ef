// All that commands print: text of contracts, files and arguments commands no terminal.
import { toTerminalText } from '@contract-kit/contract';

/** Prints on standard output. */
export function print(text: string): void {
  console.log(toTerminalText(text));
}

/** Prints on standard error. */
export function printError(text: string): void {
  console.error(toTerminalText(text));
}
