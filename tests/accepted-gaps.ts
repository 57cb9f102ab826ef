/**
 * What the contract declares and no case of the conformance suite can bring about, as its test tells it. A test of its
 * own has to show each of them.
 */
export const ACCEPTED_GAPS: readonly string[] = [];
