import { sampleMatching } from '@contract-kit/conformance';
import {
  type NormalizedDocument,
  type NormalizedSchema as Schema,
  bodySchemaOf,
  isObjectOrArray,
  makeSample,
  type SampleOptions,
  toReplyValue,
} from '@contract-kit/contract';
import { createMismatchFinder, type ErrorToRender } from '@contract-kit/server';
import { type BuiltInError, createRenderer, findBuiltInErrors, findErrorHeaders } from '@contract-kit/server/errors';
import { toLiteral, toMembers } from '../generate/contract-text';
import type { Analysis } from '../lint/analyse-contract';

interface ErrorBody {
  readonly operation: string;
  readonly status: number;
  /** The body as code, such as `{ "code": 1 }`. */
  readonly code: string;
}

/** A project's src/render-error.ts. */
export interface ErrorSamples {
  /** Undefined if the kit can create all errors itself. */
  readonly code: string | undefined;
  /** What is wrong with samples that the contract does not allow, but for which no better sample was found. */
  readonly problems: readonly string[];
}

/** Creates functions that return samples of the errors that a contract declares. The server's own checks choose the samples. */
export function makeErrorSamples({ document, operations }: Analysis): ErrorSamples {
  const contract = { document, operations };
  const findMismatches = createMismatchFinder(contract);
  const render = createRenderer({ contract });
  // All samples for each header and body. The first one of each is used.
  const headers = new Map(
    [...findErrorHeaders(operations, render)].map(([name, schema]) => [name, listSamples(document, schema, name)]),
  );
  const bodies = new Map(
    operations.flatMap((operation) =>
      findBuiltInErrors(operation, render).map(({ status, media }) => {
        return [`${String(status)} ${operation.id}`, listBodies(document, media)] as const;
      }),
    ),
  );
  const errorHeaders = (): Readonly<Record<string, unknown>> =>
    Object.fromEntries([...headers].map(([name, [value = '']]) => [name, value]));
  const bodilessRenderer = createRenderer({ contract, errorHeaders });
  const renderError = ({ status, operation = '' }: ErrorToRender): unknown =>
    bodies.get(`${String(status)} ${operation}`)?.[0] ?? {};
  const fullRenderer = createRenderer({ contract, renderError, errorHeaders });
  // Replace each refused sample with the next one, until no sample is refused, or none is left.
  for (let refusedSampleLists: unknown[][] = [[]]; refusedSampleLists.length > 0;) {
    refusedSampleLists = findMismatches(fullRenderer).flatMap(({ problem, operation, status }) => {
      const [, header = ''] = /response\/headers\/([^/ ]+)/.exec(problem) ?? [];
      const body = problem.includes('response/body') ? bodies.get(`${String(status)} ${operation.id}`) : undefined;
      return [headers.get(header) ?? body ?? []].filter(({ length }) => length > 0);
    });
    for (const samples of new Set(refusedSampleLists)) samples.shift();
  }
  const hasBodies = bodies.size > 0 && findMismatches(bodilessRenderer).length > 0;
  if (headers.size === 0 && !hasBodies) return { code: undefined, problems: [] };
  const mismatches = findMismatches(hasBodies ? fullRenderer : bodilessRenderer);
  const problems = mismatches.map(({ problem, operation: { id }, status }) => `${id} ${String(status)} ${problem}`);
  const code = [
    ...(headers.size > 0 ? [`import type { ErrorHeaders } from '@contract-kit/server';\n`] : []),
    ...(hasBodies ? [`import type { RenderError } from '../generated/handlers';\n`, writeRenderError(bodies)] : []),
    ...(headers.size > 0 ? [writeErrorHeaders(writeValue(errorHeaders()))] : []),
  ].join('');
  return { code, problems: [...new Set(problems)] };
}

function writeRenderError(samples: ReadonlyMap<string, readonly unknown[]>): string {
  const bodies = [...samples].map(([key, [sample]]): ErrorBody => {
    const [status = '', ...operation] = key.split(' ');
    return { status: Number(status), operation: operation.join(' '), code: writeBody(sample) };
  });
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

function writeErrorHeaders(headers: string): string {
  return `
/**
 * Returns the headers that openapi.yaml requires in errors. Each error gets only the headers declared for it.
 * TODO: replace todo() with the real headers. Until then, the service warns about these samples when it starts.
 */
export const errorHeaders: ErrorHeaders = (_, todo) => todo('error headers', ${headers});
`;
}

function writeTodo(code: string): string {
  return `todo('error bodies', ${code})`;
}

// Operations with an unusual body come first. `defaultCode` needs no line, since the function's last line returns it.
function writeStatusLines(status: number, bodies: readonly ErrorBody[], defaultCode: string): string[] {
  const [mostFrequent = defaultCode, ...unusualBodies] = sortByFrequency(bodies);
  const linesOfOperations = unusualBodies.map((code) => {
    const ids = new Set(bodies.filter((body) => body.code === code).map(({ operation }) => toLiteral(operation)));
    const condition = `status === ${String(status)} && [${[...ids].join(', ')}].includes(String(operation))`;
    return `  if (${condition}) return ${writeTodo(code)};\n`;
  });
  const lineOfMostFrequent =
    mostFrequent === defaultCode ? [] : [`  if (status === ${String(status)}) return ${writeTodo(mostFrequent)};\n`];
  return [...linesOfOperations, ...lineOfMostFrequent];
}

// Returns each different body as code, most frequent first.
function sortByFrequency(bodies: readonly ErrorBody[]): string[] {
  const groups = [...Map.groupBy(bodies, ({ code }) => code)];
  return groups.sort(([, left], [, right]) => right.length - left.length).map(([code]) => code);
}

function writeBody(sample: unknown): string {
  if (sample instanceof Buffer) return `Buffer.from('')`;
  return sample === undefined ? '{} as never' : writeValue(sample);
}

function listBodies(document: NormalizedDocument, media: BuiltInError['media']): unknown[] {
  if (media.kind === 'binary') return [Buffer.from('')];
  const shape = media.shape.properties.get('body');
  return listSamples(document, bodySchemaOf(media), 'message').map((sample) => toReplyValue(shape, sample));
}

// Tries the first four alternatives, without and with optional properties, and only then the contract's examples.
const VARIANTS: readonly SampleOptions[] = [false, true].flatMap((takesExamples) =>
  [0, 1, 2, 3].flatMap((alternative) =>
    [false, true].map((isWhole) => ({ takesExamples, alternative, wants: () => isWhole })),
  ),
);

// Lists samples for a schema. Some of them may not match it.
function listSamples(document: NormalizedDocument, schema: Schema, name: string): unknown[] {
  const makeMatching = (pattern: string): string[] => sampleMatching(pattern, 100);
  const samples = VARIANTS.map((variant) => makeSample(document, schema, { name, makeMatching, ...variant }));
  // An empty object would not show developers what to write.
  const isEmpty = (sample: unknown): boolean => isObjectOrArray(sample) && Object.keys(sample).length === 0;
  return samples
    .filter((sample) => sample !== undefined)
    .toSorted((left, right) => Number(isEmpty(left)) - Number(isEmpty(right)));
}

/** Returns a JSON value, in which integers may be bigints, as code. */
export function writeValue(value: unknown): string {
  if (typeof value === 'bigint') return `${String(value)}n`;
  if (typeof value !== 'object' || value === null) return toLiteral(value);
  if (Array.isArray(value)) return `[${value.map(writeValue).join(', ')}]`;
  return `{ ${toMembers(Object.entries(value).map(([name, member]) => [name, writeValue(member)]))} }`;
}
