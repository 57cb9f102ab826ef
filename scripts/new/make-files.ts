import { readFileSync } from 'node:fs';
import prettier from 'prettier';
import { chooseFiles } from './choose-files';
import { makeHandlers } from './make/handlers';
import { makePackage } from './make/package-json';
import { makeReadme } from './make/readme';
import { makeService } from './make/service';
import { makeServiceTest, makeStartApp } from './make/tests';
import { makeWorkflow } from './make/workflow';
import type { NewContract } from './read-contract';

const WORKFLOW = '.github/workflows/ci.yml';

/** The files of a new project. */
export interface NewFiles {
  /** Those of this project, by path. */
  readonly copied: readonly string[];
  /** The text of all others, by path. */
  readonly made: Readonly<Record<string, string>>;
}

/** @param name of the package */
export async function makeFiles(name: string, contract: NewContract): Promise<NewFiles> {
  const copied = chooseFiles();
  const own = makePackage(name, contract, copied);
  const texts = {
    [WORKFLOW]: makeWorkflow(WORKFLOW, Object.keys(own.scripts)),
    'README.md': makeReadme(contract),
    'package.json': JSON.stringify(own),
    'src/service.ts': makeService(contract),
    'tests/service.test.ts': makeServiceTest(contract),
    'tests/start-app.ts': makeStartApp(contract),
    ...(await makeHandlers(contract)),
  };
  const formatted = Object.entries(texts).map(async ([file, text]) => [file, await format(file, text)] as const);
  const generated = Object.entries(contract.generated).map(([file, text]) => [`generated/${file}`, text] as const);
  return {
    copied,
    made: {
      ...Object.fromEntries(await Promise.all(formatted)),
      ...Object.fromEntries(generated),
      // To the byte: it is not for us to format.
      '.prettierignore': `${readFileSync('.prettierignore', 'utf8')}openapi.yaml\n`,
      'openapi.yaml': contract.source,
      [`contracts/${contract.release}.yaml`]: contract.source,
      'package-lock.json': readFileSync('package-lock.json', 'utf8'),
    },
  };
}

async function format(file: string, text: string): Promise<string> {
  const options = await prettier.resolveConfig('package.json');
  return prettier.format(text, { ...options, filepath: file });
}
