type Node = Readonly<Record<string, unknown>>;

const JSON_TYPE = 'application/json';

/**
 * A contract that has each of some names wherever OpenAPI has one: of properties, schemas and other components, of
 * operations, parameters, headers, schemes, tags, parts of paths, values, extensions, and what a discriminator tells.
 *
 * @returns an OpenAPI document as JSON, which is YAML too
 */
export function makeNamedContract(...names: readonly string[]): string {
  const parts = names.map(describe);
  const merge = (section: string): Node => toObject(parts.flatMap(({ components }) => components[section] ?? []));
  const document = {
    openapi: '3.1.0',
    info: { title: 'Names', version: '1.0.0', license: { name: 'MIT', url: 'https://example.org' } },
    servers: [{ url: 'https://example.org' }],
    tags: names.map((name) => ({ name, description: `The ${name} of all objects.` })),
    ...toObject(names.map((name) => [`x-${name}`, toObject([[name, name]])])),
    paths: toObject(parts.flatMap(({ paths }) => paths)),
    components: toObject(
      ['schemas', 'responses', 'headers', 'parameters', 'examples', 'requestBodies', 'securitySchemes'].map(
        (section) => [section, merge(section)],
      ),
    ),
  };
  return JSON.stringify(document, null, 2);
}

type Members = readonly (readonly [name: string, value: unknown])[];

// Object.fromEntries makes a member of __proto__, as JSON.parse does.
function toObject(members: Members): Node {
  return Object.fromEntries(members);
}

function describe(name: string): { readonly paths: Members; readonly components: Readonly<Record<string, Members>> } {
  const members = (value: unknown): Node => toObject([[name, value]]);
  const refer = (section: string, suffix = ''): object => ({ $ref: `#/components/${section}/${name}${suffix}` });
  const string = { type: 'string', maxLength: 40 };
  const word = { type: 'string', pattern: '^[A-Za-z_]+$', maxLength: 40, examples: [name] };
  const failures = ['400', '401', '403', '500', '503'].map((status) => [status, refer('responses')] as const);
  const responses = toObject([
    [
      '200',
      {
        description: `The ${name}.`,
        headers: members(refer('headers')),
        content: { [JSON_TYPE]: { schema: refer('schemas'), examples: members(refer('examples')) } },
      },
    ],
    ...failures,
  ]);
  const parameter = (location: string, more: object): object => ({ name, in: location, schema: string, ...more });
  const about = { summary: `About ${name}`, tags: [name], security: [members([name])], responses };
  const body = (schema: object, type = JSON_TYPE): object => ({ required: true, content: { [type]: { schema } } });
  return {
    paths: [
      [
        `/${name}/{${name}}`,
        {
          get: {
            ...about,
            operationId: name,
            parameters: [
              parameter('path', { required: true }),
              parameter('query', { required: true, schema: { type: 'string', enum: [name, 'other'] } }),
              parameter('header', { required: true }),
              refer('parameters'),
            ],
          },
        },
      ],
      [`/chosen/${name}`, { post: { ...about, operationId: `${name}Chosen`, requestBody: refer('requestBodies') } }],
      [
        `/forms/${name}`,
        {
          post: {
            ...about,
            operationId: `${name}Form`,
            requestBody: body(refer('schemas', 'Deep'), 'application/x-www-form-urlencoded'),
          },
        },
      ],
    ],
    components: {
      securitySchemes: [
        [
          name,
          {
            type: 'oauth2',
            flows: { clientCredentials: { tokenUrl: 'https://example.org/token', scopes: members(`Has ${name}.`) } },
          },
        ],
      ],
      headers: [[name, { required: true, schema: string }]],
      parameters: [[name, parameter('cookie', {})]],
      examples: [[name, { summary: name, value: members(name) }]],
      requestBodies: [[name, body(refer('schemas', 'Chosen'))]],
      responses: [
        [name, { description: 'It failed.', content: { [JSON_TYPE]: { schema: refer('schemas', 'Error') } } }],
      ],
      schemas: [
        [
          name,
          {
            type: 'object',
            required: [name],
            properties: { ...members(word), count: { type: 'integer', format: 'int64' } },
          },
        ],
        [`${name}Deep`, { type: 'object', required: [name], properties: members(word) }],
        [
          `${name}Error`,
          {
            type: 'object',
            required: ['error', 'message'],
            properties: { error: { type: 'integer' }, message: { type: 'string' } },
          },
        ],
        [
          `${name}Chosen`,
          {
            oneOf: [refer('schemas', 'First'), refer('schemas', 'Second')],
            discriminator: {
              propertyName: name,
              mapping: toObject([
                [name, `#/components/schemas/${name}First`],
                ['second', `#/components/schemas/${name}Second`],
              ]),
            },
          },
        ],
        [
          `${name}First`,
          {
            type: 'object',
            required: [name],
            properties: {
              ...members({ type: 'string', enum: [name] }),
              map: { type: 'object', additionalProperties: string },
            },
            dependentRequired: members(['map']),
          },
        ],
        [
          `${name}Second`,
          {
            type: 'object',
            required: [name, 'holder'],
            properties: { ...members({ const: 'second' }), holder: refer('schemas') },
          },
        ],
      ],
    },
  };
}
