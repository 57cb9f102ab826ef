import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { makeTypedProject, type TypedProject } from './make-project';

const ACCOUNTS = `openapi: 3.1.0
info: { title: Accounts, version: 1.0.0 }
paths:
  /accounts:
    post:
      operationId: keepAccount
      parameters: [{ name: like, in: query, style: deepObject, schema: { $ref: '#/components/schemas/Filter' } }]
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Account' } } } }
      responses:
        '200': { description: Kept., content: { application/json: { schema: { $ref: '#/components/schemas/Account' } } } }
        '404': { $ref: '#/components/responses/Missing' }
    put:
      operationId: keepFile
      requestBody: { content: { application/octet-stream: { schema: { type: string, format: binary } } } }
      responses: { '200': { description: Kept., content: { application/octet-stream: { schema: { type: string, format: binary } } } } }
  /photos:
    post:
      operationId: keepPhoto
      requestBody:
        required: true
        content: { multipart/form-data: { schema: { type: object, required: [photo], properties: { photo: { type: string, contentMediaType: image/png } } } } }
      responses: { '204': { description: Kept. } }
  /owners:
    post:
      operationId: keepOwner
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Owner' } } } }
      responses: { '200': { description: Kept., content: { application/json: { schema: { $ref: '#/components/schemas/Person' } } } } }
  /news:
    post:
      operationId: watchNews
      security: [{ login: [read] }]
      requestBody: { required: true, content: { text/csv: { schema: { type: string } }, application/xml: { schema: { $ref: '#/components/schemas/Tag' } } } }
      responses:
        '200': { description: News., content: { text/event-stream: { schema: { type: string } } } }
        4XX: { description: Not now., content: { text/plain: { schema: { type: string } } } }
        default: { $ref: '#/components/responses/Missing' }
components:
  securitySchemes:
    login: { type: oauth2, flows: { clientCredentials: { tokenUrl: https://example.org, scopes: { read: Read. } } } }
  responses:
    Missing: { description: Missing., content: { application/json: { schema: { $ref: '#/components/schemas/Account' } } } }
  schemas:
    Id: { type: integer, format: int64, readOnly: true }
    Filter: { type: object, properties: { name: { type: string }, rank: { type: integer, readOnly: true } } }
    Account:
      type: object
      required: [id, name, secret, tags]
      properties:
        id: { $ref: '#/components/schemas/Id' }
        name: { type: string }
        secret: { type: string, writeOnly: true }
        tags: { type: array, items: { $ref: '#/components/schemas/Tag' } }
        note: { type: string, default: none }
    Tag: { type: object, required: [text, at], properties: { text: { type: string }, at: { type: string, readOnly: true } } }
    Owner:
      oneOf: [{ $ref: '#/components/schemas/Firm' }, { $ref: '#/components/schemas/Human' }]
      discriminator: { propertyName: kind, mapping: { firm: '#/components/schemas/Firm' } }
    Firm: { type: object, properties: { kind: { type: string }, taxes: { type: integer, format: int64 }, size: { type: string, default: small } } }
    Human: { type: object, properties: { kind: { type: string }, age: { type: integer } } }
    Person: { type: object, required: [role], properties: { role: { type: string }, since: { type: string, default: long ago } }, discriminator: { propertyName: role } }
    kept.at: { type: string, format: date-time }
    Owning: { allOf: [{ $ref: '#/components/schemas/Person' }, { type: object, required: [owns], properties: { owns: { type: string } } }] }
`;

const RIGHT = {
  'no readOnly property in a request, no writeOnly one in a reply, and both where they belong': `
export const keepAccount: Handler<'keepAccount'> = ({ body, query }, reply) => {
  const secret: string = body.secret;
  const texts: string[] = body.tags.map(({ text }) => text);
  const name: string | undefined = query.like?.name;
  return reply(200, { id: 1n, name: name ?? secret, note: '', tags: texts.map((text) => ({ text, at: 'now' })) });
};
export const missing: Handler<'keepAccount'> = (_, reply) => reply(404, { id: 1n, name: '', note: '', tags: [] });`,
  'scopes are those that a verifier granted, and a stream is a reply': `
import { Readable } from 'node:stream';
export const watchNews: Handler<'watchNews'> = ({ body, identity }, reply) => {
  const scopes: readonly string[] = identity.login.scopes ?? [];
  const text: string = body;
  return scopes.length === 0 ? reply(404, text) : reply(200, Readable.from(scopes));
};
export const failed: Handler<'watchNews'> = (_, reply) => reply(500, { id: 1n, name: '', note: '', tags: [] });`,
  'bytes stay bytes': `
export const keepFile: Handler<'keepFile'> = ({ body }, reply) => reply(200, body ?? Buffer.alloc(0));`,
  'a file of a form stays a file': `
export const keepPhoto: Handler<'keepPhoto'> = async ({ body }, reply) => {
  const bytes: ArrayBuffer = await body.photo.arrayBuffer();
  return reply(204);
};`,
  'the tag narrows a request, and says what a reply has to have': `
export const keepOwner: Handler<'keepOwner'> = ({ body }, reply) => {
  switch (body.kind) {
    case 'firm': {
      const taxes: bigint | undefined = body.taxes;
      return reply(200, { role: 'Owning', owns: String(taxes) + (body.size ?? '') });
    }
    case 'Human': {
      const age: number | undefined = body.age;
      return reply(200, { role: 'Person' });
    }
    default: {
      const none: never = body;
      return none;
    }
  }
};`,
  'a client has numbers for int64s, may leave out what has a default, and finds schemas by the names in the contract': `
import type { components, paths } from './generated/api';
type Kept = paths['/accounts']['post'];
type Sent = Kept['requestBody']['content']['application/json'];
export const sent: Sent = { name: '', secret: '', tags: [{ text: '' }] };
export const got: Kept['responses'][200]['content']['application/json'] = { id: 1, name: '', tags: [] };
export const named: components['schemas']['Account'] = got;
export const at: components['schemas']['kept.at'] = 'now';
export const query: Kept['parameters']['query'] = undefined;
export const xml: paths['/news']['post']['requestBody']['content']['application/xml'] = { text: '' };
// @ts-expect-error -- a bigint is not what JSON.parse makes
export const exact: components['schemas']['Id'] = 1n;
// @ts-expect-error -- it is readOnly
export const withId: Sent = { ...sent, id: 1 };
// @ts-expect-error -- it is writeOnly
export const secret = got.secret;
// @ts-expect-error -- no such method
export const removed: paths['/accounts']['delete'] = {};`,
};

const WRONG: readonly (readonly [id: string, code: string, message: string])[] = [
  ['keepAccount', 'throw new Error(String(body.id))', "Property 'id' does not exist"],
  ['keepAccount', 'throw new Error(body.tags[0]?.at)', "Property 'at' does not exist"],
  ['keepAccount', 'throw new Error(String(query.like?.rank))', "Property 'rank' does not exist"],
  [
    'keepAccount',
    "return reply(200, { id: 1n, name: '', note: '', tags: [], secret: '' })",
    `'string' is not assignable to type 'Undeclared<"secret", "id" | "name" | "tags" | "note">'`,
  ],
  ['keepAccount', "return reply(200, { name: '', note: '', tags: [] })", "Property 'id' is missing"],
  ['keepOwner', "throw new Error(body.kind === 'firm' ? String(body.age) : '')", "Property 'age' does not exist"],
  ['keepOwner', "throw new Error(body.kind === 'Firm' ? '' : '')", 'no overlap'],
  ['keepOwner', "throw new Error(body.kind === 'firm' ? body.size.trim() : '')", "possibly 'undefined'"],
  ['keepOwner', "return reply(200, { role: 'Owning' })", "Property 'owns' is missing"],
  ['keepOwner', "return reply(200, { role: 'Other' })", `Type '"Other"' is not assignable`],
  ['keepOwner', "return reply(200, { owns: '' })", "Property 'role' is missing"],
  ['watchNews', 'return reply(200, 1)', 'is not assignable'],
  ['watchNews', 'return reply(404, {})', 'is not assignable'],
  ['watchNews', "return reply(500, '')", 'is not assignable'],
  ['watchNews', 'throw new Error(body.name)', "Property 'name' does not exist"],
  [
    'keepOwner',
    "return reply(200, { role: 'Person', since: new Date() })",
    "'Date' is not assignable to type 'string'",
  ],
  [
    'watchNews',
    'return reply(500, new (class { id = 1n; name = ""; tags = []; toJSON() { return {}; } })())',
    `Undeclared<"toJSON"`,
  ],
];

const IMPORT = `import type { Handler } from './generated/handlers';\n`;

const folder = useFolder();
let project: TypedProject;

beforeAll(async () => {
  const right = Object.values(RIGHT).map((source, index) => [`right${String(index)}.ts`, IMPORT + source] as const);
  const wrong = WRONG.map(([id, code], index) => {
    const source = `export const handle: Handler<'${id}'> = ({ body, query }, reply) => { void body; void query; void reply; ${code}; };`;
    return [`wrong${String(index)}.ts`, IMPORT + source] as const;
  });
  project = await makeTypedProject(folder, ACCOUNTS, [...right, ...wrong]);
}, 120_000);

function mistakesOf(name: string): string[] {
  return project.mistakesOf(name).map(({ message }) => message);
}

test.each(['generated/api.d.ts', 'generated/handlers.d.ts', 'generated/schemas.d.ts'])(
  '%s has no type errors',
  (name) => {
    expect(mistakesOf(name)).toEqual([]);
  },
);

test.each(Object.keys(RIGHT).map((name, index) => [name, `right${String(index)}.ts`] as const))('%s', (_, file) => {
  expect(mistakesOf(file)).toEqual([]);
});

test.each(WRONG.map(([id, code, message], index) => [id, code, message, `wrong${String(index)}.ts`] as const))(
  '%s: %s does not compile',
  (_id, _code, message, file) => {
    expect(mistakesOf(file)).toEqual([expect.stringContaining(message)]);
  },
);

test('paths and schemas of clients are identical to those of openapi-typescript', async () => {
  const contract = readFileSync('packages/test-support/plants/openapi.yaml', 'utf8');
  const code = `
import type { components, paths } from './generated/api';
import type { components as OtherComponents, paths as OtherPaths } from './other';
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export const samePaths: Same<paths, OtherPaths> = true;
export const sameSchemas: Same<components['schemas'], OtherComponents['schemas']> = true;
export const others: Same<components['schemas']['Plant'], OtherComponents['schemas']['NewPlant']> = false;`;
  mkdirSync(join(folder, 'same'));
  const other = astToString(await openapiTS(contract, { silent: true }));
  const { mistakesOf } = await makeTypedProject(join(folder, 'same'), contract, [
    ['other.ts', other],
    ['same.ts', code],
  ]);
  expect([...mistakesOf('other.ts'), ...mistakesOf('same.ts')]).toEqual([]);
});

const ALL_TYPES = `
import type { Handler, Handlers, RenderError, Verifiers } from './generated/handlers';
import type { operations } from './generated/api';
export type AnyHandler = Handler<keyof operations>;
export const verifiers: Verifiers = {};
export const renderError: RenderError = ({ status, message }) => ({ status, message });`;

test.each([
  ['operations', '', 'export const handlers: Handlers = {};'],
  [
    'bodies, errors, parameters, credentials or replies with a success',
    `/a: { get: { operationId: getA, responses: { '304': { description: No., content: {} } } } }`,
    `export const getA: Handler<'getA'> = ({ path, query, headers, cookies, querystring, identity, body, log }, reply) => {
      log.info({ path, query, headers, cookies, querystring, identity, body });
      return reply(304);
    };`,
  ],
])('a contract without %s has types that can be met', async (name, paths, code) => {
  const own = join(folder, name.slice(0, 4));
  mkdirSync(own);
  const contract = `{ openapi: 3.1.0, info: { title: Little, version: 1.0.0 }, paths: { ${paths} } }`;
  expect((await makeTypedProject(own, contract, [['all.ts', ALL_TYPES + code]])).mistakesOf('all.ts')).toEqual([]);
});
