import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';

export default defineConfig({
  input: { path: './openapi.yaml' },
  output: { path: './src/kubb', format: false },
  plugins: [
    pluginOas({ generators: [] }),
    pluginTs({ integerType: 'bigint' }),
    pluginClient({ client: 'fetch', bundle: true }),
  ],
});
