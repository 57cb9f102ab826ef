import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { spawnSync } from 'node:child_process';
import { CONTRACT_KIT } from './make-project';
import { useFolder } from '../../../tests/support/use-folder';

const ANIMALS = readFileSync('tests/fixtures/errors/animals.yaml', 'utf8');
const [, SECTION = ''] = readFileSync('packages/server/README.md', 'utf8').split('\n## Your own errors\n');
const [, CODE = ''] = /```ts\n(.*?)```/s.exec(SECTION) ?? [];

const HANDLERS = `import type { Handlers, RenderError } from '../generated/handlers';

export const handlers: Handlers = {
  addAnimal: ({ body }, reply) =>
    body === undefined ? reply(409, { code: 1n, message: 'Which?' }) : reply(201, undefined, { Location: '/animals/' + body.name }),
  getAnimal: ({ path: { name } }, reply) => (name === 'cat' ? reply(203, { name }) : reply(404)),
};

// @ts-expect-error -- the body of the default, under a status that is listed
export const listed: Handlers['getAnimal'] = (_, reply) => reply(404, { code: 1n, message: '' });
// @ts-expect-error -- the body of the range, under another status
export const ofRange: Handlers['getAnimal'] = (_, reply) => reply(500, { name: 'cat' });
// @ts-expect-error -- a header is missing
export const withoutHeader: Handlers['addAnimal'] = (_, reply) => reply(201);
// @ts-expect-error -- no error of the contract
export const otherErrors: RenderError = ({ message }) => ({ errors: { body: [message] } });
`;

const folder = useFolder();

function runGenerate(source: string): { status: number | null; stdout: string; stderr: string } {
  writeFileSync(join(folder, 'openapi.yaml'), source);
  return spawnSync(process.execPath, [...CONTRACT_KIT, 'generate'], { cwd: folder, encoding: 'utf8' });
}

test('the code of the README compiles for a contract with a default and ranges, and so do handlers that name a status', () => {
  expect(runGenerate(ANIMALS)).toMatchObject({ status: 0, stderr: '' });
  writeFileSync(join(folder, 'src/render-error.ts'), CODE);
  writeFileSync(join(folder, 'src/handlers.ts'), HANDLERS);
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));

  const config = ts.parseJsonConfigFileContent({ extends: resolve('tsconfig.json'), include: ['src'] }, ts.sys, folder);
  const names = config.fileNames.map((name) => relative(folder, name)).sort();
  expect(names).toEqual([
    'src/handlers.ts',
    'src/handlers/add-animal.ts',
    'src/handlers/get-animal.ts',
    'src/render-error.ts',
  ]);
  const problems = ts.getPreEmitDiagnostics(ts.createProgram(config.fileNames, config.options));
  const texts = problems.map(
    ({ file, messageText }) => `${String(file?.fileName)} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
  );
  expect(texts).toEqual([]);
});

test('the command says once which refusals no reply is declared for', () => {
  const { stdout } = runGenerate(ANIMALS.replaceAll(/^ +default:.*\n/gm, ''));
  expect(stdout.split('\n').filter((line) => line.includes('problem details'))).toEqual([
    'Refused with problem details (application/problem+json), or what renderError makes, since no reply is declared for them: 400, 401, 413, 415, 500, 503 of addAnimal; 400, 500, 503 of getAnimal',
  ]);
});
