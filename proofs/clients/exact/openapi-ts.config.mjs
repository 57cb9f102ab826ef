export default {
  input: './openapi.yaml',
  output: './src/hey-api',
  plugins: ['@hey-api/client-fetch', '@hey-api/sdk', { name: '@hey-api/transformers', bigInt: true }],
};
