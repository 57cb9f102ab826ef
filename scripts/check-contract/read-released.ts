import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Document } from '../../src/contract/document/document';
import { parseYaml } from '../../src/contract/document/parse-yaml';
import { compareVersions, parseVersion, type Version } from './version';

/** A contract that clients were given. */
export interface ReleasedContract {
  readonly file: string;
  readonly version: Version;
  readonly document: Document;
}

/**
 * The newest of the released contracts in a folder: files named by their version, such as 1.0.0.yaml.
 *
 * @throws Error when there is none, or a file is not named by its info.version
 */
export function readReleased(folder: string): ReleasedContract {
  const contracts = readdirSync(folder).map((name) => {
    const file = join(folder, name);
    const document = parseYaml(readFileSync(file, 'utf8'), file) as Document;
    const version = parseVersion(document.info.version);
    if (version === undefined || name !== `${version.join('.')}.yaml`) {
      throw new Error(`${file} has info.version ${document.info.version}; a released contract is named by it`);
    }
    return { file, version, document };
  });
  const newest = contracts.sort((a, b) => compareVersions(a.version, b.version)).at(-1);
  if (newest === undefined) throw new Error(`${folder} holds no released contract`);
  return newest;
}
