import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeSeveralFiles } from '../support/several-files';

/** A contract of another team, or of ours where no package has one of its form. */
export interface CorpusContract {
  /** The path in node_modules; what it is for one of ours. */
  readonly name: string;
  readonly file: string;
}

const MODULES = join(__dirname, 'node_modules');

// Each contract once: most packages have it as YAML and JSON, some with all references written out as well.
const FILES = [
  '@blockfrost/openapi/openapi.yaml',
  '@dcl/catalyst-api-specs/lib/api.yaml',
  '@digdir/dialogporten-schema/swagger.verified.json',
  '@directus/specs/dist/openapi.json',
  '@figma/rest-api-spec/openapi/openapi.yaml',
  '@ideal-postcodes/openapi/dist/openapi.json',
  '@interledger/open-payments/dist/openapi/specs/*.yaml',
  '@mojaloop/api-snippets/docs/*-openapi3-snippets.yaml',
  '@octokit/openapi/generated/api.github.com.json',
  '@readme/oas-examples/3.*/json/**/*.json',
  '@scalar/galaxy/dist/3.1.json',
  'rclone-openapi/openapi.json',
  'shipengine-openapi/openapi.json',
];

const SEVERAL_FILES = 'reports/several-files';
const SAMPLE_BYTES = 100_000;
const SAMPLE_STEP = 3;

/**
 * The contracts that are installed, by name.
 *
 * @param isSample takes every third of those that are not large
 * @throws Error when a package no longer has what is listed here
 */
export function findContracts(isSample: boolean): CorpusContract[] {
  const names = FILES.flatMap((pattern) => {
    const found = globSync(pattern, { cwd: MODULES });
    if (found.length === 0) throw new Error(`no package of the corpus has ${pattern}`);
    return found;
  });
  const ours = { name: 'several files', file: writeSeveralFiles(SEVERAL_FILES) };
  const all = [...names.sort().map((name) => ({ name, file: join(MODULES, name) })), ours];
  if (!isSample) return all;
  return all
    .filter(({ file }) => statSync(file).size < SAMPLE_BYTES)
    .filter((_one, index) => index % SAMPLE_STEP === 0);
}
