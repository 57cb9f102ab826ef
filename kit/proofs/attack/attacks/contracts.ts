import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempDisposableSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FROM_SOURCE } from '@contract-kit/test-support/run-as-others';
import type { Attack } from '../target';

const NEW_MS = 300_000;
const MARK = 'from the contract';

// Files that a project runs, or its owner wrote; last a link out of the contract.
const LINK = 'linked.yaml';
const NAMES = ['src/service.ts', '.git/config', LINK];
// What is hidden, or elsewhere, may be private; any other file becomes a text in the contract.
const PRIVATE = NAMES.slice(1);

/** Each of these is what a contract refers to. */
const hostileContract: Attack = {
  name: 'contracts that name files of the project, through npm run new',
  run() {
    const outcomes = NAMES.map(attempt);
    const count = (kind: keyof (typeof outcomes)[number]): number => outcomes.filter((one) => one[kind]).length;
    return Promise.resolve([
      { what: 'ran', value: count('hasRun'), atMost: 0, unit: 'files' },
      { what: 'written into the project', value: count('isThere'), atMost: 0, unit: 'files' },
      { what: 'not refused by name and place', value: PRIVATE.length - count('isRefused'), atMost: 0, unit: 'files' },
    ]);
  },
};

/** Makes a project for a contract that refers to one file of this name. */
function attempt(name: string): { hasRun: boolean; isThere: boolean; isRefused: boolean } {
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'hostile-'));
  const base = temporary.path;
  const [folder, project, ran] = [join(base, 'contract'), join(base, 'project'), join(base, 'ran')];
  write(join(folder, 'openapi.yaml'), makeContract(name));
  // TypeScript that compiles in place of a service, and YAML: one text of three lines.
  const code = `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '')`;
  const text = `// @ts-nocheck ${MARK}\n${code};\nexport const service = JSON.parse('{}');\n`;
  write(name === LINK ? join(base, name) : join(folder, name), text);
  if (name === LINK) symlinkSync(join(base, name), join(folder, name));
  // As in a new repository, which may be where a project is made.
  write(join(project, '.git/config'), 'of the owner');
  const script = [...FROM_SOURCE, 'scripts/new.ts'];
  const args = [...script, '--contract', join(folder, 'openapi.yaml'), project];
  const { stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: NEW_MS,
    killSignal: 'SIGKILL',
  });
  return {
    hasRun: existsSync(ran),
    isThere: readText(join(project, name)).includes(MARK),
    isRefused: stderr.includes(`openapi.yaml:14:37: error: "./${name}" `),
  };
}

function makeContract(name: string): string {
  return `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
security: []
paths:
  /a:
    get:
      responses:
        '200':
          description: A text.
          content:
            text/plain:
              schema: { type: string }
              examples:
                a: { externalValue: ./${name} }
        default: { description: An error. }
`;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function readText(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

export const contractAttacks: readonly Attack[] = [hostileContract];
