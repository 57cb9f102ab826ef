// Finds the newest released contract.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, parseYaml } from '@contract-kit/server/contract';

/** A contract that clients may be built against. */
export interface ReleasedContract {
  readonly file: string;
  readonly version: Version;
  readonly document: Document;
}

/**
 * Reads the newest released contract of a folder, whose files are such as 1.0.0.yaml; undefined when there is none.
 *
 * @throws Error when the folder is empty, or a file is not named by its info.version
 */
export function readReleased(folder: string): ReleasedContract | undefined {
  if (!existsSync(folder)) return undefined;
  const contracts = readdirSync(folder).map((name) => {
    const file = join(folder, name);
    const document = parseYaml(readFileSync(file, 'utf8'), file) as Document;
    const version = parseVersion(document.info.version);
    if (version === undefined || name !== `${version.join('.')}.yaml`) {
      throw new Error(`${file} has info.version ${String(document.info.version)}; a released contract is named by it`);
    }
    return { file, version, document };
  });
  const newest = contracts.sort((a, b) => compareVersions(a.version, b.version)).at(-1);
  if (newest === undefined) throw new Error(`${folder} holds no released contract`);
  return newest;
}

/** A semantic version, without pre-release and build parts. */
export type Version = readonly [major: number, minor: number, patch: number];

/** [1, 2, 0] for `1.2.0-beta`; undefined when it is no semantic version. YAML reads some, such as 1.0, as numbers. */
export function parseVersion(version: string | number): Version | undefined {
  const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)(?:[-+][0-9A-Za-z.+-]+)?$/.exec(String(version)) ?? [];
  return numbers.length === 0 ? undefined : (numbers.map(Number) as unknown as Version);
}

/** Negative when the first is older, positive when it is newer. */
export function compareVersions(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
