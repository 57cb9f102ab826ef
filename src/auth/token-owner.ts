/** Whose token it is. */
export interface TokenOwner {
  /** The `sub` of a JWT (RFC 7519 section 4.1.2), which its issuer gives to one alone. */
  readonly subject?: string | undefined;
}
