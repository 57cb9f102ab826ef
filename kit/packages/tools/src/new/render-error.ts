// Writes the `src/render-error.ts` of a new project.
import {
  type NormalizedDocument,
  type NormalizedSchema as Schema,
  bodySchemaOf,
  isObjectOrArray,
  makeSample,
  toReplyValue,
} from '@contract-kit/contract';
import { rendersDeclared } from '@contract-kit/server';
import { type BuiltInError, createRenderer, findBuiltInErrors, findErrorHeaders } from '@contract-kit/server/errors';
import { toLiteral, toMembers } from '../generate/contract-text';
import type { Analysis } from '../lint/analyse-contract';

/** The body that an operation declares for one of its error statuses. */
interface ErrorBody {
  readonly operation: string;
  readonly status: number;
  /** The code of a sample, such as `{ "code": 1 }`. */
  readonly code: string;
}

/** Writes functions with samples of the errors that a contract declares; undefined if the kit can make all errors itself. */
export function makeRenderError({ document, operations }: Analysis): string | undefined {
  const render = createRenderer({ contract: { operations } });
  const bodies = operations.flatMap((operation) =>
    findBuiltInErrors(operation, render).map(({ status, media }): ErrorBody => {
      return { status, operation: operation.id, code: writeBody(document, media) };
    }),
  );
  const headers = [...findErrorHeaders(operations, render)].map(
    ([name, schema]) => [name, makeValue(document, schema, name) ?? ''] as const,
  );
  const contract = { document, operations };
  const errorHeaders = () => Object.fromEntries(headers);
  const hasBodies = bodies.length > 0 && !rendersDeclared(contract, createRenderer({ contract, errorHeaders }));
  if (headers.length === 0 && !hasBodies) return undefined;
  const members = headers.map(([name, value]) => [name, writeValue(value)] as const);
  return [
    ...(headers.length > 0 ? [`import type { ErrorHeaders } from '@contract-kit/server';\n`] : []),
    ...(hasBodies ? [`import type { RenderError } from '../generated/handlers';\n`, writeRenderError(bodies)] : []),
    ...(headers.length > 0 ? [writeErrorHeaders(toMembers(members))] : []),
  ].join('');
}

function writeRenderError(bodies: readonly ErrorBody[]): string {
  const [defaultCode = ''] = sortByFrequency(bodies);
  const byStatus = [...Map.groupBy(bodies, ({ status }) => status)];
  const lines = byStatus.flatMap(([status, bodiesOfStatus]) => writeStatusLines(status, bodiesOfStatus, defaultCode));
  const usesOperation = lines.some((line) => line.includes('String(operation)'));
  const error = lines.length === 0 ? '_' : `{ status${usesOperation ? ', operation' : ''} }`;
  return `
/**
 * Builds the bodies of the errors that the service itself replies with, in the form that openapi.yaml declares. The first
 * parameter describes the error: its kind, status and message, the operation, and the wrong fields.
 * TODO: replace each todo() with the real body. Until then, the service warns about these samples when it starts.
 */
export const renderError: RenderError = (${error}, todo) => {
${lines.join('')}  return ${writeTodo(defaultCode)};
};
`;
}

function writeErrorHeaders(members: string): string {
  return `
/**
 * Returns the headers that openapi.yaml requires in errors. Each error gets only the headers declared for it.
 * TODO: replace todo() with the real headers. Until then, the service warns about these samples when it starts.
 */
export const errorHeaders: ErrorHeaders = (_, todo) => todo('error headers', { ${members} });
`;
}

function writeTodo(code: string): string {
  return `todo('error bodies', ${code})`;
}

// Writes the lines for operations with an unusual body first. `defaultCode` is what the last line of the function returns.
function writeStatusLines(status: number, bodies: readonly ErrorBody[], defaultCode: string): string[] {
  const [mostFrequent = defaultCode, ...others] = sortByFrequency(bodies);
  const linesOfOperations = others.map((code) => {
    const ids = new Set(bodies.filter((body) => body.code === code).map(({ operation }) => toLiteral(operation)));
    const condition = `status === ${String(status)} && [${[...ids].join(', ')}].includes(String(operation))`;
    return `  if (${condition}) return ${writeTodo(code)};\n`;
  });
  const lineOfMostFrequent =
    mostFrequent === defaultCode ? [] : [`  if (status === ${String(status)}) return ${writeTodo(mostFrequent)};\n`];
  return [...linesOfOperations, ...lineOfMostFrequent];
}

// Returns the distinct bodies as code, most frequent first.
function sortByFrequency(bodies: readonly ErrorBody[]): string[] {
  const groups = [...Map.groupBy(bodies, ({ code }) => code)];
  return groups.sort(([, left], [, right]) => right.length - left.length).map(([code]) => code);
}

function writeBody(document: NormalizedDocument, media: BuiltInError['media']): string {
  if (media.kind === 'binary') return `Buffer.from('')`;
  const body = makeValue(document, bodySchemaOf(media), 'message', media.shape.properties.get('body'));
  return body === undefined ? '{} as never' : writeValue(body);
}

/** Makes a value that a schema allows, with optional members only if it has no others; undefined if none is found. */
function makeValue(
  document: NormalizedDocument,
  schema: Schema,
  name: string,
  shape?: Parameters<typeof toReplyValue>[0],
): unknown {
  const make = (isWhole: boolean) => makeSample(document, schema, { name, wants: () => isWhole, takesExamples: false });
  const least = make(false);
  // An empty object tells nothing, and often fits several alternatives of a oneOf.
  const sample = isObjectOrArray(least) && Object.keys(least).length === 0 ? make(true) : least;
  return sample === undefined ? undefined : toReplyValue(shape, sample);
}

/** Writes the code of a value, as JSON has it or with a bigint. */
export function writeValue(value: unknown): string {
  if (typeof value === 'bigint') return `${String(value)}n`;
  if (typeof value !== 'object' || value === null) return toLiteral(value);
  if (Array.isArray(value)) return `[${value.map(writeValue).join(', ')}]`;
  return `{ ${toMembers(Object.entries(value).map(([name, member]) => [name, writeValue(member)]))} }`;
}
