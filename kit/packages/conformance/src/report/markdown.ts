import { describeCause, formatCause } from './causes';
import { escapeUnprintable } from '../terminal';
import { summarize, type Run } from './run';

// GitHub limits the summary of a job to 1 MB.
const MAX_CAUSES = 100;

/**
 * Formats the causes as Markdown for the summary of a job or a pull request: under the first operation of each, folded,
 * with request, reply and command. Text from a server is escaped, so that none of it becomes markup.
 */
export function toMarkdown(run: Run): string {
  const causes = run.causes.slice(0, MAX_CAUSES);
  const groups = Map.groupBy(causes, ({ results: [first] }) => String(first?.case.operation));
  const hidden = run.causes.length - causes.length;
  return [
    `## ${toHtml(summarize(run))}`,
    ...[...groups].flatMap(([operation, ofOperation]) => [
      `### <code>${toHtml(escapeUnprintable(operation))}</code>`,
      ...ofOperation.map((cause) => {
        const text = formatCause(cause, run, undefined, 'whole');
        const title = describeCause(cause, run.target.secrets);
        return `<details><summary><code>${toHtml(title)}</code></summary>\n<pre>${toHtml(text)}</pre>\n</details>`;
      }),
    ]),
    ...(hidden > 0 ? [`and ${String(hidden)} more`] : []),
  ]
    .map((block) => `${block}\n`)
    .join('\n');
}

function toHtml(text: string): string {
  return text.replaceAll(/[&<>]/g, (sign) => `&#${String(sign.charCodeAt(0))};`);
}
