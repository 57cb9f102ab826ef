/** A part of a contract. */
type Node = Readonly<Record<string, unknown>>;

/**
 * A contract as large as those of large companies: resources with two schemas and five operations each.
 *
 * @param count how many operations it has
 * @returns an OpenAPI document as JSON, which is YAML too
 */
export function makeLargeContract(count: number): string {
  const paths: Record<string, Record<string, Node>> = {};
  const schemas: Record<string, Node> = { Error: errorSchema };
  for (let index = 0; index < count; index++) {
    const resource = Math.floor(index / OPERATIONS.length);
    const name = `Resource${String(resource)}`;
    const [method = '', suffix = '', operation] = OPERATIONS[index % OPERATIONS.length] ?? [];
    const path = `/resources-${String(resource)}${suffix}`;
    paths[path] = { ...paths[path], [method]: operation?.(name) ?? {} };
    Object.assign(schemas, makeSchemas(resource, name));
  }
  const document = {
    openapi: '3.0.3',
    info: {
      title: `${String(count)} operations`,
      version: '1.0.0',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: '/', description: 'Wherever it runs.' }],
    security: [{ bearerAuth: [] }],
    tags: [{ name: 'resources', description: 'All of them.' }],
    paths,
    components: {
      securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } },
      schemas,
      responses: errorReplies,
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const errorSchema: Node = {
  type: 'object',
  required: ['error', 'message'],
  properties: {
    error: { type: 'integer', format: 'int32' },
    message: { type: 'string' },
  },
};

const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
const errorReplies: Node = {
  BadRequest: { description: 'Something is wrong with the request.', content },
  Unauthorized: {
    description: 'Who is it?',
    headers: { 'WWW-Authenticate': { required: true, schema: { type: 'string' } } },
    content,
  },
  NotFound: { description: 'There is no such thing.', content },
  Conflict: { description: 'It is there already.', content },
  InternalServerError: { description: 'The server failed.', content },
  ServiceUnavailable: {
    description: 'Try again later.',
    headers: { 'Retry-After': { required: true, schema: { type: 'integer', minimum: 0 } } },
    content,
  },
};
const ERRORS = { 400: 'BadRequest', 401: 'Unauthorized', 500: 'InternalServerError', 503: 'ServiceUnavailable' };

const ID = { type: 'integer', format: 'int64', minimum: 1 };
const ONE = { parameters: [{ name: 'id', in: 'path', required: true, schema: ID }] };
const PAGE = {
  parameters: [
    { name: 'limit', in: 'query', schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: 20 } },
    { name: 'after', in: 'query', schema: { type: 'integer', format: 'int64', minimum: 0 } },
    { name: 'order', in: 'query', schema: { type: 'string', enum: ['name', '-name'], default: 'name' } },
  ],
};
const LOCATION = { headers: { Location: { required: true, schema: { type: 'string', format: 'uri' } } } };

/** The operations of a resource, in the order in which somebody would write them: method, end of the path, operation. */
const OPERATIONS: readonly (readonly [string, string, (name: string) => Node])[] = [
  ['get', '', (name) => toOperation('list', name, { 200: toMany(name) }, PAGE)],
  [
    'post',
    '',
    (name) =>
      toOperation('create', name, { 201: { ...toOne(name), ...LOCATION }, 409: toError('Conflict') }, toBody(name)),
  ],
  ['get', '/{id}', (name) => toOperation('get', name, { 200: toOne(name), 404: toError('NotFound') }, ONE)],
  [
    'put',
    '/{id}',
    (name) => toOperation('replace', name, { 200: toOne(name), 404: toError('NotFound') }, { ...ONE, ...toBody(name) }),
  ],
  [
    'delete',
    '/{id}',
    (name) => toOperation('remove', name, { 204: { description: 'It is gone.' }, 404: toError('NotFound') }, ONE),
  ],
];

function toOperation(verb: string, name: string, responses: Node, more: Node): Node {
  const errors = Object.entries(ERRORS).map(([status, reply]) => [status, toError(reply)]);
  const summary = `${verb} ${name}`;
  return {
    ...{ operationId: `${verb}${name}`, tags: ['resources'], summary, ...more },
    responses: { ...responses, ...(Object.fromEntries(errors) as Node) },
  };
}

function toError(reply: string): Node {
  return { $ref: `#/components/responses/${reply}` };
}

function toJson(schema: Node): Node {
  return { content: { 'application/json': { schema } } };
}

function toOne(name: string): Node {
  return { description: 'It is this.', ...toJson({ $ref: `#/components/schemas/${name}` }) };
}

function toMany(name: string): Node {
  const items = { $ref: `#/components/schemas/${name}` };
  return { description: 'A page.', ...toJson({ type: 'array', maxItems: 100, items }) };
}

function toBody(name: string): Node {
  return { requestBody: { required: true, ...toJson({ $ref: `#/components/schemas/New${name}` }) } };
}

// What resources have beside a name. Each resource has some of them.
const FIELDS: readonly (readonly [name: string, schema: Node])[] = [
  ['owner', { oneOf: [ID, { type: 'string', minLength: 1, maxLength: 20, pattern: '^[a-z]*$' }] }],
  ['state', { type: 'string', enum: ['draft', 'active', 'closed'] }],
  ['amount', { type: 'integer', format: 'int64' }],
  ['ratio', { type: 'number', minimum: 0, maximum: 1 }],
  ['isOpen', { type: 'boolean' }],
  ['due', { type: 'string', format: 'date' }],
  ['tags', { type: 'array', maxItems: 5, items: { type: 'string', pattern: '^[a-z]{1,12}$' } }],
  ['related', { type: 'array', maxItems: 4, items: ID }],
  ['note', { type: 'string', nullable: true, maxLength: 200, pattern: '^[ -~]*$' }],
  ['priority', { type: 'integer', format: 'int32', minimum: 1, maximum: 5 }],
  ['counts', { type: 'object', additionalProperties: { type: 'integer', format: 'int64', minimum: 0 } }],
  ['size', { type: 'object', required: ['width'], properties: { width: { type: 'integer', minimum: 0 } } }],
];

/** The two schemas of a resource: what a client sends, and the same with what the server adds. */
function makeSchemas(index: number, name: string): Node {
  const fields = Array.from({ length: 4 }, (_unused, place) => FIELDS[(index + place * 5) % FIELDS.length] ?? []);
  const [required = ''] = fields[0] ?? [];
  const own = { type: 'string', minLength: 1, maxLength: 60, pattern: '^[A-Za-z0-9 ]*$' };
  const added = { id: ID, changed: { type: 'string', format: 'date-time' } };
  return {
    [`New${name}`]: {
      type: 'object',
      required: ['name', required],
      properties: { name: own, ...(Object.fromEntries(fields) as Node) },
    },
    [name]: {
      allOf: [{ $ref: `#/components/schemas/New${name}` }, { type: 'object', required: ['id'], properties: added }],
    },
  };
}
