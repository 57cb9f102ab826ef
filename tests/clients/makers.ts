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
