import { chromium, type Page } from 'playwright-core';

/** A page in a browser of its own, and what went on in it. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors and warnings, those of the Content-Security-Policy included. */
  readonly complaints: readonly string[];
  /** `method url` of each request, those of the browser for the page included. */
  readonly requests: readonly string[];
}

const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * @param executablePath of a Chromium
 * @param selector of what is there once the page is
 */
export async function openPage(
  executablePath: string,
  url: string,
  width: number,
  selector = '.opblock',
): Promise<OpenPage> {
  // As root it has no sandbox.
  const args = process.getuid?.() === 0 ? [...FLAGS, '--no-sandbox'] : FLAGS;
  const browser = await chromium.launch({ executablePath, args, headless: true, timeout: 0 });
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  // Jest ends a test that hangs.
  page.setDefaultTimeout(0);
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    console.error(violatedDirective + ' ' + blockedURI);
  })`);
  await page.goto(url);
  await page.waitForSelector(selector);
  return { page, complaints, requests, [Symbol.asyncDispose]: () => browser.close() };
}
