/** One attack on the compiled service, in a process of its own. */
export interface Attack {
  readonly name: string;
  /** Carries it out and tells what was measured. An attack that cannot be tried here throws `NotTried`. */
  readonly run: () => Promise<readonly Figure[]>;
}

/** What was measured, beside its bound. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly atMost: number;
  /** Such as `s`, `MB` or `connections`. */
  readonly unit: string;
}

/** Why an attack could not be tried on this machine. */
export class NotTried extends Error {}

/** @example isHeld({ what: 'next request', value: 0.2, atMost: 5, unit: 's' }) // true */
export function isHeld({ value, atMost }: Figure): boolean {
  return value <= atMost;
}
