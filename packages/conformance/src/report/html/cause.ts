// One cause in the HTML report.
import { titleOf } from '../../case';
import { CHECKS } from '../../oracle/checks';
import type { CaseResult } from '../../run-case';
import { toCurl } from '../../wire/curl';
import type { Cause } from '../causes';
import { describeReply, describeRequest } from '../exchange';
import type { Run } from '../run';
import { toSafeLine } from '../shown';
import { html, type Markup } from './markup';

// In characters: of a request or reply, and of each of its lines.
const MAX_MESSAGE = 4_000;

export function toCause(run: Run, { check, text, pointer, results }: Cause): Markup {
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
