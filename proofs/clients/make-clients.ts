import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const HOME = 'proofs/clients';
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    target: 'es2024',
    module: 'nodenext',
    rewriteRelativeImportExtensions: true,
    skipLibCheck: true,
    types: ['node'],
    rootDir: '.',
    outDir: 'out',
  },
  include: ['made', 'other', 'page', 'as-they-come'],
};

/** Clients in a folder of their own. */
export interface Clients extends Disposable {
  /** What the compiler has against them, a line each. */
  readonly mistakes: readonly string[];
  /** Runs a program, by its path without an ending. @returns what it prints */
  readonly run: (program: string) => Promise<string>;
}

/** What the clients are made of. */
export interface MakeOptions {
  /** Of the plant store. */
  readonly contract: string;
  /** A contract that is only compiled. */
  readonly other: string;
  /** Of the page: settings and programs by their names, and the commands. */
  readonly blocks: readonly Block[];
  /** Of all programs and makers. */
  readonly env: Readonly<Record<string, string>>;
}

/** Makes a client with each maker as it comes, of both contracts, and those of the page; and compiles all of them. */
export async function makeClients({ contract, other, blocks, env }: MakeOptions): Promise<Clients> {
  const folder = mkdtempSync(join(tmpdir(), 'clients-'));
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const run = async (command: string, cwd = '.'): Promise<string> => {
    const path = `${join(folder, 'node_modules/.bin')}:${String(process.env['PATH'])}`;
    // Some of the makers would tell theirs that they ran.
    const environment = { ...process.env, PATH: path, DO_NOT_TRACK: '1', ...env };
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: join(folder, cwd), env: environment });
    return stdout;
  };

  symlinkSync(resolve(HOME, 'node_modules'), join(folder, 'node_modules'));
  write('package.json', JSON.stringify({ type: 'module' }));
  write('tsconfig.json', JSON.stringify(TSCONFIG));
  cpSync(join(HOME, 'as-they-come'), join(folder, 'as-they-come'), { recursive: true });
  for (const [place, text] of Object.entries({ made: contract, other, page: contract })) {
    write(`${place}/openapi.yaml`, text);
  }
  for (const { file, text } of blocks) if (file !== undefined) write(`page/${file}`, text);

  const make = async (place: string): Promise<void> => {
    for (const { toCommand, toSettings } of MAKERS) {
      const settings = toSettings?.('./openapi.yaml');
      if (settings) write(`${place}/${settings.file}`, settings.text);
      await run(toCommand('./openapi.yaml'), place);
    }
  };
  const follow = async (): Promise<void> => {
    for (const { language, text } of blocks) if (language === 'sh') await run(text, 'page');
  };
  await Promise.all([make('made'), make('other'), follow()]);
  return {
    mistakes: (await run('tsc --pretty false || true')).split('\n').filter((line) => line !== ''),
    run: (program) => run(`node out/${program}.js`),
    [Symbol.dispose]: () => {
      rmSync(folder, { recursive: true });
    },
  };
}

/** @returns the version of a package that the proof installed */
export function versionOf(name: string): string {
  const text = readFileSync(join(HOME, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** A maker of clients, as it comes: nothing is set about int64. */
export interface Maker {
  readonly name: string;
  /** Packages whose versions the page names. */
  readonly packages: readonly [string, ...string[]];
  /** @returns what makes a client in a folder of the maker's name, for a shell */
  readonly toCommand: (contract: string) => string;
  /** Its settings, if the command does not have them. */
  readonly toSettings?: (contract: string) => { readonly file: string; readonly text: string };
}

export const MAKERS: readonly Maker[] = [
  {
    name: 'openapi-fetch',
    packages: ['openapi-fetch', 'openapi-typescript'],
    toCommand: (contract) => `openapi-typescript ${contract} --output openapi-fetch/schema.ts`,
  },
  {
    name: 'hey-api',
    packages: ['@hey-api/openapi-ts'],
    toCommand: (contract) => `openapi-ts --input ${contract} --output hey-api`,
  },
  {
    name: 'orval',
    packages: ['orval'],
    toCommand: () => 'orval',
    toSettings: (contract) => ({
      file: 'orval.config.mjs',
      text: `export default {
  api: {
    input: '${contract}',
    output: { target: './orval/client.ts', client: 'fetch', baseUrl: { runtime: 'process.env.BASE' } },
  },
};
`,
    }),
  },
  {
    name: 'kubb',
    packages: ['@kubb/plugin-client'],
    toCommand: () => 'kubb generate --logLevel silent',
    toSettings: (contract) => ({
      file: 'kubb.config.mjs',
      text: `import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';

export default defineConfig({
  input: { path: '${contract}' },
  output: { path: './kubb', format: false },
  plugins: [
    pluginOas({ generators: [] }),
    pluginTs(),
    pluginClient({ client: 'fetch', bundle: true, dataReturnType: 'full' }),
  ],
});
`,
    }),
  },
];

/** A block of code in a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** What its first line names. */
  readonly file: string | undefined;
}

export function readBlocks(page: string): Block[] {
  return [...readFileSync(page, 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
    file: /^\/\/ (\S+\.m?[jt]s)\n/.exec(text)?.[1],
  }));
}
