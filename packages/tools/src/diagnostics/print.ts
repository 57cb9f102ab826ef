// Prints for the commands. Text from contracts, files and arguments cannot command the terminal.
import { toTerminalText } from '@contract-kit/contract';

/** Prints on standard output. */
export function print(text: string): void {
  console.log(toTerminalText(text));
}

/** Prints on standard error. */
export function printError(text: string): void {
  console.error(toTerminalText(text));
}
