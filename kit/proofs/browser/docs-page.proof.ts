import type { Page } from 'playwright-core';
import { startApp, TOKEN } from '@contract-kit/test-support/start-app';
import type { ServedApp } from '@contract-kit/test-support/serve-app';
import { findBrowser, findCut, findInaccessible, openAll, openPage, serveDocs, type OpenPage } from './open-page';
import { readFileSync } from 'node:fs';
import { createTokenVerifier } from '../../packages/server/src/auth/tokens';
import type { UntypedHandler } from '../../packages/server/src/pipeline/pipeline';

const browser = findBrowser();
if (browser === undefined) {
  process.stderr.write(
    'No browser: the tests of the page in one did not run. Install Chromium (apt-get install chromium) or set CHROMIUM to one.\n',
  );
}
const describeInBrowser = browser === undefined ? describe.skip : describe;

function open({ port }: ServedApp, width = 1280, path = '/docs'): Promise<OpenPage> {
  return openPage(String(browser), `http://127.0.0.1:${String(port)}${path}`, width);
}

/** Clicks through one operation, and returns what the page shows of the reply. */
async function tryOut(
  page: Page,
  operation: string,
  parameters: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<string> {
  const block = page.locator(`[id$="-${operation}"]`);
  await block.locator('.opblock-summary-control').click();
  await block.locator('.try-out__btn').click();
  for (const [name, value] of Object.entries(parameters)) {
    await block.locator(`[data-param-name="${name}"] input`).fill(value);
  }
  if (body !== undefined) await block.locator('textarea.body-param__text').fill(body);
  await block.locator('.btn.execute').click();
  return block.locator('.live-responses-table .response').innerText();
}

function backgroundOf(page: Page): Promise<string> {
  return page.evaluate('getComputedStyle(document.body).backgroundColor');
}

describeInBrowser('the documentation page', () => {
  describe.each([
    ['this contract', startApp],
    ['a contract with long names', startArchive],
  ] as const)('of %s', (_, start) => {
    test.each([
      ['light', 1280],
      ['dark', 1280],
      ['light', 390],
      ['dark', 390],
    ] as const)(
      'in %s colours, %i pixels wide: nothing is cut, and axe-core finds nothing',
      async (colorScheme, width) => {
        await using app = await start();
        await using opened = await open(app, width);
        const { page } = opened;
        // Half-way between two colours, contrast is low: the page has to be still, and dark, when it is looked at.
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.waitForSelector(colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)');
        const look = async (): Promise<void> => {
          await expect(findInaccessible(page)).resolves.toEqual([]);
          await expect(findCut(page)).resolves.toEqual([]);
        };
        await look();
        await page.click('.btn.authorize');
        await look();
        await page.click('dialog [type="button"]');
        await openAll(page);
        await look();
        expect(opened.complaints).toEqual([]);
      },
    );
  });

  test('is dark where the system is, also when that changes', async () => {
    await using app = await startApp();
    await using opened = await open(app);
    const { page } = opened;
    await expect(backgroundOf(page)).resolves.toBe('rgb(255, 255, 255)');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForSelector('html.dark-mode');
    await expect(backgroundOf(page)).resolves.toBe('rgb(28, 32, 34)');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.waitForSelector('html:not(.dark-mode)');
    await expect(backgroundOf(page)).resolves.toBe('rgb(255, 255, 255)');
  });

  test('has the title of the contract, whatever is in it', async () => {
    await using app = await startArchive();
    await using opened = await open(app);
    const { page } = opened;
    const title = await page.title();
    expect(title).toMatch(/^Archive of <b>Donau.*<\/b> & \{base\}$/);
    await expect(page.innerText('h1')).resolves.toBe(title);
  });

  test.each(['', '/garden/v1'])('at %s/docs/ it is the same', async (prefix) => {
    await using app = await startApp({ prefix });
    await using opened = await open(app, 1280, `${prefix}/docs/`);
    const { page, requests, complaints } = opened;
    await expect(page.innerText('h1')).resolves.toBe('Plant Store');
    await expect(tryOut(page, 'createPlant')).resolves.toMatch(/^401/);
    expect(requests).toContain(`POST http://127.0.0.1:${String(app.port)}${prefix}/plants`);
    const links = await page.evaluate<string[]>(`[...document.querySelectorAll('header a')].map(({ href }) => href)`);
    expect(links).toHaveLength(2);
    for (const link of links) expect((await fetch(link)).status).toBe(200);
    expect(complaints.filter((complaint) => !complaint.includes('401'))).toEqual([]);
  });

  test('asks for the credentials that operations take, and sends them to this service only', async () => {
    await using app = await startArchive();
    await using opened = await open(app);
    const { page, requests } = opened;
    await expect(authorize(page)).resolves.toEqual(['signIn', 'session']);
    await expect(tryOut(page, 'replaceAll')).resolves.toMatch(/^204/);
    const where = { organisationIdentifier: 'a', departmentIdentifier: '1', collectionIdentifier: 'b' };
    await expect(tryOut(page, 'addRevision', where)).resolves.toMatch(/^201/);
    await expect(page.evaluate('document.cookie')).resolves.toBe('');
    const origin = `http://127.0.0.1:${String(app.port)}`;
    expect(requests.filter((request) => !/ (?:data|blob):/.test(request) && !request.includes(` ${origin}/`))).toEqual(
      [],
    );
    await expect(page.locator('.servers, select#servers').count()).resolves.toBe(0);
  });

  test('an integer keeps its digits: in examples, in a request and in its reply', async () => {
    await using app = await startArchive();
    await using opened = await open(app);
    const { page, requests } = opened;
    await authorize(page);
    // The parameter between these two is filled with its example.
    const where = { organisationIdentifier: 'a', collectionIdentifier: 'b' };
    await expect(tryOut(page, 'listRevisions', where)).resolves.toContain('"identifier": 9223372036854775807');
    expect(requests.join()).toContain('/departments/9223372036854775807/');
    await expect(page.innerText('.example.microlight')).resolves.toContain('"identifier": 9007199254740993');
  });
});

/** One operation at `/a`, which anybody may call, in a contract with more around it. */
function startOperation(operation: object, more: object = {}, verifiers = {}): Promise<ServedApp> {
  const responses = { 204: { description: 'Done.' } };
  const post = { operationId: 'act', responses, ...operation };
  const document = { openapi: '3.1.0', info: { title: 'A', version: '1' }, paths: { '/a': { post } }, ...more };
  return serveDocs(JSON.stringify(document), { act: succeed }, verifiers);
}

const withBody = (type: string, schema: object) => ({ requestBody: { content: { [type]: { schema } } } });
const withField = (name: string, text: string) =>
  withBody('multipart/form-data', { type: 'object', properties: { [name]: { type: 'string', default: text } } });

describeInBrowser('a hostile contract', () => {
  test.each([
    ['a header', { parameters: [{ name: '_`id`', in: 'header', schema: { type: 'string', default: 'a' } }] }],
    ['a text', withBody('text/plain', { type: 'string', example: '/;id' })],
    ['a text that names a file', withBody('text/plain', { type: 'string', example: '@/etc/passwd' })],
    ['the name of a field', withField('_;id;', 'a')],
    ['a field that names a file', withField('a', '@/etc/passwd')],
  ])('gets no command into a curl line by %s', async (_, operation) => {
    await using app = await startOperation(operation);
    await using opened = await open(app);
    await tryOut(opened.page, 'act');
    await expect(opened.page.locator('.curl').count()).resolves.toBe(0);
  });

  test('leaves a curl line whose words are quoted', async () => {
    await using app = await startOperation(withField('a', "_'b"));
    await using opened = await open(app);
    await tryOut(opened.page, 'act');
    await expect(opened.page.innerText('.curl')).resolves.toContain(String.raw`-F 'a=_'\''b'`);
  });

  test('sends credentials to the path of the server that a path item anywhere in the contract names, on this host', async () => {
    const servers = [{ url: 'http://elsewhere.example/v2' }];
    const item = { servers, post: { operationId: 'act', servers, responses: { 204: { description: 'Done.' } } } };
    await using app = await startOperation(
      {},
      {
        paths: { '/a': { $ref: '#/x-items/a' }, 'x-nothing': null },
        'x-items': { a: item },
        security: [{ key: [] }],
        components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
      },
      { key: createTokenVerifier([SECRET]) },
    );
    await using opened = await open(app);
    await authorize(opened.page);
    await expect(tryOut(opened.page, 'act')).resolves.toMatch(/^204/);
    await expect(opened.page.innerText('.curl')).resolves.toContain(`'http://127.0.0.1:${String(app.port)}/v2/a'`);
    expect(opened.requests.join()).not.toContain('elsewhere');
  });
});

const SECRET = 'a-secret-for-the-tests';

const succeed: UntypedHandler = (_, reply) => reply(204);
const HANDLERS: Readonly<Record<string, UntypedHandler>> = {
  listRevisions: ({ path }, reply) => reply(200, [{ identifier: path['departmentIdentifier'] }]),
  addRevision: (_, reply) => reply(201),
  readAll: (_, reply) => reply(200, { identifier: 1n }),
  replaceAll: succeed,
  changeAll: succeed,
  removeAll: succeed,
};

/** Serves a contract that is not ours, with its documentation. */
function startArchive(): Promise<ServedApp> {
  const verifiers = { signIn: createTokenVerifier([SECRET], ['read']), session: createTokenVerifier([SECRET]) };
  return serveDocs(readFileSync('packages/test-support/fixtures/archive.yaml', 'utf8'), HANDLERS, verifiers);
}

/** Fills in all that the page asks for. @returns the labels of that */
async function authorize(page: Page, secret = SECRET): Promise<string[]> {
  await page.click('.btn.authorize');
  const labels = await page.locator('dialog label').allInnerTexts();
  for (const input of await page.locator('dialog input').all()) await input.fill(secret);
  await page.click('dialog .authorize');
  return labels;
}

function create(page: Page, body: string): Promise<string> {
  return tryOut(page, 'createPlant', {}, body);
}

describeInBrowser('the operations of the page', () => {
  test.each([
    ['', '9007199254740993'],
    ['/garden/v1', '9223372036854775807'],
  ])('a plant is created from the page at %s/docs, its id %s exact', async (prefix, id) => {
    await using app = await startApp({ prefix });
    const origin = `http://127.0.0.1:${String(app.port)}`;
    await using opened = await open(app, 1280, `${prefix}/docs`);
    await expect(opened.page.title()).resolves.toBe('Plant Store');
    await authorize(opened.page, TOKEN);
    await expect(create(opened.page, `{"id":${id},"name":"Rose","tag":"flower"}`)).resolves.toMatch(/^200/);
    expect(app.rows()).toEqual([{ id: BigInt(id), name: 'Rose', tag: 'flower' }]);
    expect(opened.complaints).toEqual([]);
    expect(opened.requests).toContain(`POST ${origin}${prefix}/plants`);
    expect(opened.requests.filter((request) => !request.includes(` ${origin}${prefix}/`))).toEqual([]);
  });

  test('a wrong token is 401 on the page', async () => {
    await using app = await startApp();
    await using opened = await open(app);
    await authorize(opened.page, 'another-token');
    await expect(create(opened.page, '{"id":1,"name":"Rose"}')).resolves.toMatch(/^401[^]*40101/);
    expect(app.rows()).toEqual([]);
  });

  test.each([1280, 390])('on a screen of %i pixels nothing is beside it', async (width) => {
    await using app = await startApp();
    await using opened = await open(app, width);
    await expect(findCut(opened.page)).resolves.toEqual([]);
    await authorize(opened.page, TOKEN);
    await create(opened.page, '{"id":1,"name":"Rose"}');
    await expect(findCut(opened.page)).resolves.toEqual([]);
    await opened.page.click('.model-container button');
    await expect(findCut(opened.page)).resolves.toEqual([]);
  });
});
