// Reads and writes the file of accepted gaps.
import { parse, stringify } from 'yaml';
import type { Part } from './find-gaps';

/** A pattern for gaps that a team accepts, and the reason. */
export interface Accepted {
  readonly pattern: string;
  readonly reason: string;
}

const HEADER = `# What the contract declares and no case of the conformance suite produces, by patterns, and why that is accepted.
# * is anything without a space, ** is anything, 4XX is a status of its class. README.md of the suite says how it is made.
`;

/** @throws Error when the text is not a YAML list of objects with a `pattern` and a `reason`; it may be empty */
export function readAccepted(text: string, file: string): Accepted[] {
  const root = parseYaml(text, file) ?? [];
  if (!Array.isArray(root)) throw new Error(`${file} is not a list of patterns`);
  return root.map((entry: unknown, index) => {
    // Spreading turns a number or null, which have no members, into an empty object.
    const { pattern, reason, ...others } = { ...(entry as Partial<Record<string, unknown>>) };
    if (isText(pattern) && isText(reason) && Object.keys(others).length === 0) return { pattern, reason };
    throw new Error(`${file}: number ${String(index + 1)} is not a pattern and a reason, both of them texts`);
  });
}

// The error has only the first line of the parser's message; the others are an excerpt of the text.
function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new Error(`${file} is not YAML: ${String((error as Error).message.split('\n')[0])}`, { cause: error });
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

export function writeAccepted(accepted: readonly Accepted[]): string {
  return `${HEADER}${stringify(accepted, { lineWidth: 0 })}`;
}

const SERVER_FAILURE_REASON = "the server's own failure: not produced from outside";
const RATE_LIMIT_REASON = 'no case sends as many requests as that takes';
const TODO_REASON = 'TODO: which test shows it, or why none does';

/** Only failures of the server (5xx, class `fault`) and rate limits (429) have a reason; others are a TODO. */
export function defaultReasonOf({ status, kind, name }: Part): string {
  const isServerFailure = status?.startsWith('5') === true || (kind === 'class' && name === 'fault');
  if (isServerFailure) return SERVER_FAILURE_REASON;
  return status === '429' ? RATE_LIMIT_REASON : TODO_REASON;
}

export function lacksReason({ reason }: Accepted): boolean {
  return reason.startsWith('TODO');
}
