import type { Document } from '../../src/contract/document/document';
import { contractBreaks } from './contract-breaks';
import type { Problem } from './problem';
import type { ReleasedContract } from './read-released';
import { compareVersions, parseVersion } from './version';

/** What a contract may not do after a release: go back, or break clients without a new major version. */
export function releaseProblems(document: Document, released: ReleasedContract): Problem[] {
  const pointer = '#/info/version';
  const version = parseVersion(document.info.version);
  if (!version) return [{ pointer, message: `${document.info.version} is no semantic version` }];
  if (compareVersions(version, released.version) < 0) {
    return [{ pointer, message: `${document.info.version} is older than the released ${released.file}` }];
  }
  if (version[0] > released.version[0]) return [];
  const next = `${String(released.version[0] + 1)}.0.0`;
  return contractBreaks(released.document, document).map((found) => ({
    pointer: found.pointer,
    message: `${found.message} (breaks ${released.file}, needs version ${next})`,
  }));
}
