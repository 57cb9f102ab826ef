import type { ServiceOptions } from '../src/contract/serve-contract';

/** Verifiers for the security schemes of a fixture, which are not those of the project's contract. */
export function asVerifiers(verifiers: unknown): ServiceOptions['verifiers'] {
  return verifiers as ServiceOptions['verifiers'];
}
