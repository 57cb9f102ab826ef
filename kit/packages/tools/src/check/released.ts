// Reads the newest released contract, and compares the current one with it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, exactValueOf, parseYaml, readOperations } from '@contract-kit/contract';
import { createToDiagnostic, type Origin, readContractFiles } from '../bundle/contract-files';
import type { Diagnostic, Place } from '../diagnostics/diagnostic';
import type { Analysis } from '../lint/analyse-contract';
import { type BreakingChange, findBreakingChanges } from './breaking-changes';
import { toJson } from './schema-rules';

/** A published contract, which clients rely on. */
export interface ReleasedContract {
  readonly file: string;
  readonly version: string;
  readonly text: string;
  readonly document: Document;
}

/**
 * Reads the newest contract in a folder of files such as 1.0.0.yaml; returns undefined if the folder does not exist.
 *
 * @throws Error if the folder is empty, or a file is not named after its info.version
 */
export function readReleased(folder: string): ReleasedContract | undefined {
  if (!existsSync(folder)) return undefined;
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  const contracts = names.map((name) => {
    const file = join(folder, name);
    const [, version] = /^(\d+\.\d+\.\d+)\.yaml$/.exec(name) ?? [];
    if (version === undefined) throw new Error(`${file} is not named like a released contract, such as 1.0.0.yaml`);
    const text = readFileSync(file, 'utf8');
    const document = parseYaml(text, file) as Document;
    const { version: writtenVersion } = Object(document.info) as Partial<Document['info']>;
    if (parseVersion(String(writtenVersion)) !== version) {
      throw new Error(`${file} has info.version ${String(writtenVersion)}; name the file after it`);
    }
    return { file, version, text, document };
  });
  const newestContract = contracts.sort((a, b) => compareVersions(a.version, b.version)).at(-1);
  if (newestContract === undefined)
    throw new Error(`${folder} contains no released contract; remove the folder, or add a file such as 1.0.0.yaml`);
  return newestContract;
}

/** Returns `1.2.0` for `1.2.0-beta`; undefined if it is not a semantic version. YAML reads a version such as 1.0 as a number. */
export function parseVersion(version: string | number): string | undefined {
  return /^(\d+\.\d+\.\d+)(?:[-+][0-9A-Za-z.+-]+)?$/.exec(String(version))?.[1];
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

/** A change that breaks, or might break, clients of a released contract. */
export interface Break extends Diagnostic {
  readonly rule: string;
  readonly isCertain: boolean;
  readonly locateReleased: () => Place;
}

interface Release {
  /** Errors in `info.version`: for example, it is older than the release. */
  readonly errors: readonly Diagnostic[];
  readonly breaks: readonly Break[];
  /** Whether the version allows changes that break clients. */
  readonly isAllowed: boolean;
}

/** Compares a contract without errors with a released one. */
export function compareWithReleased(analysis: Analysis, released: ReleasedContract): Release {
  const { bundle, document, written } = analysis;
  const { info } = document;
  const toDiagnostic = createToDiagnostic(bundle.trace, [document, written]);
  const toErrors = (message: string): Release => ({
    errors: [toDiagnostic({ node: info, key: 'version', message })],
    breaks: [],
    isAllowed: false,
  });
  const version = parseVersion(info.version);
  if (version === undefined)
    return toErrors(`the version ${String(info.version)} is not a semantic version, such as 1.2.0`);
  const versionOrder = compareVersions(version, released.version);
  if (versionOrder < 0) {
    return toErrors(`the version ${String(info.version)} is older than the released contract ${released.file}`);
  }
  const { root } = readContractFiles(released.text, released.file);
  const { document: before, operations } = readOperations(released.document);
  const trace = (pointer: string): Origin => ({ file: root, pointer });
  const toReleasedDiagnostic = createToDiagnostic(trace, [before, released.document]);
  const neededVersion = versionFor(released.version);
  // In version 0.y.z, anything may change (Semantic Versioning, 4).
  const isAllowed = released.version.startsWith('0.') ? versionOrder > 0 : compareVersions(version, neededVersion) >= 0;
  const breaks = findBreakingChanges({ document: before, operations }, analysis).map((change): Break => {
    const { message, rule, edit = '', key, isCertain } = change;
    const { locate: locateReleased, pointer } = toReleasedDiagnostic({ ...change.before, message });
    const { file, line, column } = locateReleased();
    const remedy = isAllowed ? `allowed in ${version}` : `${toRemedy(change)}, or set the version to ${neededVersion}`;
    const details = [`was ${file}:${String(line)}:${String(column)}`, ...(isCertain ? [remedy] : [])];
    const diagnostic = toDiagnostic({ ...change, message: [`${message} (${rule})`, ...details].join('\n') });
    // If operations share a schema, report a change of its keyword once.
    const isShared = [key, change.before.key].includes(toKeyword(rule));
    const cause = isShared ? `${pointer} ${diagnostic.pointer} ${edit}` : change.cause;
    return { ...diagnostic, cause: `${cause} ${rule}`, rule, isCertain, locateReleased };
  });
  return { errors: [], breaks, isAllowed };
}

const MAX_VALUE_LENGTH = 60;

function toKeyword(rule: string): string {
  return rule.replace(/^(?:request|response)-/, '');
}

function toRemedy({ rule, before, node, key }: BreakingChange): string {
  const keyword = toKeyword(rule);
  if (before.key !== keyword) return key === keyword ? `remove ${keyword}` : 'write it as there';
  const value = toJson(exactValueOf(before.node, keyword));
  if (toJson(exactValueOf(node, keyword)) === value) return `undo the change in what ${keyword} refers to`;
  return `write ${keyword}${value.length > MAX_VALUE_LENGTH ? ' as there' : `: ${value}`}`;
}

function versionFor(released: string): string {
  const [major = 0, minor = 0] = released.split('.').map(Number);
  return major === 0 ? `0.${String(minor + 1)}.0` : `${String(major + 1)}.0.0`;
}
