import { loadText } from '@contract-kit/test-support/load-text';
import { toPageContract } from '../../src/docs/page-contract';

const SCHEMES = {
  login: { type: 'oauth2', description: 'Log in.', flows: { clientCredentials: { tokenUrl: '/token', scopes: {} } } },
  account: { type: 'openIdConnect', openIdConnectUrl: 'https://a.example/' },
  robot: { type: 'http', scheme: 'Robot' },
  staff: { type: 'http', scheme: 'Basic' },
  certificate: { type: 'mutualTLS' },
};

/** The contract that the page shows of one whose methods `ask` and `purge` are at `/v2/a`. */
function toPage(url: string, prefix: string | undefined, security: readonly object[] = []): object {
  const servers = [{ url: 'http://elsewhere.example/v2' }];
  const done = { servers, security, responses: { 204: { description: 'Done.' } } };
  const methods = { QUERY: { operationId: 'ask', ...done }, PURGE: { operationId: 'purge', ...done } };
  const document = {
    ...{ openapi: '3.0.3', info: { title: 'A', version: '1' }, servers: [{ url }], paths: { '/a': { $ref: '#/x-a' } } },
    ...{ 'x-a': { servers, 'x-oai-additionalOperations': methods }, components: { securitySchemes: SCHEMES } },
  };
  return toPageContract(loadText(JSON.stringify(document)), prefix);
}

test.each([
  ['/v1', undefined, '/../v2/a'],
  ['/a/b', undefined, '/../../v2/a'],
  ['/', undefined, '/v2/a'],
  ['/v2/', undefined, '/a'],
  ['/v1', '', '/a'],
])('below %s, with the prefix %j, the page finds the operations of /v2 at %s', (url, prefix, path) => {
  const item = {
    query: { operationId: 'ask', servers: undefined },
    additionalOperations: { PURGE: { operationId: 'purge' } },
  };
  expect(toPage(url, prefix)).toMatchObject({ servers: [{ url: '/' }], paths: { [path]: item } });
});

test('the page asks for the credentials that it can send', () => {
  const security = [{ login: ['read'], account: [] }, { robot: [] }, { staff: [] }];
  const bearer = { type: 'http', scheme: 'bearer' };
  expect(toPage('/v2', undefined, [{ certificate: [] }, ...security])).toMatchObject({
    security: [{ login: [] }, { account: [] }, { robot: [] }, { staff: [] }],
    paths: { '/a': { query: { security } } },
    components: {
      securitySchemes: {
        login: { ...bearer, description: 'Log in.\n\nAn access token, from /token' },
        account: { ...bearer, description: '\n\nAn access token, from https://a.example/' },
        robot: { type: 'apiKey', in: 'header', name: 'Authorization' },
        staff: SCHEMES.staff,
      },
    },
  });
});
