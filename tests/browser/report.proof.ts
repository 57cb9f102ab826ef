import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runHostile } from '../../packages/conformance/tests/run-hostile';
import { toHtml } from '../../packages/conformance/src/report/html';
import { findBrowser, openPage, type OpenPage } from './open-page';

const browser = findBrowser();
const describeInBrowser = browser === undefined ? describe.skip : describe;

describeInBrowser('the report of the conformance suite about a hostile server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  const file = join(folder, 'report.html');
  beforeAll(async () => {
    writeFileSync(file, toHtml(await runHostile()));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  function open(width: number): Promise<OpenPage> {
    return openPage(String(browser), pathToFileURL(file).href, width, 'main');
  }

  test.each([1280, 390])('on a screen of %i pixels nothing is beside it, folded or not', async (width) => {
    await using opened = await open(width);
    const isWide = (): Promise<boolean> => opened.page.evaluate('document.documentElement.scrollWidth > innerWidth');
    await expect(isWide()).resolves.toBe(false);
    await opened.page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
    await expect(isWide()).resolves.toBe(false);
    await expect(opened.page.innerText('main')).resolves.toContain('<script>alert(1)</script>');
  });

  test('nothing of what the server says is run or loaded, and the browser has nothing against the page', async () => {
    await using opened = await open(1280);
    const { page } = opened;
    await expect(page.evaluate('document.querySelectorAll("script, img, [onload], [onerror]").length')).resolves.toBe(
      0,
    );
    expect(opened.requests).toEqual([`GET ${pathToFileURL(file).href}`]);
    expect(opened.complaints).toEqual([]);
    // What would get in all the same is stopped by the policy.
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="document.title = 1">')`);
    expect(opened.complaints.join()).toContain('img-src');
  });

  test.each(['light', 'dark'] as const)('in %s colours it has its own style, and can be read', async (colorScheme) => {
    await using opened = await open(1280);
    const { page } = opened;
    await page.emulateMedia({ colorScheme });
    const [text = [], background = []] = await page.evaluate<number[][]>(COLOURS);
    expect(contrast(text, background)).toBeGreaterThan(4.5);
    await expect(page.evaluate('getComputedStyle(document.querySelector("pre")).whiteSpace')).resolves.toBe('pre-wrap');
  });
});

// The dimmest text, and what the browser paints behind it.
const COLOURS = `(() => {
  const canvas = document.createElement('canvas').getContext('2d');
  const toBytes = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const sample = document.querySelector('.dim');
  const text = toBytes(getComputedStyle(sample).color);
  document.styleSheets[0].insertRule('.dim { background: Canvas }');
  return [text, toBytes(getComputedStyle(sample).backgroundColor)];
})()`;

/** WCAG 2.2, contrast ratio. */
function contrast(one: readonly number[], other: readonly number[]): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((left, right) => right - left);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = colour.map((byte) => {
    const part = byte / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
