// The HTML report.
import { createHash } from 'node:crypto';
import { isJsonObject, toText } from '../../wire/json';
import { summarize, type Run } from '../run';
import { toSafeLine } from '../shown';
import { toCause } from './cause';
import { html, Markup } from './markup';
import { toOperation } from './operation';
import { STYLE } from './style';

// The page loads and runs nothing; only this style is allowed (CSP Level 3, section 6.6.2).
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** Writes the report as one HTML page that loads nothing. */
export function toHtml(run: Run): string {
  const { suite, target, failed, causes, notes } = run;
  const { model, coverage } = suite;
  const { info } = model.contract.root;
  const title = isJsonObject(info) ? toSafeLine(toText(info['title']), target.secrets) : '';
  const items = Map.groupBy(coverage.list(), ({ operation }) => operation);
  const results = Map.groupBy(run.results, ({ case: testCase }) => testCase.operation);
  const operations = model.operations.map((operation) =>
    toOperation(operation, items.get(operation.id) ?? [], results.get(operation.id) ?? [], run),
  );
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Conformance: ${title}</title>
        ${new Markup(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          <p class="${failed.length === 0 ? 'good' : 'bad'}"><strong>${summarize(run)}</strong></p>
          <p class="dim">${target.base.href}</p>
          ${notes.map((note) => html`<p>${toSafeLine(note, target.secrets)}</p>`)}
          <h2>Causes</h2>
          ${causes.length === 0 ? html`<p class="good">None.</p>` : causes.map((cause) => toCause(run, cause))}
          <h2>Operations</h2>
          ${operations}
        </main>
      </body>
    </html> `;
  return page.text;
}
