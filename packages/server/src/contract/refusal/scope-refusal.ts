import type { Credentials } from '../operation/credential-types';
import { Refusal } from './refusal';

/** The credentials are valid, and lack scopes that the operation asks for (RFC 6750 section 3.1). */
export class ScopeRefusal extends Refusal {
  /** The scopes that the alternative asks of bearer tokens, joined by spaces; undefined if it asks for none. */
  readonly bearerScopes: string | undefined;

  /** @param alternative of the operation's security, whose schemes were met */
  constructor(alternative: readonly Credentials[]) {
    const list = (some: readonly Credentials[]): string => some.flatMap(({ scopes }) => scopes).join(' ');
    super('FORBIDDEN', `The credentials lack a scope of: ${list(alternative)}`);
    this.bearerScopes = list(alternative.filter(({ challenge }) => challenge === 'Bearer')) || undefined;
  }
}
