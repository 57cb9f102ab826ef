// One operation in the HTML report.
import { ALL_CLASSES, levelOf, type CaseClass } from '../../case';
import type { Operation } from '../../contract/model';
import { includes, type Level } from '../../level';
import type { CaseResult } from '../../run-case';
import type { Secrets } from '../../wire/secret';
import type { Item } from '../item';
import type { Run } from '../run';
import { toSafeLine } from '../shown';
import { html, type Markup } from './markup';

const REST: readonly (readonly [title: string, kinds: readonly Item['kind'][]])[] = [
  ['Security', ['security']],
  ['Rules for requests', ['rule']],
  ['Parts of replies', ['reply property', 'reply shape']],
];

/** Shows an operation: how many cases were tried and failed, and which of its declared items were produced. */
export function toOperation(
  { id, method, path }: Operation,
  items: readonly Item[],
  results: readonly CaseResult[],
  { suite: { level }, target: { secrets } }: Run,
): Markup {
  const failed = results.filter(({ findings }) => findings.length > 0).length;
  const classes = Map.groupBy(results, ({ case: testCase }) => testCase.class);
  const expected = new Set(items.filter(({ kind }) => kind === 'class').map(({ name }) => name));
  const rows = ALL_CLASSES.filter((name) => classes.has(name) || expected.has(name)).map((name) =>
    toRow(name, classes.get(name) ?? [], level),
  );
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
    <ul>
      ${items.filter(({ kind }) => kind === 'reply').map((item) => toItem(item, secrets))}
    </ul>
    ${REST.map(([title, kinds]) =>
      toGaps(
        title,
        items.filter(({ kind }) => kinds.includes(kind)),
        secrets,
      ),
    )}
  </details>`;
}

function toRow(name: CaseClass, results: readonly CaseResult[], level: Level): Markup {
  const failed = results.filter(({ findings }) => findings.length > 0).length;
  const from = levelOf({ class: name });
  const reason = includes(level, from) ? 'not tried' : `not tried below --level ${from}`;
  const tried = results.length === 0 ? html`<span class="dim">${reason}</span>` : html`${results.length}`;
  return html`<tr>
    <th scope="row">${name}</th>
    <td class="count">${tried}</td>
    <td class="count"><span class="${failed > 0 ? 'bad' : 'dim'}">${failed}</span></td>
  </tr>`;
}

function toItem({ name, isDeclared, count }: Item, secrets: Secrets): Markup {
  const seen = count > 0 ? `seen ${String(count)} x` : 'not seen';
  const state = isDeclared ? seen : `not declared, ${seen}`;
  return html`<li>
    ${toSafeLine(name, secrets)} <span class="${isDeclared && count > 0 ? 'good' : 'dim'}">${state}</span>
  </li>`;
}

/** Counts the produced items, and lists those not produced or not declared. */
function toGaps(title: string, items: readonly Item[], secrets: Secrets): Markup {
  const declared = items.filter(({ isDeclared }) => isDeclared);
  const gaps = items.filter(({ isDeclared, count }) => !isDeclared || count === 0);
  const seen = declared.filter(({ count }) => count > 0).length;
  const counts = `${title}: ${String(seen)} of ${String(declared.length)} produced`;
  if (gaps.length === 0) return html`<p>${counts}</p>`;
  return html`<details>
    <summary>${counts}</summary>
    <ul>
      ${gaps.map((item) => toItem(item, secrets))}
    </ul>
  </details>`;
}
