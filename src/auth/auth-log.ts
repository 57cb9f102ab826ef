/** Where identity tells what an operator has to know. Nothing of a token goes there. */
export interface AuthLog {
  info(message: string): void;
  warn(message: string): void;
}
