// The `src/render-error.ts` of a new project.
import {
  type BuiltInError,
  type NormalizedDocument,
  type NormalizedSchema as Schema,
  createRenderer,
  makeSample,
  type SampleLeaf,
  findBuiltInErrors,
  findErrorHeaders,
  inPlaceSchemasOf,
  schemasBelow,
} from '@contract-kit/server/contract';
import { toLiteral, toMembers } from '../generate/contract-text';
import type { Analysis } from '../lint/analyse-contract';

/** The body that an operation declares for one of its error statuses. */
interface ErrorBody {
  readonly operation: string;
  readonly status: number;
  /** The code of the body, such as `{ message: message }`. */
  readonly code: string;
}

/** The code of a project's `src/render-error.ts`, and what is to be written in it. */
export interface RenderErrorCode {
  readonly code: string;
  readonly unwritten: readonly string[];
}

/** Writes a function that makes the bodies of errors; undefined if the kit, the framework, can make all itself. */
export function makeRenderError({
  document,
  operations,
  catalogue,
}: Pick<Analysis, 'document' | 'operations' | 'catalogue'>): RenderErrorCode | undefined {
  // The replies that the kit sends itself, with the declared bodies; isRendered: whether it supports their media type.
  const render = createRenderer({ contract: { operations }, errors: catalogue });
  const declared = operations.flatMap((operation) =>
    findBuiltInErrors(operation, render).map((error) => ({ ...error, operation: operation.id })),
  );
  const headers = findErrorHeaders(operations, render);
  const hasBodies = !declared.every((error) => canKitRender(document, error));
  if (headers.size === 0 && !hasBodies) return undefined;
  const unwritten = new Set<string>();
  const bodies = hasBodies
    ? declared.map(({ media, operation, status }): ErrorBody => ({
        operation,
        status,
        code: writeBody(document, media, unwritten),
      }))
    : [];
  const [usual = ''] = sortByFrequency(bodies);
  const byStatus = [...Map.groupBy(bodies, ({ status }) => status)];
  const lines = byStatus.flatMap(([status, bodiesOfStatus]) => writeStatusLines(status, bodiesOfStatus, usual));
  const functionBody = `${lines.join('')}  return ${usual};\n`;
  const headersBody = `  return { ${writeHeaders(document, headers, unwritten)} };\n`;
  const marked = unwritten.size > 0 ? '\n * TODO: write each value that is in todo(); the start lists them.' : '';
  const madeBodies = `
/**
 * Makes the body of each refusal, as openapi.yaml declares it. The values are the first that fit: write what is meant.${marked}
 */
export const renderError: RenderError = (${writeParameters(functionBody)}) => {
${functionBody}};
`;
  const madeHeaders = `
/**
 * Makes the headers that openapi.yaml requires of refusals; each has those that are declared for it.${marked}
 */
export const errorHeaders: ErrorHeaders = (${writeParameters(headersBody)}) => {
${headersBody}};
`;
  const code = [
    ...(headers.size > 0 ? [`import type { ErrorHeaders } from '@contract-kit/server';\n`] : []),
    ...(hasBodies ? [`import type { RenderError } from '../generated/handlers';\n`, madeBodies] : []),
    ...(headers.size > 0 ? [madeHeaders] : []),
  ];
  return { code: code.join(''), unwritten: [...unwritten] };
}

/** Writes the parameters that the code of a function uses. What the contract says is in quotes there. */
function writeParameters(functionBody: string): string {
  const code = functionBody.replaceAll(/"(?:\\.|[^"\\])*"/g, '');
  const uses = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(code);
  const names = ['kind', 'message', 'operation', 'status'].filter(uses);
  const error = names.length > 0 ? `{ ${names.join(', ')} }` : '_';
  return uses('todo') ? `${error}, todo` : names.length > 0 ? error : '';
}

function writeHeaders(
  document: NormalizedDocument,
  headers: ReadonlyMap<string, Schema>,
  unwritten: Set<string>,
): string {
  const members = [...headers].map(([name, schema]) => {
    const code = writeErrorValue(document, schema, unwritten, name);
    if (code === undefined) unwritten.add(name);
    return [name, code ?? `todo(${toLiteral(name)}, '')`] as const;
  });
  return toMembers(members);
}

// The schema of a message has that of the body as a property.
function bodySchemaOf({ schema }: BuiltInError['media']): Schema {
  return schema.properties?.['body'] ?? {};
}

// Keywords beside `type` that the members of problem details, and of an error of a catalogue, are certain to match.
const HARMLESS = new Set('type title description format example examples nullable deprecated $comment'.split(' '));

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
    return `  if (status === ${String(status)} && [${[...ids].join(', ')}].includes(String(operation))) return ${code};\n`;
  });
  const lineOfMostFrequent =
    mostFrequent === usual ? [] : [`  if (status === ${String(status)}) return ${mostFrequent};\n`];
  return [...linesOfOperations, ...lineOfMostFrequent];
}

// Returns the distinct bodies as code, the most frequent one first.
function sortByFrequency(bodies: readonly ErrorBody[]): string[] {
  const groups = [...Map.groupBy(bodies, ({ code }) => code)];
  return groups.sort(([, left], [, right]) => right.length - left.length).map(([code]) => code);
}

// Keywords that may refuse a body although each of its values fits.
const UNSURE = new Set(
  'oneOf anyOf not if minProperties maxProperties dependentRequired dependentSchemas propertyNames unevaluatedProperties uniqueItems contains'.split(
    ' ',
  ),
);

/** Writes code, an expression, for a body; adds what is to be written to `unwritten`. */
function writeBody(document: NormalizedDocument, media: BuiltInError['media'], unwritten: Set<string>): string {
  if (media.kind === 'binary') return 'Buffer.from(message)';
  const schema = bodySchemaOf(media);
  const code = writeErrorValue(document, schema, unwritten);
  const isUnsure =
    code === undefined ||
    [...schemasBelow(document, [schema])].some((part) => Object.keys(part).some((one) => UNSURE.has(one)));
  if (!isUnsure) return code;
  unwritten.add('a body');
  return `todo("a body", ${code ?? '{} as never'})`;
}

// Names of optional properties that describe an error: they are written, too.
const DESCRIBING_NAME = /message|detail|description|error|reason|title|code|status/i;
// Below this depth, only required properties are written.
const MAX_DEPTH_OF_OPTIONAL = 3;

/** A value as code, such as `message.slice(0, 80)`. */
class Expression {
  readonly code: string;

  constructor(code: string) {
    this.code = code;
  }
}

/**
 * Writes code, a JavaScript expression, for a value of an error that a schema allows; undefined if none is found. The code may
 * use the variables `kind`, the name of the error, `status` and `message`; the names of properties tell which one fits.
 * What none of them fits is put into `todo()`, and into `unwritten`.
 */
function writeErrorValue(
  document: NormalizedDocument,
  node: Schema,
  unwritten: Set<string>,
  name = 'message',
): string | undefined {
  const wants = (name: string, depth: number): boolean => depth < MAX_DEPTH_OF_OPTIONAL && DESCRIBING_NAME.test(name);
  const value = makeSample(document, node, { wants, name, makeLeaf });
  return value === undefined ? undefined : writeValue(value);

  function makeLeaf(leaf: SampleLeaf): Expression | undefined {
    const code = writeLeaf(leaf);
    if (code !== undefined) return new Expression(code);
    const made = leaf.make();
    if (made === undefined) return undefined;
    unwritten.add(leaf.name);
    return new Expression(`todo(${toLiteral(leaf.name)}, ${writeScalar(leaf, made)})`);
  }
}

function writeScalar({ read }: SampleLeaf, value: unknown): string {
  const isInt64 = typeof value === 'bigint' || (read('format') === 'int64' && Number.isInteger(value));
  return isInt64 ? `${String(value)}n` : toLiteral(value);
}

function writeValue(value: unknown): string {
  if (value instanceof Expression) return value.code;
  if (Array.isArray(value)) return `[${value.map(writeValue).join(', ')}]`;
  const members = Object.entries(value as object);
  return `{ ${toMembers(members.map(([name, member]) => [name, writeValue(member)]))} }`;
}

/** Writes the expression whose meaning the schema and the name tell; undefined if they tell none. */
function writeLeaf(leaf: SampleLeaf): string | undefined {
  const { type, read } = leaf;
  const allowed = (read('enum') ?? []) as readonly unknown[];
  if (read('const') !== undefined || allowed.length === 1) return writeScalar(leaf, leaf.make());
  if (allowed.length > 1 || read('pattern') !== undefined) return undefined;
  if (type === 'null') return 'null';
  if (type === 'boolean') return /^(?:ok|success)/i.test(leaf.name) ? 'false' : undefined;
  return type === 'string' ? writeText(leaf) : writeNumber(leaf);
}

function writeNumber({ name, read }: SampleLeaf): string | undefined {
  const isTime = /time|date/i.test(name);
  if (!isTime && !/status|code|error|number|message/i.test(name)) return undefined;
  const limits = Object.entries({
    minimum: 400,
    maximum: 599,
    exclusiveMinimum: NaN,
    exclusiveMaximum: NaN,
    multipleOf: NaN,
  });
  // A status is from 400 to 599.
  const allowsAny = limits.every(([keyword, status]) => {
    const limit = read(keyword);
    return (
      limit === undefined || (!isTime && (keyword === 'minimum' ? Number(limit) <= status : Number(limit) >= status))
    );
  });
  if (!allowsAny) return undefined;
  const number = isTime ? 'Date.now()' : 'status';
  return read('format') === 'int64' ? `BigInt(${number})` : number;
}

type TextExpression = readonly [pattern: RegExp, code: string, least: number, most: number];

// The expression for a text by its name and by its format, and how many characters it has at least and at most.
const BY_NAME: readonly TextExpression[] = [
  [/^instance$/i, '`urn:uuid:${crypto.randomUUID()}`', 45, 45],
  [/status/i, 'String(status)', 3, 3],
  [/code|type|kind/i, 'kind', 9, 28],
  [/time|date/i, 'new Date().toISOString()', 24, 24],
  [/message|detail|description|error|reason|title|text|body/i, 'message', 20, Infinity],
];
const BY_FORMAT: readonly TextExpression[] = [
  [/^date-time$/, 'new Date().toISOString()', 24, 24],
  [/^date$/, 'new Date().toISOString().slice(0, 10)', 10, 10],
  [/^uuid$/, 'crypto.randomUUID()', 36, 36],
  [/^uri/, `'about:blank'`, 11, 11],
];

function writeText({ name, read }: SampleLeaf): string | undefined {
  const format = read('format');
  const find = (expressions: readonly TextExpression[], text: unknown): TextExpression | undefined =>
    expressions.find(([pattern]) => typeof text === 'string' && pattern.test(text));
  // The URI of an occurrence (RFC 9457 section 3.1.5) is its instance.
  const isByName = format === undefined || name === 'instance';
  const found = isByName ? find(BY_NAME, name) : find(BY_FORMAT, format);
  const [minimum, maximum] = [Number(read('minLength') ?? 0), Number(read('maxLength') ?? Infinity)];
  if (!found) return undefined;
  const [, code, least, most] = found;
  if (least < minimum) return undefined;
  if (most <= maximum) return code;
  // A part of a time or an id means nothing.
  return code === 'message' || code === 'kind' ? `${code}.slice(0, ${String(maximum)})` : undefined;
}
