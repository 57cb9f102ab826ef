/** A semantic version without what may follow the three numbers. */
export type Version = readonly [major: number, minor: number, patch: number];

/** @returns undefined when the text is no semantic version */
export function parseVersion(text: string): Version | undefined {
  const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)(?:[-+][0-9A-Za-z.+-]+)?$/.exec(text) ?? [];
  return numbers.length === 0 ? undefined : (numbers.map(Number) as unknown as Version);
}

/** Negative when the first is older, positive when it is newer. */
export function compareVersions(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
