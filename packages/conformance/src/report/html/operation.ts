// One operation in the HTML report.
import { ALL_CLASSES, levelOf, type CaseClass } from '../../case';
import type { Operation } from '../../contract/model';
import { includes, type Level } from '../../level';
import type { CaseResult } from '../../run-case';
import type { Secrets } from '../../wire/secret';
import type { Item } from '../item';
import { gapsOf } from '../listing';
import type { Run } from '../run';
import { toSafeLine } from '../shown';
import { html, type Markup } from './markup';

// Of these there may be hundreds: only the gaps are listed, and how many were produced.
const COUNTED_KINDS: readonly (readonly [title: string, kinds: readonly Item['kind'][]])[] = [
  ['Security', ['security']],
  ['Rules for requests', ['rule']],
  ['Parts of replies', ['reply property', 'reply shape']],
];

/** Shows an operation; the items and results are its own. */
export function toOperation(
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
  const gaps = COUNTED_KINDS.map(([title, kinds]) => {
    const ofTheseKinds = items.filter(({ kind }) => kinds.includes(kind));
    return toGaps(title, ofTheseKinds, secrets);
  });
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
    ${gaps}
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

function toGaps(title: string, items: readonly Item[], secrets: Secrets): Markup {
  const declared = items.filter(({ isDeclared }) => isDeclared);
  const gaps = gapsOf(items);
  const produced = declared.filter(({ count }) => count > 0).length;
  const counts = `${title}: ${String(produced)} of ${String(declared.length)} produced`;
  if (gaps.length === 0) return html`<p>${counts}</p>`;
  return html`<details>
    <summary>${counts}</summary>
    <ul>
      ${gaps.map((item) => toItem(item, secrets))}
    </ul>
  </details>`;
}
