import type { Locator, Page } from 'playwright-core';
import { createTokenVerifier } from '../../packages/server/src/auth/tokens';
import type { UntypedHandler } from '../../packages/server/src/pipeline/pipeline';
import type { ServedApp } from '@contract-kit/test-support/serve-app';
import { findBrowser, findCut, findInaccessible, openPage, serveDocs } from './open-page';

const browser = findBrowser();
const describeInBrowser = browser === undefined ? describe.skip : describe;

const CONTRACT = `
openapi: 3.1.0
info: { title: Desk, version: '1' }
paths:
  /sales: { get: { operationId: sell, security: [{ account: [], till: [] }], responses: { '204': { description: Sold. } } } }
  /visits: { get: { operationId: visit, security: [{ guest: [], session: [] }], responses: { '204': { description: Seen. } } } }
  /shifts: { get: { operationId: work, security: [{ staff: [] }], responses: { '204': { description: Noted. } } } }
  /robots: { get: { operationId: move, security: [{ robot: [] }], responses: { '204': { description: Moved. } } } }
components:
  securitySchemes:
    account: { type: openIdConnect, openIdConnectUrl: https://desk.example/.well-known/openid-configuration }
    till: { type: apiKey, in: header, name: X-Till-Key, description: 'From [the office](https://desk.example/keys).' }
    guest: { type: http, scheme: bearer }
    session: { type: apiKey, in: cookie, name: session }
    staff: { type: http, scheme: basic }
    robot: { type: http, scheme: Robot }
`;
const LABELS = ['account', 'till', 'guest', 'session', 'staff username', 'staff password', 'robot'];
const SECRETS: Readonly<Record<string, string>> = {
  account: 'secret-of-the-account',
  till: 'secret-of-the-till',
  guest: 'secret-of-the-guest',
  session: 'secret-of-the-session',
  staff: 'ann:secret-of-the-staff',
  robot: 'secret-of-the-robot',
};
const TYPED = [...Object.values(SECRETS).slice(0, 4), 'ann', 'secret-of-the-staff', 'Robot secret-of-the-robot'];

function startDesk(): Promise<ServedApp> {
  const succeed: UntypedHandler = (_, reply) => reply(204);
  const verifiers = Object.entries(SECRETS).map(([scheme, secret]) => [scheme, createTokenVerifier([secret])] as const);
  return serveDocs(
    CONTRACT,
    { sell: succeed, visit: succeed, work: succeed, move: succeed },
    Object.fromEntries(verifiers),
  );
}

async function isFocused(locator: Locator): Promise<boolean> {
  return (await locator.and(locator.page().locator(':focus')).count()) === 1;
}

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, locator: Locator): Promise<void> {
  for (let tabs = 0; tabs < 60; tabs++) {
    if (await isFocused(locator)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${locator.toString()}.`);
}

async function press(page: Page, locator: Locator): Promise<void> {
  await tabTo(page, locator);
  await page.keyboard.press('Enter');
}

/** Executes an operation by keyboard, and returns the status that the page shows. */
async function execute(page: Page, path: string): Promise<string> {
  const block = page.locator('.opblock', { hasText: path });
  const clear = block.getByRole('button', { name: 'Clear' });
  if (await clear.isVisible()) await press(page, clear);
  else {
    await press(page, block.locator('.opblock-summary-control'));
    await press(page, block.getByRole('button', { name: 'Try it out' }));
  }
  await press(page, block.getByRole('button', { name: 'Execute' }));
  return (await block.locator('.live-responses-table .response .response-col_status').innerText()).trim();
}

describeInBrowser.each([1280, 390])('by keyboard only, on a screen of %i pixels', (width) => {
  test('each scheme gets the credentials of its field, and Escape gives the focus back', async () => {
    await using app = await startDesk();
    await using opened = await openPage(String(browser), `http://127.0.0.1:${String(app.port)}/docs`, width);
    const { page } = opened;
    const button = page.locator('.auth-wrapper > .authorize');
    const dialog = page.getByRole('dialog', { name: 'Credentials' });
    const fields = LABELS.map((label) => dialog.getByLabel(label, { exact: true }));
    const [account, till] = fields as [Locator, Locator];
    const outside = page.locator(':focus:not(body, dialog, dialog *)');

    await press(page, button);
    await expect(isFocused(account)).resolves.toBe(true);
    await expect(findInaccessible(page)).resolves.toEqual([]);
    await expect(findCut(page)).resolves.toEqual([]);
    for (const [index, field] of fields.entries()) {
      await tabTo(page, field);
      await page.keyboard.type(String(TYPED[index]));
    }
    // Beyond the last one, the focus goes to the browser, and comes back to the first one.
    for (let tabs = 0; tabs < 2 * fields.length; tabs++) {
      await page.keyboard.press('Tab');
      await expect(outside.count()).resolves.toBe(0);
    }
    await page.keyboard.press('Escape');
    await expect(dialog.count()).resolves.toBe(0);
    await expect(isFocused(button)).resolves.toBe(true);
    await expect(execute(page, '/sales')).resolves.toMatch(/^401/);

    await page.evaluate('document.activeElement.blur()');
    await press(page, button);
    for (const [index, field] of fields.entries()) {
      await tabTo(page, field);
      await page.keyboard.type(String(TYPED[index]));
    }
    await page.keyboard.press('Enter');
    await expect(dialog.count()).resolves.toBe(0);
    await expect(isFocused(button)).resolves.toBe(true);
    for (const path of ['/sales', '/visits', '/shifts', '/robots']) {
      await expect(execute(page, path)).resolves.toBe('204');
    }

    // The lock of an operation shows its schemes, with what was given before; what is removed is sent no more.
    const lock = page.locator('.opblock', { hasText: '/sales' }).locator('.authorization__btn');
    await press(page, lock);
    await expect(dialog.locator('input').count()).resolves.toBe(2);
    await expect(till.inputValue()).resolves.toBe(SECRETS['till']);
    await tabTo(page, till);
    await page.keyboard.press('Delete');
    await press(page, dialog.getByRole('button', { name: 'Authorize' }));
    await expect(isFocused(lock)).resolves.toBe(true);
    await expect(execute(page, '/sales')).resolves.toMatch(/^401/);
    await expect(execute(page, '/visits')).resolves.toBe('204');
    await expect(findInaccessible(page)).resolves.toEqual([]);
    expect(opened.complaints.filter((complaint) => !complaint.includes('401'))).toEqual([]);
  });
});
