import { createServer, METHODS } from 'node:http';
import express from 'express';
import request from 'supertest';
import { ADDITIONAL_METHODS, OPERATION_FIELDS } from '../../../contract/src/2-resolve/path-item';
import { createCors } from '../../src/runtime/cors';
import { listenOnLoopback } from '../../../../tests/support/listen-on-loopback';
import { loadText } from '../../../../tests/support/load-text';
import { sendRaw } from '../../../../tests/support/send-raw';
import { serveText } from '../../../../tests/support/serve-text';

const REPLIES = "responses: { '204': { description: Done. } }";
const BODY = `requestBody: { content: { application/json: { schema: { type: object, required: [bed], properties: { bed: {} } } } } }`;

/** A contract whose path /beds has these members. */
function contractOf(version: string, members: string): string {
  return `openapi: ${version}\ninfo: { title: Beds, version: 1.0.0 }\nsecurity: []\npaths: { /beds: { ${members} } }\n`;
}

const OPERATIONS = {
  '3.2.0': `query: { operationId: find, ${BODY}, ${REPLIES} }, additionalOperations: { PURGE: { ${REPLIES} }, M-SEARCH: { ${REPLIES} }, x-a: 1 }`,
  '3.1.0': `x-oai-query: { operationId: find, ${BODY}, ${REPLIES} }, x-oai-additionalOperations: { PURGE: { ${REPLIES} }, M-SEARCH: { ${REPLIES} } }`,
  '3.0.3': `x-oai-additionalOperations: { QUERY: { operationId: find, ${BODY}, ${REPLIES} }, PURGE: { ${REPLIES} }, M-SEARCH: { ${REPLIES} } }`,
};

describe.each(Object.entries(OPERATIONS))('in OpenAPI %s', (version, members) => {
  const source = contractOf(version, `get: { ${REPLIES} }, ${members}`);

  test('QUERY and additional methods are routed, checked and in Allow', async () => {
    const seen: unknown[] = [];
    const handler = (name: string) => (request: { body?: unknown }, reply: (status: number) => never) => {
      seen.push([name, request.body]);
      return reply(204);
    };
    const names = ['find', 'purgeBeds', 'mSearchBeds', 'getBeds'];
    await using served = await serveText(
      source,
      Object.fromEntries(names.map((name) => [name, handler(name)])) as never,
    );
    const send = async (method: string, body = '', type = 'application/json') => {
      const head = `Host: a\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${String(body.length)}`;
      const [reply] = await sendRaw(served.port, `${method} /beds HTTP/1.1\r\n${head}\r\n\r\n${body}`);
      return reply;
    };
    await expect(send('QUERY', '{"bed":1}')).resolves.toMatchObject({ status: 204 });
    await expect(send('QUERY', '{}')).resolves.toMatchObject({ status: 400 });
    await expect(send('QUERY', 'bed', 'text/plain')).resolves.toMatchObject({ status: 400 });
    for (const method of ['PURGE', 'M-SEARCH', 'HEAD'])
      await expect(send(method)).resolves.toMatchObject({ status: 204 });
    expect(seen).toEqual([['find', { bed: 1 }], ...names.slice(1).map((name) => [name, undefined])]);
    const allow = 'GET, HEAD, QUERY, PURGE, M-SEARCH';
    await expect(send('LOCK')).resolves.toMatchObject({ status: 405, headers: { allow } });
  });

  test('a preflight lists QUERY and additional methods', async () => {
    const app = express().use(createCors({ contract: loadText(source), corsOrigins: '*' }));
    await using served = await listenOnLoopback(createServer(app));
    const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'QUERY' };
    const reply = await request(served.server).options('/beds').set(headers).expect(204);
    expect(reply.headers).toMatchObject({ 'access-control-allow-methods': 'GET,QUERY,PURGE,M-SEARCH' });
  });
});

test.each([
  [
    '3.2.0',
    'additionalOperations: { POST: {} }',
    'POST has a field of its own: write post beside additionalOperations',
  ],
  ['3.2.0', 'additionalOperations: { QUERY: {} }', 'QUERY has a field of its own: write query'],
  [
    '3.1.0',
    'x-oai-query: {}, x-oai-additionalOperations: { QUERY: {} }',
    'QUERY has a field of its own: write x-oai-query',
  ],
  [
    '3.2.0',
    'additionalOperations: { GREET: {} }',
    'Node.js reads no request with the method GREET: write one of ACL, ',
  ],
  ['3.2.0', 'additionalOperations: { purge: {} }', 'Node.js reads no request with the method purge'],
  ['3.2.0', 'additionalOperations: { CONNECT: {} }', 'Node.js reads no request with the method CONNECT'],
])('in OpenAPI %s, %s is refused', (version, members, message) => {
  expect(() => loadText(contractOf(version, members))).toThrow(message);
});

test.each(['additionalOperations: { PURGE: {} }', 'x-oai-query: {}', 'x-oai-additionalOperations: { PURGE: {} }'])(
  'what another version of OpenAPI has is an extension: %s',
  (members) => {
    const version = members.startsWith('x-') ? '3.2.0' : '3.1.0';
    expect(loadText(contractOf(version, members)).operations).toEqual([]);
  },
);

test('the additional methods are all that Node reads', () => {
  const fixed = [...Object.keys(OPERATION_FIELDS).map((field) => field.toUpperCase()), 'CONNECT'];
  expect([...ADDITIONAL_METHODS]).toEqual(METHODS.filter((method) => !fixed.includes(method)));
});
