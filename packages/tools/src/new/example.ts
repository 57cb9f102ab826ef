// The curl line that a new service prints.
import type { Example } from '@contract-kit/server';
import {
  type Document,
  type Operation,
  type Reference,
  resolveReference,
  type Schema,
} from '@contract-kit/server/contract';
import { quote, quotePath } from './quote';

const JSON_BODY = /^application\/json$|\+json$/;
const MAX_DEPTH = 8;

// A node that may show a value.
type WithExamples = Readonly<Record<string, unknown>> & { readonly examples?: Readonly<Record<string, object>> };

/**
 * Makes a request to try with curl: to the first operation that a bearer token opens, or else to the first one. Its
 * values are the examples of the contract. Other values have the right type, but may break other rules.
 */
export function makeExample(document: Document, operations: readonly Operation[]): Example {
  const operation = operations.find(isOpenToBearer) ?? operations[0];
  if (!operation) return { purpose: 'see the contract', path: '/openapi.yaml', options: '' };
  const { id, method, path, parameters, body } = operation;
  const sampleParameters = (location: string): [name: string, value: string][] =>
    parameters
      .filter((parameter) => parameter.isRequired && parameter.location === location)
      .map(({ name, schema }) => [name, toParameterText(sampleValue(document, schema))]);
  const filledPath = sampleParameters('path').reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );
  const query = sampleParameters('query').map((pair) => pair.map(encodeURIComponent).join('='));
  const bodies = body?.isRequired === true ? [...body.media.values()] : [];
  const jsonBody = bodies.find(({ type }) => JSON_BODY.test(type));
  const options = [
    `-X ${method}`,
    ...sampleParameters('header').map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(jsonBody
      ? [`-H ${quote(`Content-Type: ${jsonBody.type}`)}`, `-d ${quote(writeBody(document, operation, jsonBody))}`]
      : []),
  ];
  return {
    purpose: `call ${id}`,
    path: quotePath(query.length > 0 ? `${filledPath}?${query.join('&')}` : filledPath),
    options: options.join(' '),
  };
}

function isOpenToBearer({ security }: Operation): boolean {
  return security.some((alternative) => alternative.every(({ challenge }) => challenge === 'Bearer'));
}

function writeBody(
  document: Document,
  { object }: Operation,
  { type, schema }: { readonly type: string; readonly schema: Schema },
): string {
  const { content = {} } = object.requestBody ? resolveReference(document, object.requestBody) : {};
  const { example, examples = {} } = (content[type] ?? {}) as WithExamples;
  const [firstExample] = Object.values(examples).map((node) =>
    resolveReference<Reference | { readonly value?: unknown }>(document, node),
  );
  const shown = example ?? (firstExample as { readonly value?: unknown } | undefined)?.value;
  return JSON.stringify(shown ?? sampleValue(document, schema));
}

// The example, default, const or enum of the schema, or else a value of its type, such as 'text'. Undefined beyond
// MAX_DEPTH: a schema may contain itself.
function sampleValue(document: Document, node: Schema, depth = 0): unknown {
  const schema = resolveReference(document, node) as Schema & WithExamples;
  const { example, allOf = [], anyOf = [], oneOf = [], properties = {}, required = [] } = schema;
  const [firstListed] = [schema.enum, schema.examples].flatMap((all) => (Array.isArray(all) ? (all as unknown[]) : []));
  const shown = example ?? schema.default ?? schema.const ?? firstListed;
  if (shown !== undefined || depth > MAX_DEPTH) return shown;
  const type = [schema.type].flat().find((one) => one !== 'null');
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'string') return 'text';
  if (type === 'array') return schema.items ? [sampleValue(document, schema.items, depth + 1)] : [];
  // All of allOf and one alternative: objects are merged, with the required properties of the schema itself.
  const parts = [...allOf, ...[...oneOf, ...anyOf].slice(0, 1)].map((part) => sampleValue(document, part, depth + 1));
  const [first] = parts;
  const isNoObject = type === undefined && parts.length > 0 && typeof first !== 'object';
  if (isNoObject) return first;
  const own = required.map((name) => [name, sampleValue(document, properties[name] ?? {}, depth + 1)] as const);
  return Object.assign({}, ...(parts as object[]), Object.fromEntries(own)) as unknown;
}

function toParameterText(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
