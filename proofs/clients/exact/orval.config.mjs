export default {
  plants: {
    input: './openapi.yaml',
    output: {
      target: './src/orval/client.ts',
      client: 'fetch',
      baseUrl: 'http://127.0.0.1:3000',
      override: { useBigInt: true, fetch: { jsonReviver: { path: './src/exact-json.ts', name: 'reviveInt64' } } },
    },
  },
};
