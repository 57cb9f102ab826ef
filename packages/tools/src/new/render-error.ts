// The `src/render-error.ts` of a new project.
import {
  type NormalizedDocument,
  type NormalizedSchema as Schema,
  inPlaceSchemasOf,
  makeSample,
  toReplyValue,
} from '@contract-kit/contract';
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

/** Writes functions with samples of the errors that a contract declares; undefined if the kit, the framework, makes all itself. */
export function makeRenderError({ document, operations, catalogue }: Analysis): string | undefined {
  const render = createRenderer({ contract: { operations }, errors: catalogue });
  const errors = operations.flatMap((operation) =>
    findBuiltInErrors(operation, render).map((error) => ({ ...error, operation: operation.id })),
  );
  const headers = findErrorHeaders(operations, render);
  const hasBodies = !errors.every((error) => canKitRender(document, error));
  if (headers.size === 0 && !hasBodies) return undefined;
  const bodies = errors.map(({ media, ...error }): ErrorBody => ({ ...error, code: writeBody(document, media) }));
  const members = [...headers].map(([name, schema]) => [name, writeSample(document, schema, name) ?? `''`] as const);
  return [
    ...(headers.size > 0 ? [`import type { ErrorHeaders } from '@contract-kit/server';\n`] : []),
    ...(hasBodies ? [`import type { RenderError } from '../generated/handlers';\n`, writeRenderError(bodies)] : []),
    ...(headers.size > 0 ? [writeErrorHeaders(toMembers(members))] : []),
  ].join('');
}

function writeRenderError(bodies: readonly ErrorBody[]): string {
  const [usual = ''] = sortByFrequency(bodies);
  const byStatus = [...Map.groupBy(bodies, ({ status }) => status)];
  const lines = byStatus.flatMap(([status, bodiesOfStatus]) => writeStatusLines(status, bodiesOfStatus, usual));
  const isOfOperation = lines.some((line) => line.includes('String(operation)'));
  const error = lines.length === 0 ? '_' : `{ status${isOfOperation ? ', operation' : ''} }`;
  return `
/**
 * Makes the body of each error as openapi.yaml declares it. The first parameter describes the error: its kind, status and
 * message, the operation, and the wrong fields.
 * TODO: these are samples. Replace each todo() with the body that you want; until then, each start reminds you.
 */
export const renderError: RenderError = (${error}, todo) => {
${lines.join('')}  return ${writeTodo(usual)};
};
`;
}

function writeErrorHeaders(members: string): string {
  return `
/**
 * Makes the headers that openapi.yaml requires for errors. An error gets only those that are declared for it.
 * TODO: these are samples. Replace todo() with the headers that you want; until then, each start reminds you.
 */
export const errorHeaders: ErrorHeaders = (_, todo) => todo('headers of errors', { ${members} });
`;
}

function writeTodo(code: string): string {
  return `todo('bodies of errors', ${code})`;
}

// Keywords beside `type` that the members of problem details, and of an error of a catalogue, are certain to match.
const HARMLESS = new Set(
  'type title description format default example examples nullable deprecated $comment'.split(' '),
);

/** Whether the kit makes the body itself: it has all that is required, and each member has a schema of its type. */
function canKitRender(document: NormalizedDocument, { isRendered, media, body }: BuiltInError): boolean {
  const members = Object.entries(Object(body) as object) as [string, unknown][];
  const parts = inPlaceSchemasOf(document, bodySchemaOf(media));
  const fits = ([name, value]: [string, unknown]): boolean =>
    parts
      .flatMap((part) => part.properties?.[name] ?? [])
      .flatMap((property) => inPlaceSchemasOf(document, property))
      .every(({ type = [], ...rules }) => {
        const names = typeof value === 'string' ? ['string'] : ['integer', 'number'];
        const isOfType = [type].flat().length === 0 || [type].flat().some((one) => names.includes(one));
        return isOfType && Object.keys(rules).every((keyword) => HARMLESS.has(keyword) || keyword.startsWith('x-'));
      });
  const required = parts.flatMap((part) => part.required ?? []);
  return isRendered && required.every((name) => members.some(([key]) => key === name)) && members.every(fits);
}

// First those of the operations that differ from most others. `usual` is what the last line of the function returns.
function writeStatusLines(status: number, bodies: readonly ErrorBody[], usual: string): string[] {
  const [mostFrequent = usual, ...others] = sortByFrequency(bodies);
  const linesOfOperations = others.map((code) => {
    const ids = new Set(bodies.filter((body) => body.code === code).map(({ operation }) => toLiteral(operation)));
    const condition = `status === ${String(status)} && [${[...ids].join(', ')}].includes(String(operation))`;
    return `  if (${condition}) return ${writeTodo(code)};\n`;
  });
  const lineOfMostFrequent =
    mostFrequent === usual ? [] : [`  if (status === ${String(status)}) return ${writeTodo(mostFrequent)};\n`];
  return [...linesOfOperations, ...lineOfMostFrequent];
}

// Returns the distinct bodies as code, the most frequent one first.
function sortByFrequency(bodies: readonly ErrorBody[]): string[] {
  const groups = [...Map.groupBy(bodies, ({ code }) => code)];
  return groups.sort(([, left], [, right]) => right.length - left.length).map(([code]) => code);
}

function writeBody(document: NormalizedDocument, media: BuiltInError['media']): string {
  if (media.kind === 'binary') return `Buffer.from('')`;
  return writeSample(document, bodySchemaOf(media), 'message', media.shape.properties.get('body')) ?? '{} as never';
}

// The schema of a message has that of the body as a property.
function bodySchemaOf({ schema }: BuiltInError['media']): Schema {
  return schema.properties?.['body'] ?? {};
}

/** Writes a value that a schema allows, without what is optional; undefined if none is found. */
function writeSample(
  document: NormalizedDocument,
  schema: Schema,
  name: string,
  shape?: Parameters<typeof toReplyValue>[0],
): string | undefined {
  const sample = makeSample(document, schema, { name, wants: () => false, takesExamples: false });
  return sample === undefined ? undefined : writeValue(toReplyValue(shape, sample));
}

function writeValue(value: unknown): string {
  if (typeof value === 'bigint') return `${String(value)}n`;
  if (typeof value !== 'object' || value === null) return toLiteral(value);
  if (Array.isArray(value)) return `[${value.map(writeValue).join(', ')}]`;
  return `{ ${toMembers(Object.entries(value).map(([name, member]) => [name, writeValue(member)]))} }`;
}
