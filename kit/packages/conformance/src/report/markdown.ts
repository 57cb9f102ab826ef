// The causes for the summary of a job, or for a pull request.
import { describeCause, formatCause } from './causes';
import { escapeUnprintable } from '../terminal';
import { summarize, type Run } from './run';

// GitHub takes a megabyte.
const MAX_CAUSES = 100;

/**
 * Writes the causes as Markdown, by the operation that has them first, each in a fold with its request, reply and command.
 * What a server says is text, whatever it says.
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
