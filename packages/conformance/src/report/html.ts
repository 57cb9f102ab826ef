// The report as one HTML page that loads nothing: the causes, and of each operation what was produced.
import { createHash } from 'node:crypto';
import { ALL_CLASSES, levelOf, titleOf, type CaseClass } from '../generators/case';
import type { Operation } from '../contract/model';
import { includes, type Level } from '../contract/standards';
import { type CaseResult, CHECKS } from '../oracle/checks';
import { toCurl } from '../wire/curl';
import { isJsonObject, toText } from '../wire/json';
import type { Secrets } from '../wire/secret';
import type { Cause } from './causes';
import type { Item } from '../oracle/coverage';
import { describeReply, describeRequest, toSafeLine } from './failure';
import { summarize, type Run } from './run';

/** Markup that is safe to be put in a page. */
class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Markup | readonly Markup[];

// Text values are escaped, so that they cannot add markup.
function html(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(strings.map((text, index) => `${text}${toSafeHtml(values[index] ?? '')}`).join(''));
}

function toSafeHtml(value: Value): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('\n');
  return String(value).replace(/[&<>"']/g, (sign) => `&#${String(sign.charCodeAt(0))};`);
}

// The colours are the browser's, light or dark as people have set it.
const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; --line: color-mix(in srgb, currentcolor 20%, transparent);
  --good: light-dark(#0a6b2d, #6fd694); --bad: light-dark(#a4141b, #ff9d96); --dim: light-dark(#555b63, #a9b0b8); }
body { margin: 0 auto; max-width: 64rem; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
.good { color: var(--good); } .bad { color: var(--bad); } .dim { color: var(--dim); }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; padding: .5rem .75rem; }
summary { cursor: pointer; }
pre { border: 1px solid var(--line); border-radius: .4rem; margin: .25rem 0 .75rem; padding: .5rem; white-space: pre-wrap; }
code, pre { font-family: ui-monospace, monospace; font-size: .875rem; }
table { border-collapse: collapse; } th, td { border-bottom: 1px solid var(--line); padding: .15rem .75rem .15rem 0; text-align: left; }
td.count { font-variant-numeric: tabular-nums; text-align: right; }
ul { margin: .25rem 0; padding-left: 1.25rem; }
`;

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
          ${[target.base.href, ...(run.about ?? [])].map((line) => html`<p class="dim">${toSafeLine(line, target.secrets)}</p>`)}
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

// In characters: of a request or reply, and of each of its lines.
const MAX_MESSAGE = 4_000;

function toCause(run: Run, { check, text, pointer, results }: Cause): Markup {
  const { secrets } = run.target;
  const [firstResult] = results;
  const example = firstResult ? toExample(run, firstResult, pointer) : html``;
  return html`<details>
    <summary>
      <span class="bad">${results.length} x</span> ${toSafeLine(text, secrets)}
      <span class="dim">${check}; ${CHECKS[check].source}</span>
    </summary>
    ${example}
  </details>`;
}

/**
 * Shows a failed case: its title, the request, the first reply, and a curl command that sends the request again.
 *
 * @param pointer the JSON pointer of the declared reply that the finding is about, if any: `by <pointer>`
 */
function toExample({ target, variables }: Run, result: CaseResult, pointer: string | undefined): Markup {
  const { base, secrets } = target;
  const { request } = result.case;
  // Shown with the names of the environment variables (`variables`) that hold the secrets, and with all else escaped.
  const curlCommand = toCurl(request, base, variables);
  const firstReply = result.replies.slice(0, 1);
  return html`<p>
      At
      <code>${toSafeLine(titleOf(result.case), secrets)}</code
      >${pointer === undefined ? '' : html`, by <code>${toSafeLine(pointer, secrets)}</code>`}
    </p>
    <h3>Sent</h3>
    <pre>${toSafeLines(describeRequest(request, base, variables), secrets)}</pre>
    ${firstReply.map(
      (reply) =>
        html`<h3>The reply</h3>
          <pre>${toSafeLines(describeReply(reply), secrets)}</pre>`,
    )}
    <h3>Again</h3>
    <pre>${curlCommand}</pre>`;
}

function toSafeLines(message: string, secrets: Run['target']['secrets']): string {
  const lines = message.split('\r\n').map((line) => toSafeLine(line, secrets, MAX_MESSAGE));
  const text = lines.join('\n');
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}...` : text;
}

/** Shows an operation; the items and results are its own. */
function toOperation(
  { id, method, path }: Operation,
  items: readonly Item[],
  results: readonly CaseResult[],
  { suite: { level }, target: { secrets } }: Run,
): Markup {
  const failed = results.filter(({ findings }) => findings.length > 0).length;
  const resultsByClass = Map.groupBy(results, ({ case: testCase }) => testCase.class);
  // Classes that were expected, but had no case, get a row, too.
  const expectedClasses = new Set(items.filter(({ kind }) => kind === 'class').map(({ name }) => name));
  const shownClasses = ALL_CLASSES.filter((name) => resultsByClass.has(name) || expectedClasses.has(name));
  const rows = shownClasses.map((name) => toClassRow(name, resultsByClass.get(name) ?? [], level));
  const toList = (listed: Item['kind']): Markup =>
    html`<ul>
      ${items.filter(({ kind }) => kind === listed).map((item) => toItem(item, secrets))}
    </ul>`;
  return html`<details>
    <summary>
      <code>${method} ${toSafeLine(path, secrets)}</code> ${toSafeLine(id, secrets)}
      <span class="${failed > 0 ? 'bad' : 'good'}">${results.length - failed} of ${results.length} passed</span>
    </summary>
    <h3>Cases</h3>
    <table>
      <thead>
        <tr>
          <th scope="col">class</th>
          <th scope="col">tried</th>
          <th scope="col">failed</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
    <h3>Replies</h3>
    ${toList('reply')}
    <h3>Security</h3>
    ${toList('security')}
  </details>`;
}

function toClassRow(name: CaseClass, results: readonly CaseResult[], level: Level): Markup {
  const failed = results.filter(({ findings }) => findings.length > 0).length;
  const lowestLevel = levelOf({ class: name });
  const whyNone = includes(level, lowestLevel) ? 'not tried' : `not tried below --level ${lowestLevel}`;
  const tried = results.length === 0 ? html`<span class="dim">${whyNone}</span>` : html`${results.length}`;
  return html`<tr>
    <th scope="row">${name}</th>
    <td class="count">${tried}</td>
    <td class="count"><span class="${failed > 0 ? 'bad' : 'dim'}">${failed}</span></td>
  </tr>`;
}

// Such as `200 application/json seen 3 x`.
function toItem({ name, isDeclared, count }: Item, secrets: Secrets): Markup {
  const seen = count > 0 ? `seen ${String(count)} x` : 'not seen';
  const state = isDeclared ? seen : `not declared, ${seen}`;
  return html`<li>
    ${toSafeLine(name, secrets)} <span class="${isDeclared && count > 0 ? 'good' : 'dim'}">${state}</span>
  </li>`;
}
