// Where the kit is known to disagree with the suite, and why.
type Expected = Readonly<Record<string, readonly (readonly [what: string, count: number, why: string])[]>>;

export const EXPECTED_DIFFERENCES: Expected = {};
export const EXPECTED_REFUSALS: Expected = {};
