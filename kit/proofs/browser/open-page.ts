import { chromium, type Page } from 'playwright-core';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRenderer } from '../../packages/server/src/errors/create-renderer';
import { FIXTURE_ERRORS } from '@contract-kit/test-support/fixture-errors';
import { loadText } from '@contract-kit/test-support/load-text';
import { serveApp, type ServedApp, type ServeParts } from '@contract-kit/test-support/serve-app';

/** Serves a contract that is not ours, with its documentation. */
export function serveDocs(
  source: string,
  handlers: ServeParts['handlers'],
  verifiers: ServeParts['verifiers'],
): Promise<ServedApp> {
  const contract = loadText(source);
  return serveApp({
    contract,
    handlers,
    verifiers,
    render: createRenderer({ contract, ...FIXTURE_ERRORS }),
    before: [],
  });
}

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

/** @param executablePath of a Chromium */
export async function openPage(executablePath: string, url: string, width: number): Promise<OpenPage> {
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
  // A colour halfway to the next one is not what somebody reads.
  await page.addInitScript(`const still = new CSSStyleSheet();
    still.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important }');
    document.adoptedStyleSheets = [still];`);
  await page.goto(url);
  await page.waitForSelector('main h1');
  return { page, complaints, requests, [Symbol.asyncDispose]: () => browser.close() };
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The first Chromium that runs: the one of the environment variable CHROMIUM, or one on the PATH. */
export function findBrowser(): string | undefined {
  const own = process.env['CHROMIUM'];
  // Some of these names only say on some systems how it could be installed.
  return (own === undefined ? NAMES : [own])
    .flatMap(locate)
    .find((file) => spawnSync(file, ['--version']).status === 0);
}

function locate(name: string): string[] {
  const { stdout } = spawnSync('sh', ['-c', 'command -v "$1"', 'sh', name], { encoding: 'utf8' });
  return stdout === '' ? [] : [stdout.trim()];
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What axe-core finds, best practices included, one line for each kind of it. */
export async function findInaccessible(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<{ violations: Finding[] }>('axe.run()');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** The texts beyond the edge of the screen, but for those to which somebody can scroll, or which a button shows whole. */
export function findCut(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(CUT);
}

const CUT = `(() => {
  const isReachable = (element) =>
    element.matches('.truncate, [aria-hidden=true]') || /auto|scroll/.test(getComputedStyle(element).overflowX);
  const isCut = (element) => {
    const { width, right } = element.getBoundingClientRect();
    // What is for screen readers only is one pixel large.
    if (width <= 1 || right <= innerWidth + 1 || element.innerText === '') return false;
    for (let around = element; around; around = around.parentElement) if (isReachable(around)) return false;
    return true;
  };
  return [...document.querySelectorAll('main *')]
    .filter(isCut)
    .map((element) => element.outerHTML.slice(0, 200))
    .concat(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []);
})()`;
