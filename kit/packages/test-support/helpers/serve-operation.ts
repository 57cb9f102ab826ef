import request from 'supertest';
import type { ServiceOptions, Verifier } from '@contract-kit/server';
import { serveText, type Served } from './serve-text';
import type { UntypedHandler } from './untyped-handler';

/** The parts of a contract with one operation, `a`; each text is YAML in flow style. */
export interface OperationParts {
  /** The version of OpenAPI, behind which other members of the document may stand in lines of their own. */
  readonly version?: string;
  readonly path?: string;
  readonly method?: string;
  /** Members of the operation beside these: `parameters: [], security: []`. */
  readonly members?: string;
  /** The schema of its JSON body, which is required. */
  readonly body?: string;
  /** The schema of its JSON reply with the status 200. */
  readonly reply?: string;
  /** Its responses, unless it has a `reply`; those of the kit are declared, too. */
  readonly responses?: string;
  /** Members of the components: `securitySchemes: {}`. */
  readonly components?: string;
  readonly schemas?: Readonly<Record<string, string>>;
}

const ERROR =
  '{ type: object, required: [error, message], properties: { error: { type: integer }, message: { type: string } } }';
const FAILURE =
  "{ description: Failed., content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } } }";
const FAILURES = ['400', '401', '500', '503'].map(
  (status) => `'${status}': { $ref: '#/components/responses/Failure' }`,
);

/** A contract of one operation, whose failures are as `renderFixture` writes them. */
export function contractWith({ version = '3.1.0', path = '/a', method = 'post', ...parts }: OperationParts): string {
  const content = (schema: string): string => `content: { application/json: { schema: ${schema} } }`;
  const replies =
    parts.reply === undefined
      ? (parts.responses ?? "'204': { description: Done. }")
      : `'200': { description: Done., ${content(parts.reply)} }`;
  const members = [
    'operationId: a',
    ...(parts.members === undefined ? [] : [parts.members]),
    ...(parts.body === undefined ? [] : [`requestBody: { required: true, ${content(parts.body)} }`]),
    `responses: { ${[replies, ...FAILURES].join(', ')} }`,
  ];
  const schemas = Object.entries({ Error: ERROR, ...parts.schemas }).map(([name, schema]) => `${name}: ${schema}`);
  const components = [
    ...(parts.components === undefined ? [] : [parts.components]),
    `responses: { Failure: ${FAILURE} }`,
    `schemas: { ${schemas.join(', ')} }`,
  ];
  const lines = [
    `openapi: ${version}`,
    'info: { title: Tests, version: 1.0.0 }',
    'security: []',
    `paths: { '${path}': { ${method}: { ${members.join(', ')} } } }`.replaceAll('\n', ' '),
    `components: { ${components.join(', ')} }`.replaceAll('\n', ' '),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** A service of one operation, and the bodies that its handler got. */
export interface ServedOperation extends Served {
  readonly seen: readonly unknown[];
}

/** @param handler by default replies with the body, or with 204 where the operation has no `reply` */
export async function serveOperation(
  parts: OperationParts,
  handler: UntypedHandler = ({ body }, reply) => (parts.reply === undefined ? reply(204) : reply(200, body)),
  verifiers: Readonly<Record<string, Verifier>> = {},
  options: Partial<ServiceOptions> = {},
): Promise<ServedOperation> {
  const seen: unknown[] = [];
  const a: UntypedHandler = (received, reply) => {
    seen.push(received.body);
    return handler(received, reply);
  };
  return Object.assign(await serveText(contractWith(parts), { a }, verifiers, options), { seen });
}

/** Sends JSON, which may be given as its text. */
export function postJson({ server }: Pick<Served, 'server'>, body: unknown, path = '/a'): request.Test {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return request(server).post(path).set('Content-Type', 'application/json').send(text);
}

/** The statuses that bodies get, one after the other. */
export async function statusesOf(
  served: Pick<Served, 'server'>,
  bodies: readonly unknown[],
  path = '/a',
): Promise<number[]> {
  const statuses: number[] = [];
  for (const body of bodies) statuses.push((await postJson(served, body, path)).status);
  return statuses;
}

/** What a handler was given, each int64 as `123n`, bytes as `bytes:` and hexadecimal digits. */
export type Seen = Readonly<Record<string, unknown>>;

/** A service of one operation at `path`, which keeps what its handler gets. */
export async function serveEcho(
  path: string,
  operation: string,
  more = '',
  version = '3.1.0',
): Promise<Served & { readonly seen: readonly Seen[] }> {
  const source = `openapi: ${version}
info: { title: Echo, version: 1.0.0 }
security: []
paths:
  ${path}:
    post:
      operationId: echo
      responses: { '204': { description: Seen. }, ${FAILURES.join(', ')} }
      ${operation}
components:
  ${more}
  responses:
    Failure: { description: Failed., content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } } }
  schemas:
    Error: { type: object, required: [error, message], properties: { error: { type: integer }, message: { type: string } } }
`;
  const seen: Seen[] = [];
  const served = await serveText(source, {
    echo: async (request, reply) => {
      const body = request.body instanceof Blob ? toHex(await request.body.bytes()) : request.body;
      seen.push(JSON.parse(JSON.stringify({ ...request, body }, toText)) as Seen);
      return reply(204);
    },
  });
  return Object.assign(served, { seen });
}

function toText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${String(value)}n` : value;
}

function toHex(bytes: Uint8Array): string {
  return `bytes:${Buffer.from(bytes).toString('hex')}`;
}

// The parts of contracts whose operations take items, or reply with items.

export const READING =
  '{ type: object, required: [bed, value], properties: { bed: { type: integer, format: int64, minimum: 1 }, value: { type: number, maximum: 100 } } }';
export const EVENT = `{ type: object, required: [event, data], properties: { event: { type: string }, id: { type: string }, retry: { type: integer }, data: { type: string } },
  oneOf: [
    { properties: { event: { const: reading }, data: { contentMediaType: application/json, contentSchema: ${READING} } } },
    { properties: { event: { enum: [note, end] }, data: { maxLength: 20 } } } ] }`;
export const LINES = 'application/jsonl';
export const RECORDS = 'application/json-seq';
export const EVENTS = 'text/event-stream';
export const BIG = 9007199254740993n;

/** An operation that replies with items, each as the media types say, or as one schema. */
export function replying(...types: readonly (readonly [type: string, schema: string])[]): OperationParts {
  const content = types.map(([type, schema]) => `${type}: { itemSchema: ${schema} }`).join(', ');
  return { version: '3.2.0', method: 'get', responses: `'200': { description: Items., content: { ${content} } }` };
}

export function taking(type: string, schema: string, more = ''): OperationParts {
  return {
    version: '3.2.0',
    members: `requestBody: { required: true${more}, content: { ${type}: { itemSchema: ${schema} } } }`,
  };
}
