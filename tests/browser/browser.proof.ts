import type { Page } from 'playwright-core';
import { startApp, TOKEN } from '../support/start-app';
import { findBrowser, openPage } from './open-page';

const browser = findBrowser();
if (browser === undefined) {
  process.stderr.write(
    'No browser: the tests of the page in one did not run. Install Chromium (apt-get install chromium) or set CHROMIUM to one.\n',
  );
}
const describeInBrowser = browser === undefined ? describe.skip : describe;
const executable = String(browser);

async function authorize(page: Page, token: string): Promise<void> {
  await page.click('.btn.authorize');
  await page.fill('dialog input', token);
  await page.click('dialog .authorize');
}

/** @returns the status that the page shows */
async function create(page: Page, body: string): Promise<string> {
  await page.click('.opblock-summary-control');
  await page.click('.try-out__btn');
  await page.fill('textarea.body-param__text', body);
  await page.click('.btn.execute');
  return (await page.innerText('.live-responses-table .response .response-col_status')).trim();
}

function isWide(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > innerWidth');
}

describeInBrowser('in a browser', () => {
  test.each([
    ['', '9007199254740993'],
    ['/garden/v1', '9223372036854775807'],
  ])('a plant is created from the page at %s/docs, its id %s exact', async (prefix, id) => {
    await using app = await startApp({ prefix });
    const origin = `http://127.0.0.1:${String(app.port)}`;
    await using open = await openPage(executable, `${origin}${prefix}/docs`, 1280);
    await expect(open.page.title()).resolves.toBe('Plant Store');
    await authorize(open.page, TOKEN);
    await expect(create(open.page, `{"id":${id},"name":"Rose","tag":"flower"}`)).resolves.toBe('200');
    expect(app.rows()).toEqual([{ id: BigInt(id), name: 'Rose', tag: 'flower' }]);
    expect(open.complaints).toEqual([]);
    expect(open.requests).toContain(`POST ${origin}${prefix}/plants`);
    expect(open.requests.filter((request) => !request.includes(` ${origin}${prefix}/`))).toEqual([]);
  });

  test('a wrong token is 401 on the page', async () => {
    await using app = await startApp();
    await using open = await openPage(executable, `http://127.0.0.1:${String(app.port)}/docs`, 1280);
    await authorize(open.page, 'another-token');
    await expect(create(open.page, '{"id":1,"name":"Rose"}')).resolves.toMatch(/^401/);
    await expect(open.page.innerText('.live-responses-table .response')).resolves.toContain('40101');
    expect(app.rows()).toEqual([]);
  });

  test.each([1280, 390])('on a screen of %i pixels nothing is beside it', async (width) => {
    await using app = await startApp();
    await using open = await openPage(executable, `http://127.0.0.1:${String(app.port)}/docs`, width);
    await expect(isWide(open.page)).resolves.toBe(false);
    await authorize(open.page, TOKEN);
    await create(open.page, '{"id":1,"name":"Rose"}');
    await expect(isWide(open.page)).resolves.toBe(false);
    await open.page.click('.model-container button');
    await expect(isWide(open.page)).resolves.toBe(false);
  });
});
