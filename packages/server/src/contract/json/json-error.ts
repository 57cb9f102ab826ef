/** Why a text is not read as JSON. Its message quotes nothing of the text; that of `syntax` tells where, or is empty. */
export class JsonError extends Error {
  /** Of its encoding, its grammar (RFC 8259), a character that Unicode does not have (RFC 7493), or its depth. */
  readonly reason: 'utf8' | 'syntax' | 'unicode' | 'depth';

  constructor(reason: JsonError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}
