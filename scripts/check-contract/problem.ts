/** What is wrong with a contract, and where: a JSON pointer into it. */
export interface Problem {
  readonly pointer: string;
  readonly message: string;
}
