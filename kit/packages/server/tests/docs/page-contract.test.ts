import { loadText } from '@contract-kit/test-support/load-text';
import { toPageContract } from '../../src/docs/page-contract';

/** The contract that the page shows of one with a path item at `/a`. */
function toPage(item: object, more: object = {}, prefix?: string): object {
  const document = { openapi: '3.1.0', info: { title: 'A', version: '1' }, paths: { '/a': item }, ...more };
  return toPageContract(loadText(JSON.stringify(document)), prefix);
}

const DONE = { responses: { 204: { description: 'Done.' } } };

test.each([
  [
    '3.2.0',
    { query: { operationId: 'ask', ...DONE }, additionalOperations: { PURGE: { operationId: 'purge', ...DONE } } },
  ],
  [
    '3.1.0',
    {
      'x-oai-query': { operationId: 'ask', ...DONE },
      'x-oai-additionalOperations': { PURGE: { operationId: 'purge', ...DONE } },
    },
  ],
  [
    '3.0.3',
    {
      'x-oai-additionalOperations': {
        QUERY: { operationId: 'ask', ...DONE },
        PURGE: { operationId: 'purge', ...DONE },
      },
    },
  ],
])('the page shows the methods that OpenAPI %s adds by the names that 3.2 has for them', (openapi, item) => {
  expect(toPage(item, { openapi })).toMatchObject({
    openapi,
    paths: { '/a': { query: { operationId: 'ask' }, additionalOperations: { PURGE: { operationId: 'purge' } } } },
  });
});

test.each([
  ['/v1', undefined, '/../v2/a'],
  ['/a/b', undefined, '/../../v2/a'],
  ['/', undefined, '/v2/a'],
  ['/v2/', undefined, '/a'],
  ['/v1', '', '/a'],
])('below %s, with the prefix %j, the page finds an operation of /v2 at %s', (url, prefix, path) => {
  const item = { servers: [{ url: 'http://elsewhere.example/v2' }], get: { operationId: 'read', ...DONE } };
  expect(toPage({ $ref: '#/x-item' }, { servers: [{ url }], 'x-item': item }, prefix)).toMatchObject({
    servers: [{ url: '/' }],
    paths: { [path]: { get: { operationId: 'read', servers: undefined } } },
  });
});

test('the page asks for the credentials that it can send', () => {
  const flows = { clientCredentials: { tokenUrl: 'https://a.example/token', scopes: { read: 'Reads.' } } };
  const securitySchemes = {
    login: { type: 'oauth2', description: 'Log in.', flows },
    account: { type: 'openIdConnect', openIdConnectUrl: 'https://a.example/' },
    robot: { type: 'http', scheme: 'Robot' },
    staff: { type: 'http', scheme: 'Basic' },
    certificate: { type: 'mutualTLS' },
  };
  const security = [{ certificate: [] }, { login: ['read'], account: [] }, { robot: [] }, { staff: [] }];
  expect(
    toPage({ get: { operationId: 'read', security, ...DONE } }, { components: { securitySchemes } }),
  ).toMatchObject({
    security: [{ login: [] }, { account: [] }, { robot: [] }, { staff: [] }],
    paths: { '/a': { get: { security: security.slice(1) } } },
    components: {
      securitySchemes: {
        login: {
          type: 'http',
          scheme: 'bearer',
          description: 'Log in.\n\nAn access token, from https://a.example/token',
        },
        account: { type: 'http', scheme: 'bearer', description: '\n\nAn access token, from https://a.example/' },
        robot: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: '\n\nSend Robot, a space and the credentials.',
        },
        staff: securitySchemes.staff,
      },
    },
  });
});
