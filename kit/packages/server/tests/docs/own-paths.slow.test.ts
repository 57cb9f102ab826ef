import { posix } from 'node:path';
import express, { type Express } from 'express';
import request from 'supertest';
import type { Contract } from '@contract-kit/contract';
import { serveContract } from '../../src/pipeline/serve-contract';
import * as OpenApiValidator from 'express-openapi-validator';
import { createDocs, hasDocsPage } from '../../src/docs/create-docs';
import type { AppOptions } from '../../src/runtime/service';
import { loadText } from '@contract-kit/test-support/load-text';
import { sendRaw } from '@contract-kit/test-support/send-raw';
import { postThing, startThings, THINGS } from '@contract-kit/test-support/start-things';
import { until } from '@contract-kit/test-support/until';

const { join } = posix;
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const DOCS = ['/docs', '/openapi.yaml', '/openapi.json'];

/** The contract with another path instead of its own. */
function loadWith(path: string): Contract {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
  const parameters = names.map((name) => `{ name: ${name}, in: path, required: true, schema: { type: string } }`);
  return loadText(THINGS.replace('  /things:\n', `  ${path}:\n    parameters: [${parameters.join(', ')}]\n`));
}

describe('the root', () => {
  test.each(['GET', 'HEAD'])('leads a browser to the page: %s', async (method) => {
    await using app = await startThings();
    const head = `${method} /?a=b HTTP/1.1\r\nHost: a\r\nAccept: ${BROWSER}\r\nConnection: close\r\n\r\n`;
    const [reply] = await sendRaw(app.port, head);
    expect(reply).toMatchObject({ status: 302, headers: { location: './docs', vary: 'Accept' }, body: '' });
    await until(() => app.outcomes.length === 1);
    expect(app.outcomes).toMatchObject([{ method, path: '/', operation: undefined, status: 302 }]);
    const { text } = await request(app.server).get('/').set('Accept', BROWSER).redirects(1).expect(200);
    expect(text).toContain('<div id="page"');
  });

  test.each([
    ...[undefined, '*/*', 'application/json', 'application/json, text/html;q=0.9', 'text/html;q=0', 'image/png', ''],
  ])('is no path for a client that accepts %j', async (accept) => {
    await using app = await startThings();
    const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept };
    const reply = await request(app.server).get('/').set(headers).expect(404);
    expect(reply.body).toMatchObject({ error: 40400 });
    expect(reply.headers).not.toHaveProperty('location');
  });

  test('is no path for other methods', async () => {
    await using app = await startThings();
    for (const method of ['post', 'put', 'delete', 'options'] as const) {
      await request(app.server)[method]('/').set('Accept', BROWSER).expect(404);
    }
  });

  test.each(['/v1', '/v1/', '/a:b', '/a:b/', '/garden/v%201'])('of a base URL leads there, too: %s', async (path) => {
    await using app = await startThings({ prefix: path.replace(/\/$/, '') });
    const { headers } = await request(app.server).get(path).set('Accept', BROWSER).expect(302);
    const { pathname } = new URL(String(headers['location']), `http://a${path}`);
    expect(pathname).toBe(`${path.replace(/\/$/, '')}/docs`);
    await request(app.server).get(pathname).expect(200);
    const { headers: ofHost } = await request(app.server).get('/').set('Accept', BROWSER).expect(302);
    expect(new URL(String(ofHost['location']), 'http://a/').pathname).toBe(pathname);
  });

  test('of a page that is mounted below a path leads there, too', async () => {
    const createApp = async (parts: AppOptions): Promise<Express> =>
      express()
        .use('/below', createDocs(parts))
        .use(await serveContract({ ...parts, validator: OpenApiValidator }));
    await using app = await startThings({ createApp });
    for (const path of ['/below', '/below/']) {
      const { headers } = await request(app.server).get(path).set('Accept', BROWSER).expect(302);
      expect(new URL(String(headers['location']), `http://a${path}`).pathname).toBe('/below/docs');
    }
    await request(app.server).get('/').set('Accept', BROWSER).expect(404);
  });
});

describe('an operation comes first', () => {
  test('at the root, which leads nowhere else', async () => {
    const contract = loadWith('/');
    await using app = await startThings({ contract });
    const reply = await request(app.server).get('/').set('Accept', BROWSER);
    expect([reply.status, reply.headers['allow']]).toEqual([405, 'POST']);
    for (const path of DOCS) await request(app.server).get(path).expect(200);
    expect(hasDocsPage({ contract })).toBe(true);
  });

  test.each([
    ['/v1', '/docs', '/v1', false],
    ['/v1', '/v1/docs', '/', false],
    ['/v1', '/docs', '/', true],
    ['/v1', '/', '/', true],
    ['/', '/docs', '/v2', true],
  ])('below its own server: with a page below %s, %s below %s', async (url, path, own, hasPage) => {
    const source = THINGS.replace('  /things:\n', `  ${path}:\n    servers: [{ url: ${own} }]\n`);
    const contract = loadText(`servers: [{ url: ${url} }]\n${source.replace(/^servers: .*\n/m, '')}`);
    await using app = await startThings({ contract });
    const { status } = await request(app.server).get(join(url, 'openapi.json'));
    expect(status).toBe(hasPage ? 200 : 404);
    const { headers } = await request(app.server).get(join(own, path)).expect(405);
    expect(headers['allow']).toBe('POST');
    expect(hasDocsPage({ contract })).toBe(hasPage);
  });

  const PATHS_OF_DOCS = [...DOCS, '/{id}', '/d{rest}', '/{name}.json', '/{a}/{b}/{c}', '/docs/{a}/{b}'];

  test.each(PATHS_OF_DOCS)('at %s, and there is no page', async (path) => {
    const contract = loadWith(path);
    await using app = await startThings({ contract });
    for (const other of DOCS) {
      const { status } = await request(app.server).get(other);
      expect([404, 405]).toContain(status);
    }
    await request(app.server).get('/').set('Accept', BROWSER).expect(404);
    expect(hasDocsPage({ contract })).toBe(false);
  });

  test('and is served', async () => {
    await using app = await startThings({ contract: loadWith('/docs') });
    await postThing(app.server, '{"id":1,"name":"Rose"}').expect(404);
    const headers = { Authorization: 'Bearer a-token-for-the-tests' };
    await request(app.server).post('/docs').set(headers).send({ id: 1, name: 'Rose' }).expect(200, { name: 'Rose' });
    expect(app.rows()).toHaveLength(1);
  });

  const OTHER_PATHS = ['/documents', '/docs/{id}', '/{a}/{b}', '/docs.html', '/openapi'];

  test.each(OTHER_PATHS)('elsewhere, %s takes nothing', (path) => {
    expect(hasDocsPage({ contract: loadWith(path) })).toBe(true);
  });
});
