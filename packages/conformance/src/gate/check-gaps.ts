import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Suite } from '../suite';
import { readAccepted, writeAccepted, type Accepted } from './accepted';
import { findGaps, type Parts } from './find-gaps';
import { groupGaps, type Group } from './group-gaps';
import { toMatcher } from './pattern';

/** What no case produced of what a contract declares, held against what a team accepts. */
export interface CheckedGaps {
  /** How many things the contract declares. */
  readonly declared: number;
  /** What is not accepted, by patterns that would name it. */
  readonly groups: readonly Group[];
  /** How many gaps are accepted. */
  readonly known: number;
  /** What is accepted, as far as there are gaps that it names. */
  readonly accepted: readonly Accepted[];
  /** What is accepted and names no gap any more. */
  readonly gone: readonly Accepted[];
  /** The file with what is accepted. */
  readonly file: string | undefined;
}

/** What is known beside the suite. */
export interface GapOptions {
  /** The file with what is accepted; there need not be one yet. */
  readonly file?: string | undefined;
  /** Whether the file is written anew, so that it accepts what there is. */
  readonly isAccepting?: boolean;
  /** The operations that nobody has built yet: what needs their handlers is no gap. */
  readonly unbuilt?: ReadonlySet<string> | undefined;
}

/**
 * Holds what no case produced against a file with what a team accepts, after all cases were recorded.
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
  const accepted = [...checked.accepted, ...checked.groups.map(({ pattern, reason }) => ({ pattern, reason }))];
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, writeAccepted(accepted));
  return compareWithAccepted(parts, accepted, file);
}

/**
 * What a file accepts; nothing, if there is none.
 *
 * @throws Error when it cannot be read
 */
export function loadAccepted(file: string | undefined): Accepted[] {
  return file !== undefined && existsSync(file) ? readAccepted(readFileSync(file, 'utf8'), file) : [];
}

function compareWithAccepted(
  { produced, gaps }: Parts,
  accepted: readonly Accepted[],
  file: string | undefined,
): CheckedGaps {
  const matched = accepted.map((entry) => ({ one: entry, names: gaps.filter(toMatcher(entry.pattern)) }));
  const known = new Set(matched.flatMap(({ names }) => names));
  return {
    declared: produced.length + gaps.length,
    known: known.size,
    groups: groupGaps({ produced, gaps: gaps.filter((gap) => !known.has(gap)) }),
    accepted: matched.filter(({ names }) => names.length > 0).map(({ one: entry }) => entry),
    gone: matched.filter(({ names }) => names.length === 0).map(({ one: entry }) => entry),
    file,
  };
}

/** How many gaps nobody has accepted. */
export function countGaps({ groups }: Pick<CheckedGaps, 'groups'>): number {
  return groups.reduce((sum, { gaps }) => sum + gaps.length, 0);
}
