// The newest released contract, and what a newer version of it breaks.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, parseYaml, readOperations } from '@contract-kit/contract';
import type { Diagnostic } from '../diagnostics/diagnostic';
import { readErrorCatalogue } from '../lint/error-catalogue';
import type { Analysis } from '../lint/analyse-contract';
import { createToDiagnostic } from '../lint/lint-contract';
import { findBreakingChanges } from './breaking-changes';

/** A contract that clients may be built against. */
export interface ReleasedContract {
  readonly file: string;
  /** Such as `1.0.0`. */
  readonly version: string;
  readonly document: Document;
}

/**
 * Reads the newest released contract of a folder, whose files are such as 1.0.0.yaml; undefined when there is none.
 *
 * @throws Error when the folder is empty, or a file is not named by its info.version
 */
export function readReleased(folder: string): ReleasedContract | undefined {
  if (!existsSync(folder)) return undefined;
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  const contracts = names.map((name) => {
    const file = join(folder, name);
    const [, version] = /^(\d+\.\d+\.\d+)\.yaml$/.exec(name) ?? [];
    if (version === undefined) throw new Error(`${file} is no name of a released contract, such as 1.0.0.yaml`);
    const document = parseYaml(readFileSync(file, 'utf8'), file) as Document;
    const { version: own } = Object(document.info) as Partial<Document['info']>;
    if (parseVersion(String(own)) !== version) {
      throw new Error(`${file} has info.version ${String(own)}; a released contract is named by it`);
    }
    return { file, version, document };
  });
  const newest = contracts.sort((a, b) => compareVersions(a.version, b.version)).at(-1);
  if (newest === undefined) throw new Error(`${folder} holds no released contract`);
  return newest;
}

/** `1.2.0` for `1.2.0-beta`; undefined when it is no semantic version. YAML reads some, such as 1.0, as numbers. */
export function parseVersion(version: string | number): string | undefined {
  return /^(\d+\.\d+\.\d+)(?:[-+][0-9A-Za-z.+-]+)?$/.exec(String(version))?.[1];
}

/** Negative when the first is older, positive when it is newer. */
function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

/** How a contract follows a released one. */
interface Release {
  /** That the version is older, or what breaks clients without a newer major version. */
  readonly errors: readonly Diagnostic[];
  /** What breaks clients, as a newer major version may. */
  readonly breaks: readonly Diagnostic[];
}

/** Compares a contract without errors with a released one. */
export function compareWithReleased(analysis: Analysis, released: ReleasedContract): Release {
  const { bundle, document } = analysis;
  const { info } = document;
  const toDiagnostic = createToDiagnostic(bundle, [document]);
  const toErrors = (message: string): Release => ({
    errors: [toDiagnostic({ node: info, key: 'version', message })],
    breaks: [],
  });
  const version = parseVersion(info.version);
  if (version === undefined) return toErrors(`${String(info.version)} is no semantic version`);
  if (compareVersions(version, released.version) < 0) {
    return toErrors(`${String(info.version)} is older than the released ${released.file}`);
  }
  const releasedMajor = parseInt(released.version);
  const isAllowed = parseInt(version) > releasedMajor;
  const { document: before, operations } = readOperations(released.document);
  const { catalogue } = readErrorCatalogue(before);
  const hint = isAllowed ? `as ${version} may` : `needs version ${String(releasedMajor + 1)}.0.0`;
  const found = findBreakingChanges({ document: before, operations, catalogue }, analysis).map((change) => ({
    ...toDiagnostic({ ...change, message: `${change.message} (breaks ${released.file}, ${hint})` }),
    cause: change.cause,
  }));
  return isAllowed ? { errors: [], breaks: found } : { errors: found, breaks: [] };
}
