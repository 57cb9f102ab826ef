// The files of a new project.
import { format } from 'prettier';
import { readKitFile, type Kit } from '../kit';
import type { NewContract } from '../read-contract';
import * as files from './files';
import { makeHandlers } from './handlers';
import { makePackage } from './package-json';
import { makeReadme } from './readme';
import { makeRenderError } from './render-error';
import { makeService } from './service';
import { makeConformanceTest } from './tests';

// Copied from this repository.
const COPIED = ['.npmrc', 'src/main.ts', 'src/app.ts'];

/** Makes all files of a project, by path, except its contract, generated/, vendor/ and package-lock.json. */
export async function makeProjectFiles(
  name: string,
  contract: NewContract,
  kit: Kit,
): Promise<Readonly<Record<string, string>>> {
  const renderError = makeRenderError(contract);
  // Prettier formats these, since lines with names of the contract may be long.
  const unformatted = {
    'README.md': makeReadme(contract),
    'src/service.ts': makeService(contract),
    ...(renderError !== undefined && { 'src/render-error.ts': renderError }),
    'tests/conformance.test.ts': makeConformanceTest(contract),
    ...(await makeHandlers(contract)),
  };
  const formatted = Object.entries(unformatted).map(
    async ([file, text]) => [file, await format(text, { filepath: file, singleQuote: true, printWidth: 120 })] as const,
  );
  return {
    ...Object.fromEntries(await Promise.all(formatted)),
    'package.json': `${JSON.stringify(makePackage(name, contract, kit), null, 2)}\n`,
    'tsconfig.json': files.TSCONFIG,
    'src/tsconfig.json': files.BUILD_TSCONFIG,
    ...Object.fromEntries(COPIED.map((file) => [file, readKitFile(file)])),
    '.gitignore': files.GITIGNORE,
    '.dockerignore': files.DOCKERIGNORE,
    Dockerfile: files.makeDockerfile(),
    [files.WORKFLOW]: files.makeWorkflow(),
  };
}
