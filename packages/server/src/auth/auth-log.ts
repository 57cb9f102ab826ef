/** The log for operators. No part of a token is logged. */
export interface AuthLog {
  info(message: string): void;
  warn(message: string): void;
}
