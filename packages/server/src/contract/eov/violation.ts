/** A message is not valid under the contract. */
export class Violation extends Error {
  /** A JSON pointer (RFC 6901) to the wrong value in the message, such as `/body/id`. */
  readonly pointer: string;

  /** @param message names the location too, such as `request/body/id must be integer` */
  constructor(pointer: string, message: string) {
    super(message);
    this.pointer = pointer;
  }
}
