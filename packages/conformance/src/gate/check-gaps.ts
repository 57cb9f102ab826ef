// Compares the gaps of a run with the file of accepted gaps.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Suite } from '../suite';
import { readAccepted, writeAccepted, type Accepted } from './accepted';
import { findGaps, type Parts } from './find-gaps';
import { groupGaps, type Group } from './group-gaps';
import { toMatcher } from './pattern';

/** The gaps (declared, but produced by no case), compared with the file of accepted gaps. */
export interface CheckedGaps {
  /** The number of declared items. */
  readonly declared: number;
  /** Gaps that are not accepted, by patterns that would match them. */
  readonly groups: readonly Group[];
  /** The number of accepted gaps. */
  readonly known: number;
  /** The accepted patterns that match a gap. */
  readonly accepted: readonly Accepted[];
  /** The accepted patterns that match no gap any more. */
  readonly gone: readonly Accepted[];
  readonly file: string | undefined;
}

/** Options of `checkGaps`. */
export interface GapOptions {
  /** The file of accepted gaps; it need not exist yet. */
  readonly file?: string | undefined;
  /** Whether to rewrite the file, so that it accepts all gaps. */
  readonly isAccepting?: boolean;
  /** Operations without a handler: what needs one is no gap. */
  readonly unbuilt?: ReadonlySet<string> | undefined;
}

/**
 * Compares the gaps of a run with the file; with `isAccepting`, rewrites it first. Call it after all cases were sent.
 *
 * @throws Error when the file cannot be read
 * @example const { groups } = checkGaps(suite, { file: 'tests/accepted-gaps.yaml' });
 */
export function checkGaps(
  suite: Pick<Suite, 'model' | 'coverage' | 'level'>,
  { file, isAccepting = false, unbuilt = new Set() }: GapOptions = {},
): CheckedGaps {
  const parts = findGaps(suite, unbuilt);
  const checked = compareWithAccepted(parts, loadAccepted(file), file);
  if (!isAccepting || file === undefined) return checked;
  const added = checked.groups.map(({ pattern, reason }) => ({ pattern, reason }));
  const accepted = [...checked.accepted, ...added];
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, writeAccepted(accepted));
  return compareWithAccepted(parts, accepted, file);
}

/** Empty without a file. Throws an Error when it cannot be read. */
export function loadAccepted(file: string | undefined): Accepted[] {
  return file !== undefined && existsSync(file) ? readAccepted(readFileSync(file, 'utf8'), file) : [];
}

function compareWithAccepted(
  { produced, gaps }: Parts,
  accepted: readonly Accepted[],
  file: string | undefined,
): CheckedGaps {
  const matches = accepted.map((entry) => ({ entry, matched: gaps.filter(toMatcher(entry.pattern)) }));
  const acceptedGaps = new Set(matches.flatMap(({ matched }) => matched));
  return {
    declared: produced.length + gaps.length,
    known: acceptedGaps.size,
    groups: groupGaps({ produced, gaps: gaps.filter((gap) => !acceptedGaps.has(gap)) }),
    accepted: matches.filter(({ matched }) => matched.length > 0).map(({ entry }) => entry),
    gone: matches.filter(({ matched }) => matched.length === 0).map(({ entry }) => entry),
    file,
  };
}

/** The number of gaps that are not accepted. */
export function countGaps({ groups }: Pick<CheckedGaps, 'groups'>): number {
  return groups.reduce((sum, { gaps }) => sum + gaps.length, 0);
}
