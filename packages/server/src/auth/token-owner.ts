/** The owner of a token. */
export interface TokenOwner {
  /** The `sub` of a JWT (RFC 7519 section 4.1.2), unique for its issuer. */
  readonly subject?: string | undefined;
  /** The scopes that it was given, by its issuer or by the settings. */
  readonly scopes?: readonly string[] | undefined;
}
