/** A message is not what the contract says. */
export class Violation extends Error {
  /** A JSON pointer (RFC 6901) to what is wrong in the message, such as `/body/id`. */
  readonly pointer: string;

  /** @param message names the place too, such as `request/body/id must be integer` */
  constructor(pointer: string, message: string) {
    super(message);
    this.pointer = pointer;
  }
}
