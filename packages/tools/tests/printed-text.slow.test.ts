import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { useFolder } from '../../../tests/support/use-folder';

const folder = useFolder();
// Sets the title of a terminal, clears it, and reverses what follows.
const COMMANDS = '\u001b]0;a\u0007\u009b2J\u202e';

test.each([['check'], ['generate', '--keep-going'], ['generate']])(
  'no text of a contract commands the terminal that the output of contract-kit is printed to: %s',
  (...args) => {
    const paths = {
      [`/a${COMMANDS}`]: { get: { operationId: COMMANDS, responses: { '200': { description: 'Any.' } } } },
      [`/b${COMMANDS}`]: { get: { parameters: [{ $ref: `#/nowhere${COMMANDS}` }], responses: {} } },
    };
    const info = { title: COMMANDS, version: '1.0.0' };
    writeFileSync(join(folder, 'openapi.yaml'), JSON.stringify({ openapi: '3.1.0', info, security: [], paths }));
    writeFileSync(join(folder, 'package.json'), '{}');
    const node = ['--conditions=source', '--require', resolve('scripts/register.cjs')];
    const command = [...node, resolve('packages/tools/src/cli.ts'), ...args];
    const { stdout, stderr } = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
    const printed = stdout + stderr;
    expect(printed).toContain('\\u{1b}]0;a\\u{7}\\u{9b}2J\\u{202e}');
    expect(printed).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
  },
);
