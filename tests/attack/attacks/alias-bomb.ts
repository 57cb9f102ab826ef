import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Attack } from '../attack';

const LEVELS = 9;
const ALIASES = 10;
const PATIENCE_MS = 40_000;

/** A contract of a kilobyte that has ten thousand million values with its aliases written out. */
export const aliasBomb: Attack = {
  name: 'a contract of nested YAML aliases, through npm run generate',
  run() {
    // Most of a short run is the start of Node and of the compiler, which take as long as the machine is busy.
    const usual = generate('openapi: [');
    const { seconds, lines } = generate(makeContract());
    return Promise.resolve([
      { what: 'longer than the refusal of broken YAML', value: seconds - usual.seconds, atMost: 5, unit: 's' },
      { what: 'told in', value: lines, atMost: 1, unit: 'lines' },
    ]);
  },
};

/** @returns how long the refusal of a contract took, Infinity when there was none, and its lines */
function generate(contract: string): { seconds: number; lines: number } {
  const folder = mkdtempSync(join(tmpdir(), 'aliases-'));
  try {
    writeFileSync(join(folder, 'openapi.yaml'), contract);
    const script = resolve('packages/tools/src/cli.ts');
    const args = ['--conditions=source', '--require', resolve('node_modules/ts-node/register/transpile-only'), script];
    const start = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [...args, 'generate'], {
      cwd: folder,
      env: { ...process.env, TS_NODE_PROJECT: resolve('tsconfig.json') },
      encoding: 'utf8',
      timeout: PATIENCE_MS,
      killSignal: 'SIGKILL',
    });
    const seconds = (performance.now() - start) / 1000;
    return { seconds: status === 1 ? seconds : Infinity, lines: stderr.trim().split('\n').length };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function makeContract(): string {
  const levels = Array.from({ length: LEVELS }, (_unused, level) => {
    const aliases = Array<string>(ALIASES)
      .fill(`*a${String(level)}`)
      .join(', ');
    return `x-a${String(level + 1)}: &a${String(level + 1)} [${aliases}]`;
  });
  return [
    'openapi: 3.1.0',
    'info: { title: A, version: 1.0.0 }',
    'security: []',
    'paths: {}',
    `x-a0: &a0 [${Array(ALIASES).fill('x').join(', ')}]`,
    ...levels,
  ].join('\n');
}
