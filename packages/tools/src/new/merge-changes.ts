// Merges what the team and the kit changed in package.json.
import { isDeepStrictEqual } from 'node:util';

/**
 * Merges values, objects member by member: the team's where it differs from `recorded`, which the kit wrote last time,
 * and else `next`, which the kit would write now. Undefined for a member that is to be removed.
 */
export function mergeChanges(current: unknown, recorded: unknown, next: unknown): unknown {
  if (!isRecord(current) || !isRecord(recorded) || !isRecord(next)) {
    const isUnchanged = isDeepStrictEqual(current, recorded);
    return isUnchanged ? next : current;
  }
  const names = new Set([...Object.keys(current), ...Object.keys(next)]);
  const merged = [...names].map((name) => [name, mergeChanges(current[name], recorded[name], next[name])] as const);
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
