import type { Locator, Page } from 'playwright-core';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { toExactJson } from '@contract-kit/contract';
import { startApp, TOKEN } from '@contract-kit/test-support/start-app';
import type { ServedApp } from '@contract-kit/test-support/serve-app';
import { until } from '@contract-kit/test-support/until';
import { createTokenVerifier } from '../../packages/server/src/auth/tokens';
import type { UntypedHandler } from '../../packages/server/src/pipeline/pipeline';
import { findBrowser, findCut, findInaccessible, openPage, serveDocs, type OpenPage } from './open-page';

const browser = findBrowser();
if (browser === undefined) {
  process.stderr.write(
    'No browser: the tests of the page in one did not run. Install Chromium (apt-get install chromium) or set CHROMIUM to one.\n',
  );
}
const describeInBrowser = browser === undefined ? describe.skip : describe;

const SECRET = 'a-secret-for-the-tests';
const DONE = { responses: { 204: { description: 'Done.' } } };
const succeed: UntypedHandler = (_, reply) => reply(204);

function open({ port }: ServedApp, width = 1280, path = '/docs'): Promise<OpenPage> {
  return openPage(String(browser), `http://127.0.0.1:${String(port)}${path}`, width);
}

const echo: UntypedHandler = ({ body }, reply) => reply(200, body);

/** Serves operations, each at the path and with the method of its key, such as `get /a`, all with one handler. */
function serve(operations: Readonly<Record<string, object>>, handler = succeed, more: More = {}): Promise<ServedApp> {
  const paths: Record<string, object> = {};
  const handlers: Record<string, UntypedHandler> = {};
  for (const [key, operation] of Object.entries(operations)) {
    const [method = '', path = ''] = key.split(' ');
    const operationId = key.replace(/\W/g, '');
    paths[path] = { [method]: { operationId, ...DONE, ...operation } };
    handlers[operationId] = handler;
  }
  const document = { openapi: '3.1.0', info: { title: 'A', version: '1' }, paths, ...more };
  const schemes = Object.keys(more.components?.securitySchemes ?? {});
  const verifiers = schemes.map((name) => [name, createTokenVerifier([SECRET, `ann:${SECRET}`])] as const);
  return serveDocs(toExactJson(document), handlers, Object.fromEntries(verifiers));
}

type More = Readonly<Record<string, unknown>> & {
  readonly components?: { readonly securitySchemes?: object; readonly requestBodies?: object };
};

/** Serves a contract that is not ours, with its documentation. */
function startArchive(): Promise<ServedApp> {
  const verifiers = { signIn: createTokenVerifier([SECRET], ['read']), session: createTokenVerifier([SECRET]) };
  const handlers: Readonly<Record<string, UntypedHandler>> = {
    listRevisions: ({ path }, reply) => reply(200, [{ identifier: path['departmentIdentifier'] }]),
    addRevision: (_, reply) => reply(201),
    readAll: (_, reply) => reply(200, { identifier: 1n }),
    ...{ replaceAll: succeed, changeAll: succeed, removeAll: succeed },
  };
  return serveDocs(readFileSync('packages/test-support/fixtures/archive.yaml', 'utf8'), handlers, verifiers);
}

/** The section of an operation, such as `POST/plants`. */
function sectionOf(page: Page, operation: string): Locator {
  return page.locator(`section[id$="/${operation}"]`);
}

/** Opens the client of an operation. */
async function openClient(page: Page, operation: string): Promise<Locator> {
  // What is far from the screen is there as soon as somebody scrolls to it.
  await page.locator(`[id$="/${operation}"]`).first().scrollIntoViewIfNeeded();
  await sectionOf(page, operation).getByRole('button', { name: 'Test Request' }).click();
  const client = page.getByRole('dialog', { name: 'API Client' });
  await client.getByRole('region', { name: 'Response' }).waitFor();
  return client;
}

/** Sends the request of the open client, and returns what the page announces of the response: its status. */
async function send(client: Locator): Promise<string> {
  await client.page().keyboard.press('Control+Enter');
  const status = client.getByRole('region', { name: 'Response' }).locator('[aria-live=polite] a');
  await status.waitFor();
  return status.innerText();
}

/** Fills all fields for credentials in a part of the page. */
async function authorize(part: Locator, secret: string): Promise<void> {
  for (const field of await part.getByRole('textbox', { name: /^(?:Bearer Token|Value|Password)$/ }).all()) {
    await field.fill(secret);
  }
}

/** What axe-core finds in the client of Scalar, which is not ours. */
const FOUND_IN_CLIENT =
  /^(?:aria-(?:allowed-role|input-field-name|prohibited-attr|required-attr|valid-attr-value)|button-name|landmark-(?:no-duplicate-main|unique)|presentation-role-conflict|scrollable-region-focusable):/;

describeInBrowser('the documentation page', () => {
  describe.each([
    ['this contract', startApp, 'POST/plants'],
    ['a contract with long names', startArchive, 'PUT/all'],
  ] as const)('of %s', (_, start, operation) => {
    test.each([
      ['light', 1280],
      ['dark', 1280],
      ['light', 390],
      ['dark', 390],
    ] as const)('in %s colours, %i pixels wide, cuts off nothing and is accessible', async (colorScheme, width) => {
      await using app = await start();
      await using opened = await open(app, width, '/docs');
      const { page } = opened;
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.waitForSelector(`body.${colorScheme}-mode`);
      await expect(findInaccessible(page)).resolves.toEqual([]);
      await expect(findCut(page)).resolves.toEqual([]);
      const client = await openClient(page, operation);
      await send(client);
      const found = await findInaccessible(page);
      expect(found.filter((finding) => !FOUND_IN_CLIENT.test(finding))).toEqual([]);
      await expect(findCut(page)).resolves.toEqual([]);
    });
  });

  test('is made of the script that the package of Scalar has, whose checksum is in the lock', () => {
    // The package for Fastify has it as a string, and needs 15 packages; that of the script itself needs 280. After an update,
    // compress the new string into scalar.js.gz.
    const [, literal = ''] =
      /^var standalone_default = ("[^]*");$/m.exec(
        readFileSync('proofs/browser/node_modules/@scalar/fastify-api-reference/dist/index.js', 'utf8').split(
          '//#endregion',
        )[0] ?? '',
      ) ?? [];
    const script = gunzipSync(readFileSync('packages/server/src/docs/page/scalar.js.gz'));
    expect(script.equals(Buffer.from(String(runInNewContext(literal))))).toBe(true);
  });

  test.each(['/docs', '/docs/', '/garden/v1/docs/'])(
    'at %s leads to the contract and to this service only',
    async (path) => {
      await using app = await startApp({ prefix: path.replace(/\/docs.*/, '') });
      await using opened = await open(app, 1280, path);
      const { page, requests, complaints } = opened;
      const origin = `http://127.0.0.1:${String(app.port)}`;
      await expect(send(await openClient(page, 'POST/plants'))).resolves.toMatch(/^401/);
      expect(requests).toContain(`POST ${origin}${path.replace(/docs.*/, 'plants')}`);
      const links = await page
        .locator('nav >> nth=0')
        .locator('a')
        .evaluateAll((all) => all.map(String));
      expect(links).toHaveLength(2);
      for (const link of links) expect((await fetch(link)).status).toBe(200);
      const elsewhere = requests.filter(
        (request) => !/ (?:data|blob):/.test(request) && !request.includes(` ${origin}/`),
      );
      expect(elsewhere).toEqual([]);
      expect(complaints.filter((complaint) => !/401|script-src eval/.test(complaint))).toEqual([]);
    },
  );

  test.each(['3.0.4', '3.1.1', '3.2.0'])('shows what stands behind each reference of OpenAPI %s', async (openapi) => {
    const source = openapi.startsWith('3.2') ? REFERENCES.replaceAll('x-oai-', '') : REFERENCES;
    const handlers = Object.fromEntries(['act', 'other', 'watch', 'purge'].map((id) => [id, succeed]));
    await using app = await serveDocs(`openapi: ${openapi}${source}`, handlers, {});
    await using opened = await open(app);
    const { page } = opened;
    for (const operation of ['POST/a/{ofTheItem}', 'GET/c']) {
      // Responses, then their headers, are closed at first.
      for (let depth = 0; depth < 2; depth++) {
        const closed = sectionOf(page, operation).locator('li button[aria-expanded=false]:not([aria-haspopup])');
        for (const button of await closed.all()) await button.click();
      }
    }
    const shown = await page.innerText('main');
    await sectionOf(page, 'POST/a/{ofTheItem}').getByRole('tab', { name: '202' }).click();
    const names = 'Item Operation Schema Body Response Event Callback PathItem Method'
      .split(' ')
      .map((name) => `ofThe${name}`);
    expect([...names, 'X-Of-Header'].filter((name) => !shown.includes(name))).toEqual([]);
    await expect(page.innerText('main')).resolves.toContain('ofTheExample');
  });

  test('an integer keeps its digits: in bounds, in examples, in a request and in its response', async () => {
    const int64 = (more: object) => ({ type: 'integer', format: 'int64', ...more });
    const schema = { type: 'object', properties: { id: int64({ maximum: 9223372036854775806n }) } };
    const content = { 'application/json': { schema, example: { id: 9007199254740993n } } };
    const parameters = [{ name: 'n', in: 'query', schema: int64({ example: 9007199254740995n }) }];
    const responses = { 200: { description: 'Yes.', content } };
    await using app = await serve({ 'post /a': { parameters, requestBody: { content }, responses } }, echo);
    await using opened = await open(app);
    const { page, requests } = opened;
    await expect(page.innerText('main')).resolves.toContain('maximum: 9223372036854775806');
    const client = await openClient(page, 'POST/a');
    await expect(send(client)).resolves.toMatch(/^200/);
    expect(requests.join()).toContain('/a?n=9007199254740995');
    await expect(client.getByRole('region', { name: 'Response' }).innerText()).resolves.toContain('9007199254740993');
  });

  test('an item stream is shown as it comes, and the page can stop it', async () => {
    const { promise: stopped, resolve } = Promise.withResolvers<undefined>();
    const next = Promise.withResolvers<undefined>();
    async function* follow(signal: AbortSignal): AsyncGenerator<object> {
      signal.addEventListener('abort', () => {
        resolve(undefined);
      });
      yield { event: 'first', data: '1' };
      await next.promise;
      yield { event: 'second', data: '2' };
      await stopped;
    }
    const event = { type: 'object', properties: { event: { type: 'string' }, data: { type: 'string' } } };
    const content = { 'text/event-stream': { 'x-oai-itemSchema': event } };
    const responses = { 200: { description: 'All.', content } };
    await using app = await serve({ 'get /a': { responses } }, ({ signal }, reply) => reply(200, follow(signal)));
    await using opened = await open(app);
    const client = await openClient(opened.page, 'GET/a');
    await opened.page.keyboard.press('Control+Enter');
    const response = client.getByRole('region', { name: 'Response' });
    await response.getByText('event: first').waitFor();
    expect(await response.innerText()).not.toContain('event: second');
    next.resolve(undefined);
    await response.getByText('event: second').waitFor();
    await response.getByRole('button', { name: 'Cancel' }).click();
    await stopped;
  });

  test('the sample of a request in JSON lines is what the service takes', async () => {
    const note = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } };
    const content = { 'application/jsonl': { 'x-oai-itemSchema': note } };
    const responses = { 200: { description: 'All.', content } };
    await using app = await serve({ 'post /a': { requestBody: { content }, responses } }, echo);
    await using opened = await open(app);
    await expect(send(await openClient(opened.page, 'POST/a'))).resolves.toMatch(/^200/);
  });

  test('a picture is shown, and can be downloaded', async () => {
    const picture = Buffer.from(PICTURE, 'base64');
    const responses = { 200: { description: 'It.', content: { 'image/png': {} } } };
    await using app = await serve({ 'get /a': { responses } }, (_, reply) => reply(200, picture));
    await using opened = await open(app);
    const client = await openClient(opened.page, 'GET/a');
    await expect(send(client)).resolves.toMatch(/^200/);
    await client.locator('img[src^="blob:"]').waitFor();
    const image = `document.querySelector('img[src^="blob:"]')`;
    const width = await opened.page.evaluate(`${image}.decode().then(() => ${image}.naturalWidth)`);
    expect(width).toBe(1);
    const [download] = await Promise.all([
      opened.page.waitForEvent('download'),
      client.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(readFileSync(await download.path()).equals(picture)).toBe(true);
    expect(opened.complaints.filter((complaint) => !complaint.includes('script-src eval'))).toEqual([]);
  });

  test('a file of a form has the type that the browser knows, where the contract has a choice', async () => {
    const schema = { type: 'object', properties: { photo: { type: 'string', contentMediaType: 'image/*' } } };
    const encoding = { photo: { contentType: 'image/jpeg, image/png' } };
    const requestBody = { content: { 'multipart/form-data': { schema, encoding } } };
    const more = { components: { requestBodies: { form: requestBody } } };
    const types: unknown[] = [];
    const note: UntypedHandler = ({ body }, reply) => {
      types.push((body as { photo: { type: string } }).photo.type);
      return reply(204);
    };
    await using app = await serve(
      { 'post /a': { requestBody: { $ref: '#/components/requestBodies/form' } } },
      note,
      more,
    );
    await using opened = await open(app);
    const client = await openClient(opened.page, 'POST/a');
    const [chooser] = await Promise.all([
      opened.page.waitForEvent('filechooser'),
      client.getByRole('button', { name: 'File' }).first().click(),
    ]);
    await chooser.setFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from(PICTURE, 'base64') });
    await expect(send(client)).resolves.toMatch(/^204/);
    expect(types).toEqual(['image/png']);
  });

  test('one of 40 operations is found, linked to and tried, with a token that stays in this tab', async () => {
    const operations = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`get /shelves/s${String(index)}`, { tags: ['shelves'] }]),
    );
    const more = {
      security: [{ key: [] }],
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    };
    await using app = await serve(operations, succeed, more);
    await using opened = await open(app);
    const { page } = opened;
    await authorize(page.locator('main'), SECRET);
    await page.getByRole('button', { name: /Search/ }).click();
    await page.keyboard.type('s37');
    await page.getByRole('option', { name: /s37/ }).first().click();
    await page.waitForURL(/#.*\/shelves\/s37$/);
    // The page keeps the token a moment after it was typed.
    await until(async () => String(await page.evaluate('JSON.stringify(sessionStorage)')).includes(SECRET));
    await page.reload();
    await expect(send(await openClient(page, 'GET/shelves/s37'))).resolves.toMatch(/^204/);
    await expect(page.evaluate('document.cookie')).resolves.toBe('');
    const { origins } = await page.context().storageState();
    expect(JSON.stringify(origins)).not.toContain(SECRET);
  });
});

/** A contract without its version: at each place that may have a reference, with a name behind it. */
const REFERENCES = `
info: { title: A, version: '1' }
paths:
  /a/{ofTheItem}:
    parameters: [{ $ref: '#/components/parameters/Item' }]
    post:
      operationId: act
      parameters: [{ $ref: '#/components/parameters/Own' }]
      requestBody: { $ref: '#/components/requestBodies/Body' }
      responses:
        '200': { $ref: '#/components/responses/Found' }
        '202':
          description: Later.
          content: { application/json: { examples: { one: { $ref: '#/components/examples/One' } } } }
      callbacks: { ofTheCallback: { $ref: '#/components/callbacks/Done' } }
  /b: { $ref: '#/x-items/other' }
  /c:
    get:
      operationId: watch
      responses:
        '200':
          description: All.
          content: { text/event-stream: { x-oai-itemSchema: { $ref: '#/components/schemas/Event' } } }
    x-oai-additionalOperations: { PURGE: { operationId: purge, summary: ofTheMethod, responses: &done { '204': { description: Done. } } } }
x-items: { other: { get: { operationId: other, summary: ofThePathItem, responses: *done } } }
components:
  parameters:
    Item: { name: ofTheItem, in: path, required: true, schema: { $ref: '#/components/schemas/Id' } }
    Own: { name: ofTheOperation, in: query, schema: { type: string } }
  schemas:
    Id: { type: string, format: uuid }
    Note: { type: object, properties: { ofTheSchema: { type: string } } }
    Event: { type: object, properties: { ofTheEvent: { type: string } } }
  requestBodies:
    Body: { description: ofTheBody, content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } }
  responses:
    Found:
      description: ofTheResponse
      headers: { X-Of-Header: { $ref: '#/components/headers/Age' } }
      content: { application/json: { schema: { type: object } } }
  headers: { Age: { schema: { type: string } } }
  examples: { One: { value: { ofTheSchema: ofTheExample } } }
  callbacks: { Done: { '{$request.body#/url}': { post: { responses: *done } } } }
`;
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describeInBrowser('the operations of the page', () => {
  test.each([1280, 390])(
    'on a screen of %i pixels, a plant is created by keyboard only, its id exact',
    async (width) => {
      await using app = await startApp();
      await using opened = await open(app, width);
      const { page } = opened;
      await tabTo(page, page.locator('main').getByRole('textbox', { name: 'Bearer Token' }));
      await page.keyboard.type(TOKEN);
      await tabTo(page, sectionOf(page, 'POST/plants').getByRole('button', { name: 'Test Request' }));
      await page.keyboard.press('Enter');
      const client = page.getByRole('dialog', { name: 'API Client' });
      const body = client.locator('.cm-content').first();
      await body.waitFor();
      await tabTo(page, body);
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText('{"id":9007199254740993,"name":"Rose","tag":"flower"}');
      await expect(send(client)).resolves.toMatch(/^200/);
      // The focus stays where it is.
      await expect(isFocused(body)).resolves.toBe(true);
      expect(app.rows()).toEqual([{ id: 9007199254740993n, name: 'Rose', tag: 'flower' }]);
    },
  );

  test.each([
    ['account and till', 'GET/sales', [SECRET, SECRET]],
    ['guest and session', 'GET/visits', [SECRET, SECRET]],
    ['staff', 'GET/shifts', ['ann', SECRET]],
    ['robot', 'GET/robots', [`Robot ${SECRET}`]],
  ])('the credentials of %s are sent', async (_, operation, values) => {
    const secured = (...names: string[]) => ({ security: [Object.fromEntries(names.map((name) => [name, []]))] });
    const securitySchemes = {
      account: { type: 'openIdConnect', openIdConnectUrl: 'https://desk.example/.well-known/openid-configuration' },
      till: { type: 'apiKey', in: 'header', name: 'X-Till-Key' },
      guest: { type: 'http', scheme: 'bearer' },
      session: { type: 'apiKey', in: 'cookie', name: 'session' },
      staff: { type: 'http', scheme: 'basic' },
      robot: { type: 'http', scheme: 'Robot' },
    };
    const operations = {
      'get /sales': secured('account', 'till'),
      'get /visits': secured('guest', 'session'),
      'get /shifts': secured('staff'),
      'get /robots': secured('robot'),
    };
    await using app = await serve(operations, succeed, { components: { securitySchemes } });
    await using opened = await open(app);
    const client = await openClient(opened.page, operation);
    const fields = client
      .getByRole('tabpanel')
      .getByRole('textbox')
      .or(client.getByRole('combobox', { name: 'Username' }));
    for (const [index, value] of values.entries()) await fields.nth(index).fill(value);
    await expect(send(client)).resolves.toMatch(/^204/);
  });
});

describeInBrowser('a hostile contract', () => {
  test('runs no script by its texts, and loads nothing', async () => {
    const text =
      '<img src=/x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>[a](javascript:alert(4)) ![b](http://elsewhere.example/b)';
    const parameters = [{ name: 'p', in: 'query', description: text, schema: { type: 'string', description: text } }];
    const operation = { summary: text, description: text, parameters, responses: { 204: { description: text } } };
    const more = { info: { title: text, version: text, description: text }, tags: [{ name: text, description: text }] };
    await using app = await serve({ 'get /a': operation }, succeed, more);
    await using opened = await open(app);
    const { page, complaints } = opened;
    const alerts: string[] = [];
    page.on('dialog', (dialog) => {
      alerts.push(dialog.message());
      void dialog.dismiss();
    });
    await send(await openClient(page, 'GET/a'));
    expect(alerts).toEqual([]);
    await expect(page.locator('a[href^="javascript:"], main script, [onerror], [onload]').count()).resolves.toBe(0);
    expect(complaints).toContain('img-src http://elsewhere.example/b');
  });

  test('sends credentials to the path of the server that a path item anywhere in the contract names, on this host', async () => {
    const servers = [{ url: 'http://elsewhere.example/v2' }];
    const item = { servers, post: { operationId: 'act', servers, ...DONE } };
    const document = {
      ...{
        openapi: '3.1.0',
        info: { title: 'A', version: '1' },
        paths: { '/a': { $ref: '#/x-items/a' } },
        'x-items': { a: item },
      },
      ...{
        security: [{ key: [] }],
        components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
      },
    };
    await using app = await serveDocs(
      JSON.stringify(document),
      { act: succeed },
      { key: createTokenVerifier([SECRET]) },
    );
    await using opened = await open(app);
    await authorize(opened.page.locator('main'), SECRET);
    await send(await openClient(opened.page, 'POST/v2/a'));
    expect(opened.requests).toContain(`POST http://127.0.0.1:${String(app.port)}/v2/a`);
    expect(opened.requests.join()).not.toContain('elsewhere');
  });
});

async function isFocused(locator: Locator): Promise<boolean> {
  return (await locator.and(locator.page().locator(':focus')).count()) === 1;
}

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, locator: Locator): Promise<void> {
  for (let tabs = 0; tabs < 100; tabs++) {
    if (await isFocused(locator)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${locator.toString()}.`);
}
