import { describeCause, formatCause } from './causes';
import { escapeUnprintable } from '../terminal';
import { toSafeLine } from './failure';
import { describeUnproven, summarize, type Run } from './run';
import { describeCoverage } from './uncovered';

// Maximum number of causes shown, because GitHub limits a job summary to 1 MB.
const MAX_CAUSES = 100;

/**
 * Formats the causes as Markdown, for the summary of a CI job or a comment on a pull request. Each cause is folded
 * under the heading of its first operation. Notes, unproven cases and the coverage come last. Text from a server is
 * escaped, so that it cannot become markup.
 */
export function toMarkdown(run: Run): string {
  const causes = run.causes.slice(0, MAX_CAUSES);
  const groups = Map.groupBy(causes, ({ results: [first] }) => String(first?.case.operation));
  const hiddenCount = run.causes.length - causes.length;
  const rest = [
    ...[...run.notes, ...describeUnproven(run.unproven)].map((line) => toSafeLine(line, run.target.secrets, Infinity)),
    ...(run.coverage ? [describeCoverage(run.coverage)] : []),
  ];
  return [
    `## ${escapeHtml(summarize(run))}`,
    ...[...groups].flatMap(([operation, operationCauses]) => [
      `### <code>${escapeHtml(escapeUnprintable(operation))}</code>`,
      ...operationCauses.map((cause) => {
        const text = formatCause(cause, run, undefined, 'whole');
        const title = describeCause(cause, run.target.secrets);
        return `<details><summary><code>${escapeHtml(title)}</code></summary>\n<pre>${escapeHtml(text)}</pre>\n</details>`;
      }),
    ]),
    ...(hiddenCount > 0 ? [`and ${String(hiddenCount)} more`] : []),
    ...(rest.length > 0 ? [`<pre>${escapeHtml(rest.join('\n'))}</pre>`] : []),
  ]
    .map((block) => `${block}\n`)
    .join('\n');
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>]/g, (sign) => `&#${String(sign.charCodeAt(0))};`);
}
