// The `src/render-error.ts` of a new project.
import {
  type Document,
  type BuiltInError,
  type NormalizedSchema as Schema,
  createRenderer,
  findBuiltInErrors,
  parseYaml,
  resolveReference,
} from '@contract-kit/server/contract';
import type { NewContract } from './read-contract';

/** The body that an operation declares for one of its error statuses. */
interface ErrorBody {
  readonly operation: string;
  readonly status: number;
  /** The code of the body, such as `{ message: message }`. */
  readonly code: string;
}

/** Writes a function that makes the bodies of errors; undefined if the kit, the framework, can make all itself. */
export function makeRenderError({
  source,
  operations,
  catalogue,
}: Pick<NewContract, 'source' | 'operations' | 'catalogue'>): string | undefined {
  const document = parseYaml(source, 'openapi.yaml') as Document;
  // The replies that the kit sends itself, with the declared bodies; isRendered: whether it supports their media type.
  const render = createRenderer({ contract: { operations }, errors: catalogue });
  const declared = operations.flatMap((operation) =>
    findBuiltInErrors(operation, render).map((error) => ({ ...error, operation: operation.id })),
  );
  const canKitRender = declared.every(({ isRendered, media, body }) => {
    const required = listMatchedSchemas(document, bodySchemaOf(media)).flatMap((part) => part.required ?? []);
    return isRendered && required.every((name) => Object.hasOwn(Object(body) as object, name));
  });
  if (canKitRender) return undefined;
  const bodies = declared.map(({ media, operation, status }): ErrorBody => ({
    operation,
    status,
    code: media.kind === 'json' ? writeErrorValue(document, bodySchemaOf(media)) : 'message',
  }));
  const [usual = ''] = sortByFrequency(bodies);
  const byStatus = [...Map.groupBy(bodies, ({ status }) => status)];
  const lines = byStatus.flatMap(([status, bodiesOfStatus]) => writeStatusLines(status, bodiesOfStatus, usual));
  const functionBody = `${lines.join('')}  return ${usual};\n`;
  // The parameters that the code uses, not the names of properties, which are in quotes.
  const usedParameters = ['kind', 'message', 'operation', 'status'].filter((name) =>
    new RegExp(`(?<!")\\b${name}\\b`).test(functionBody),
  );
  return `import type { RenderError } from '../generated/handlers';

/**
 * Makes the body of each refusal, as openapi.yaml declares it. The values are the first that fit: write what is meant.
 */
export const renderError: RenderError = ({ ${usedParameters.join(', ')} }) => {
${functionBody}};
`;
}

// The schema of a message has that of the body as a property.
function bodySchemaOf({ schema }: BuiltInError['media']): Schema {
  return schema.properties?.['body'] ?? {};
}

// First those of the operations that differ from most others. `usual` is what the last line of the function returns.
function writeStatusLines(status: number, bodies: readonly ErrorBody[], usual: string): string[] {
  const [mostFrequent = usual, ...others] = sortByFrequency(bodies);
  const linesOfOperations = others.map((code) => {
    const ids = new Set(bodies.filter((body) => body.code === code).map(({ operation }) => JSON.stringify(operation)));
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

// Names of optional properties that describe an error. They are written if a schema requires none.
const DESCRIBING_NAME = /message|detail|description|error|reason|title|code|status/i;
const EXPRESSION_OF_FORMAT: Readonly<Record<string, string>> = {
  'date-time': 'new Date().toISOString()',
  date: 'new Date().toISOString().slice(0, 10)',
  uuid: 'crypto.randomUUID()',
  uri: `'about:blank'`,
};
// Below this depth, only required properties are written.
const MAX_DEPTH_OF_OPTIONAL = 3;
// Beyond this depth the value is null, so that recursive schemas end.
const DEPTH_LIMIT = 20;

/** The keywords that the kit does not read itself. */
interface Rules extends Schema {
  readonly example?: string | number;
  readonly examples?: readonly (string | number)[];
}

/**
 * Writes code, a JavaScript expression, for the body of an error that a schema allows. The code may use the variables
 * `kind`, the name of the error, `status` and `message`; `name`, of the property, tells which one fits. It is a first
 * version: the value has the right type, but may not be what is meant.
 *
 * @example writeErrorValue(document, { type: 'object', required: ['code'], properties: { code: { type: 'integer' } } }) // '{ code: status }'
 */
export function writeErrorValue(document: Document, node: Schema, name = 'message', depth = 0): string {
  if (depth === DEPTH_LIMIT) return 'null';
  const inPlaceSchemas = listMatchedSchemas(document, node);
  // Of two parts with the same keyword, the first one counts: the schema itself is the first.
  const rules = Object.assign({}, ...[...inPlaceSchemas].reverse()) as Rules;
  const [fixedValue] = rules.const === undefined ? (rules.enum ?? []) : [rules.const];
  if (fixedValue !== undefined) return JSON.stringify(fixedValue);
  const properties = new Map(inPlaceSchemas.flatMap((part) => Object.entries(part.properties ?? {})));
  const items = inPlaceSchemas.find((part) => part.items)?.items;
  const declaredTypes = [rules.type ?? []].flat().filter((declared) => declared !== 'null');
  const [type = guessType(properties.size > 0, items)] = declaredTypes;
  switch (type) {
    case 'object':
      return writeObject();
    case 'array':
      return items ? `[${writeErrorValue(document, items, name, depth + 1)}]` : '[]';
    case 'integer':
    case 'number':
      return writeNumber(rules);
    case 'string':
      return writeStringExpression(rules, name);
    default:
      return 'false';
  }

  function writeObject(): string {
    const required = inPlaceSchemas.flatMap((part) => part.required ?? []);
    const mayHaveOptional = depth < MAX_DEPTH_OF_OPTIONAL;
    const describing = mayHaveOptional ? [...properties.keys()].filter((key) => DESCRIBING_NAME.test(key)) : [];
    // To fit only one alternative, a value may need more properties than the required ones.
    const isOneOf = inPlaceSchemas.some(({ oneOf = [] }) => oneOf.length > 1);
    const keys = new Set(required.length > 0 && !isOneOf ? required : [...required, ...describing]);
    const members = [...keys].map((key) => {
      return `${JSON.stringify(key)}: ${writeErrorValue(document, properties.get(key) ?? {}, key, depth + 1)}`;
    });
    return `{ ${members.join(', ')} }`;
  }
}

function guessType(hasProperties: boolean, items: Schema | undefined): string {
  if (hasProperties) return 'object';
  return items ? 'array' : 'string';
}

// The variable `status` if the limits allow 400 to 599; otherwise the limit that excludes some of them.
function writeNumber({ format, minimum = 400, maximum = 599 }: Rules): string {
  const allowsAnyStatus = minimum <= 400 && maximum >= 599;
  const number = allowsAnyStatus ? 'status' : String(minimum > 400 ? minimum : maximum);
  return format === 'int64' ? `BigInt(${number})` : number;
}

// A constant for a pattern: no variable is certain to match it, but an example of the contract does.
function writeStringExpression(
  { format = '', pattern, maxLength, example, examples: [first = example] = [] }: Rules,
  name: string,
): string {
  if (Object.hasOwn(EXPRESSION_OF_FORMAT, format)) return String(EXPRESSION_OF_FORMAT[format]);
  // An example in YAML may be a number where a string is meant.
  if (pattern !== undefined && first !== undefined) return JSON.stringify(String(first));
  const variable = /status/i.test(name) ? 'String(status)' : /code|type|kind/i.test(name) ? 'kind' : 'message';
  return maxLength === undefined ? variable : `${variable}.slice(0, ${String(maxLength)})`;
}

// Lists the schemas that a value must match: the schema, its allOf, the first of its anyOf, and one of its oneOf.
function listMatchedSchemas(document: Document, node: Schema): Rules[] {
  const schema = resolveReference(document, node);
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  const alternatives = oneOf.map((child) => listMatchedSchemas(document, child));
  // Of oneOf, the alternative that requires least: a value with only these properties fits no other alternative.
  const [chosen = []] = alternatives.toSorted((left, right) => countRequired(left) - countRequired(right));
  const children = [...allOf, ...anyOf.slice(0, 1)];
  return [schema, ...children.flatMap((child) => listMatchedSchemas(document, child)), ...chosen];
}

// Schemas of other types than object come last.
function countRequired(schemas: readonly Rules[]): number {
  const isObject = schemas.some(({ properties }) => properties);
  return isObject ? schemas.flatMap(({ required = [] }) => required).length : Number.MAX_VALUE;
}
