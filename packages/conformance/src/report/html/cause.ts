// One cause in the HTML report.
import { titleOf } from '../../case';
import { CHECKS } from '../../oracle/checks';
import { toCurl } from '../../wire/curl';
import type { Cause } from '../causes';
import { describeReply, describeRequest } from '../exchange';
import type { Run } from '../run';
import { toSafeLine } from '../shown';
import { html, type Markup } from './markup';

// In characters, of a message and of each line.
const MAX_MESSAGE = 4_000;

/** A cause, and the first case that shows it. */
export function toCause({ target, variables }: Run, { check, text, pointer, results }: Cause): Markup {
  const { base, secrets } = target;
  const [first] = results;
  const toText = (message: string): string => toLines(message, secrets);
  const shown = first
    ? html`<p>
          At
          <code>${toSafeLine(titleOf(first.case), secrets)}</code
          >${pointer === undefined ? '' : html`, by <code>${toSafeLine(pointer, secrets)}</code>`}
        </p>
        <h3>Sent</h3>
        <pre>${toText(describeRequest(first.case.request, base, variables))}</pre>
        ${first.replies.slice(0, 1).map(
          (reply) =>
            html`<h3>The reply</h3>
              <pre>${toText(describeReply(reply))}</pre>`,
        )}
        <h3>Again</h3>
        <pre>${toCurl(first.case.request, base, variables)}</pre>`
    : html``;
  return html`<details>
    <summary>
      <span class="bad">${results.length} x</span> ${toSafeLine(text, secrets)}
      <span class="dim">${check}; ${CHECKS[check].source}</span>
    </summary>
    ${shown}
  </details>`;
}

/** Makes each line of a message safe to show, and bounds the whole. */
function toLines(message: string, secrets: Run['target']['secrets']): string {
  const lines = message.split('\r\n').map((line) => toSafeLine(line, secrets, MAX_MESSAGE));
  const text = lines.join('\n');
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}...` : text;
}
