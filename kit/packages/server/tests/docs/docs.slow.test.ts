import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import request, { type Response } from 'supertest';
import { loadText } from '@contract-kit/test-support/load-text';
import { sendRaw } from '@contract-kit/test-support/send-raw';
import { postThing, startThings } from '@contract-kit/test-support/start-things';
import { until } from '@contract-kit/test-support/until';

const CONTRACT = readFileSync('packages/test-support/fixtures/things.yaml');
const SCALAR = 'packages/server/src/docs/page/scalar.js.gz';
const SOURCES = ['/docs', '/docs/', '/openapi.yaml', '/openapi.json'];

/** What the page is made of, as the page has it. */
function assetsOf(page: string): string[] {
  return [...page.matchAll(/(?:src|href|data-contract)="(docs\/\w[^"]+)"/g)].map(([, path]) => `/${String(path)}`);
}

function bytesOf({ body }: Response): Buffer {
  return body as Buffer;
}

test('the contract is served byte for byte', async () => {
  await using app = await startThings();
  const reply = await request(app.server).get('/openapi.yaml').responseType('blob').expect(200);
  expect(reply.headers['content-type']).toBe('application/yaml');
  expect(bytesOf(reply).equals(CONTRACT)).toBe(true);
});

test('in JSON integers keep their digits', async () => {
  const numbers = ['9223372036854775807', '-9223372036854775808', '9007199254740993', '123456789012345678901234567890'];
  const yaml = `${CONTRACT.toString()}x-numbers: [${numbers.join(', ')}, 1, 1.5, 0x7fffffffffffffff]\n`;
  await using app = await startThings({ contract: loadText(yaml) });
  const { text } = await request(app.server).get('/openapi.json');
  expect(text).toContain(`"x-numbers":[${numbers.join(',')},1,1.5,9223372036854775807]`);
  const served = await request(app.server).get('/openapi.yaml').responseType('blob');
  expect(bytesOf(served).toString()).toBe(yaml);
});

test('the page names what it needs, all of which is there, and nothing from elsewhere', async () => {
  await using app = await startThings();
  const page = await request(app.server).get('/docs');
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.text).not.toMatch(/https?:|<script>|<style|style=|\son\w+=/);
  const assets = assetsOf(page.text);
  const names = ['contract.json', 'page.css', 'page.js', 'scalar.js'];
  expect(assets.map((path) => path.replace(/.*\//, '')).sort()).toEqual(names);
  for (const path of assets) {
    const reply = await request(app.server)
      .get(path)
      .set('Accept-Encoding', 'identity')
      .responseType('blob')
      .expect(200);
    const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', json: 'application/json' };
    expect(reply.headers['content-type']).toBe(types[path.split('.')[1] as keyof typeof types]);
    expect(reply.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    // A name that is kept for ever has to change with what it names: of Scalar's script, this is the compressed one.
    const bytes = path.endsWith('scalar.js') ? readFileSync(SCALAR) : bytesOf(reply);
    expect(path.split('/')[2]).toBe(createHash('sha256').update(bytes).digest('hex').slice(0, 16));
    expect(path.endsWith('scalar.js') ? gunzipSync(bytes) : bytes).toEqual(bytesOf(reply));
  }
});

test('the page has the title as text', async () => {
  const yaml = CONTRACT.toString().replace('Things', () => `'</title>{version} $& "'`);
  await using app = await startThings({ contract: loadText(yaml) });
  const { text } = await request(app.server).get('/docs');
  expect(text).toContain('<title>&#60;/title&#62;{version} $&#38; &#34;</title>');
});

test('every reply has the headers that keep a browser from harm', async () => {
  await using app = await startThings();
  const { text } = await request(app.server).get('/docs');
  for (const path of [...SOURCES, ...assetsOf(text)]) {
    const { headers } = await request(app.server).head(path);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data: blob:; connect-src 'self'; " +
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    );
    // What does not have a name of its own is asked for each time.
    expect(headers['cache-control']).toMatch(SOURCES.includes(path) ? /^no-cache$/ : /immutable$/);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(headers).not.toHaveProperty('x-powered-by');
  }
});

test('a client that accepts gzip gets the page compressed', async () => {
  await using app = await startThings();
  for (const path of SOURCES) {
    const plain = await request(app.server).get(path).set('Accept-Encoding', 'identity').responseType('blob');
    const head = `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAccept-Encoding: gzip\r\n\r\n`;
    const [coded] = await sendRaw(app.port, head);
    expect(coded?.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(Buffer.from(String(coded?.body), 'latin1')).equals(bytesOf(plain))).toBe(true);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.headers['vary']).toBe('Accept-Encoding');
    expect(plain.headers['etag']).not.toBe(coded?.headers['etag']);
  }
});

test('a HEAD is the GET without its body', async () => {
  await using app = await startThings();
  for (const path of SOURCES) {
    const asked = { 'Accept-Encoding': 'identity', 'X-Request-Id': 'the-same-one' };
    const { headers: get } = await request(app.server).get(path).set(asked);
    const head = await request(app.server).head(path).set(asked).expect(200);
    expect({ ...head.headers, date: '' }).toEqual({ ...get, date: '' });
    expect(head.text).toBeUndefined();
  }
});

test('a client that has the page already is told so', async () => {
  await using app = await startThings();
  for (const path of SOURCES) {
    const { headers } = await request(app.server).get(path);
    const reply = await request(app.server).get(path).set('If-None-Match', String(headers['etag'])).expect(304);
    expect(reply.headers).toMatchObject({ etag: headers['etag'], 'cache-control': 'no-cache' });
    expect(reply.headers).not.toHaveProperty('content-length');
    expect(reply.headers).not.toHaveProperty('content-type');
  }
});

const NOWHERE =
  '/docs// /Docs /docs/page.css /docs/0000000000000000/page.css /docs/index.html ' +
  '/docs/scalar.js.gz /docs/../package.json /docs/..%2fpackage.json /docs/%2e%2e/package.json ' +
  '/docs/..\\package.json //docs /docs%00 /docs;a /openapi.yaml/ /openapi /__proto__';

test('a path that is only similar to a path of the documentation page is not served', async () => {
  await using app = await startThings();
  for (const path of NOWHERE.split(' ')) {
    const [reply] = await sendRaw(app.port, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect([path, reply?.status]).toEqual([path, 404]);
    expect(JSON.parse(String(reply?.body))).toMatchObject({ error: 40400 });
  }
});

test('the path of the base URL is before it all', async () => {
  await using app = await startThings({ prefix: '/garden/v1' });
  const page = await request(app.server).get('/garden/v1/docs');
  for (const path of [...SOURCES, ...assetsOf(page.text)]) {
    expect((await request(app.server).get(`/garden/v1${path}`)).status).toBe(200);
    expect((await request(app.server).get(path)).status).toBe(404);
  }
});

test('without the setting docs there is no documentation page', async () => {
  await using on = await startThings();
  const { text } = await request(on.server).get('/docs');
  await using off = await startThings({ docs: false });
  for (const path of [...SOURCES, ...assetsOf(text)]) {
    for (const method of ['get', 'post'] as const) {
      const reply = await request(off.server)[method](path).expect(404);
      expect(reply.body).toMatchObject({ error: 40400 });
    }
  }
  await postThing(off.server, '{"id":1,"name":"Rose"}').expect(200);
});

test('each request is reported once', async () => {
  await using app = await startThings();
  const { headers } = await request(app.server).get('/docs');
  await request(app.server).get('/docs').set('If-None-Match', String(headers['etag']));
  await request(app.server).head('/openapi.yaml');
  await until(() => app.outcomes.length === 3);
  const milliseconds = expect.any(Number) as number;
  const common = { id: expect.any(String) as string, operation: undefined, milliseconds, isAborted: false };
  expect(app.outcomes).toEqual([
    { ...common, method: 'GET', path: '/docs', status: 200, refusal: undefined },
    { ...common, method: 'GET', path: '/docs', status: 304, refusal: undefined },
    { ...common, method: 'HEAD', path: '/openapi.yaml', status: 200, refusal: undefined },
  ]);
});
