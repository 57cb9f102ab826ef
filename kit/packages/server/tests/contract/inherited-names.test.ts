import { INHERITED_NAMES } from '@contract-kit/contract';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import { loadText } from '@contract-kit/test-support/load-text';
import { serveText } from '@contract-kit/test-support/serve-text';

const OPEN = '{ type: object, additionalProperties: true }';
const JSON_TYPE = 'application/json';
const FAILURE = `{ description: No., content: { ${JSON_TYPE}: { schema: { type: object } } } }`;
const FAILURES = ['400', '401', '500', '503'].map((status) => `'${status}': ${FAILURE}`).join(', ');
const FORM_TYPE = 'application/x-www-form-urlencoded';

type Version = '3.0.3' | '3.1.0';

/** An operation of each request that is tried, which replies with the body or else the query that its handler got. */
function toContract(version: Version, paths: Readonly<Record<string, string>>, more = ''): string {
  const written = Object.entries(paths).map(
    ([id, operation]) => `  /${id}: { post: { operationId: ${id}, ${operation} } }\n`,
  );
  return `openapi: ${version}\ninfo: { title: Names, version: 1.0.0 }\nsecurity: []\npaths:\n${written.join('')}${more}`;
}

function responses(schema = OPEN, headers = '{}'): string {
  const content = `content: { ${JSON_TYPE}: { schema: ${schema} } }`;
  return `responses: { '200': { description: Done., headers: ${headers}, ${content} }, ${FAILURES} }`;
}

function toBody(schema: string, type = JSON_TYPE, encoding = '{}'): string {
  return `requestBody: { required: true, content: { ${type}: { schema: ${schema}, encoding: ${encoding} } } }`;
}

function toParameter(name: string, place: string, rest: string): string {
  return `parameters: [{ name: ${name}, in: ${place}, ${rest} }], ${responses()}`;
}

/** What `send(target, json or form)` is answered with: the status, and the text of a 200. */
async function serve(
  source: string,
): Promise<AsyncDisposable & { send: (target: string, text?: string) => Promise<string> }> {
  const echo = { echo: true };
  const handlers = new Proxy(echo, {
    get: () => (request: { body?: unknown; query: unknown }, reply: (status: number, body: unknown) => never) =>
      reply(200, request.body ?? request.query),
  }) as never;
  const served = await serveText(source, handlers, { key: () => ({}) });
  return {
    send: async (target, text) => {
      const isForm = text?.includes('=') === true;
      const headers = { 'Content-Type': isForm ? FORM_TYPE : JSON_TYPE };
      const reply = await fetch(new URL(target, served.base), {
        method: 'POST',
        ...(text !== undefined && { headers, body: text }),
      });
      const body = await reply.text();
      return reply.status === 200 ? `200 ${body}` : String(reply.status);
    },
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}

const VERSIONS: readonly Version[] = ['3.0.3', '3.1.0'];

const MEMBERS = VERSIONS.flatMap((version) => INHERITED_NAMES.map((name) => [version, name] as const));

test.each(MEMBERS)('OpenAPI %s: a member %s that no schema names is one like all others', async (version, name) => {
  const int64s = '{ type: object, additionalProperties: { type: integer, format: int64 } }';
  await using echo = await serve(
    toContract(version, {
      open: `${toBody(OPEN)}, ${responses()}`,
      map: `${toBody(int64s)}, ${responses(int64s)}`,
      form: `${toBody(OPEN, FORM_TYPE)}, ${responses()}`,
      deepForm: `${toBody(`{ properties: { f: ${OPEN} } }`, FORM_TYPE, '{ f: { style: deepObject } }')}, ${responses()}`,
      deepQuery: toParameter('f', 'query', `style: deepObject, schema: ${OPEN}`),
      query: toParameter('f', 'query', `schema: ${OPEN}`),
      some: `${toBody('{ type: object, properties: { b: {} } }')}, ${responses()}`,
      closed: `${toBody('{ type: object, additionalProperties: false }')}, ${responses()}`,
    }),
  );
  expect(await echo.send('/open', `{"${name}":{"b":[1]}}`)).toBe(`200 {"${name}":{"b":[1]}}`);
  expect(await echo.send('/map', `{"${name}":9007199254740993}`)).toBe(`200 {"${name}":9007199254740993}`);
  expect(await echo.send('/map', `{"${name}":"x"}`)).toBe('400');
  expect(await echo.send('/form', `${name}=1`)).toBe(`200 {"${name}":"1"}`);
  expect(await echo.send('/deepForm', `f[${name}]=1`)).toBe(`200 {"f":{"${name}":"1"}}`);
  expect(await echo.send(`/deepQuery?f[${name}]=1`)).toBe(`200 {"f":{"${name}":"1"}}`);
  expect(await echo.send(`/query?${name}=1`)).toBe(`200 {"f":{"${name}":"1"}}`);
  expect(await echo.send('/some', `{"${name}":1,"b":2}`)).toBe('200 {"b":2}');
  expect(await echo.send('/closed', `{"${name}":1}`)).toBe('400');
  expect(await echo.send(`/open?${name}=1`, '{}')).toBe('400');
});

function toKeys(name: string): string {
  return `components: { securitySchemes: { key: { type: apiKey, in: header, name: ${name} } } }\n`;
}

const INHERITED = MEMBERS.filter(([, name]) => name !== '__proto__');

test.each(INHERITED)('OpenAPI %s: a property or parameter %s that was not sent is not there', async (version, name) => {
  const optional = `{ type: object, properties: { ${name}: { type: string } } }`;
  const required = `{ type: object, required: [${name}], properties: { ${name}: {} } }`;
  await using echo = await serve(
    toContract(
      version,
      {
        optional: `${toBody(optional)}, ${responses(optional)}`,
        required: `${toBody(required)}, ${responses(required)}`,
        replyWithout: `${toBody(OPEN)}, ${responses(required)}`,
        replyHeader: `${toBody(OPEN)}, ${responses(OPEN, `{ ${name}: { schema: { type: string } } }`)}`,
        form: `${toBody(optional, FORM_TYPE)}, ${responses(optional)}`,
        query: toParameter(name, 'query', 'schema: { type: string }'),
        requiredQuery: toParameter(name, 'query', 'required: true, schema: { type: string }'),
        header: toParameter(name, 'header', 'schema: { type: string }'),
        requiredHeader: toParameter(name, 'header', 'required: true, schema: { type: string }'),
        cookie: toParameter(name, 'cookie', 'schema: { type: string }'),
        key: `security: [{ key: [] }], ${responses()}`,
      },
      toKeys(name),
    ),
  );
  expect(await echo.send('/optional', '{}')).toBe('200 {}');
  expect(await echo.send('/optional', `{"${name}":"x"}`)).toBe(`200 {"${name}":"x"}`);
  expect(await echo.send('/optional', `{"${name}":1}`)).toBe('400');
  expect(await echo.send('/required', '{}')).toBe('400');
  expect(await echo.send('/required', `{"${name}":"x"}`)).toBe(`200 {"${name}":"x"}`);
  expect(await echo.send('/replyWithout', '{}')).toBe('500');
  expect(await echo.send('/replyHeader', '{}')).toBe('200 {}');
  expect(await echo.send('/form', 'b=1')).toBe('200 {}');
  expect(await echo.send('/query')).toBe('200 {}');
  expect(await echo.send(`/query?${name}=1`)).toBe(`200 {"${name}":"1"}`);
  expect(await echo.send('/requiredQuery')).toBe('400');
  expect(await echo.send('/header')).toBe('200 {}');
  expect(await echo.send('/requiredHeader')).toBe('400');
  expect(await echo.send('/cookie')).toBe('200 {}');
  expect(await echo.send('/key')).toBe('401');
});

test.each(INHERITED_NAMES.filter((name) => name !== '__proto__'))(
  'the operation %s has no handler unless the team wrote one',
  async (name) => {
    const source = toContract('3.1.0', { [name]: responses() });
    await expect(serveText(source, {})).rejects.toThrow(`the operation ${name} has no handler`);
    await using served = await serveText(source, { [name]: (_, reply) => reply(200, {}) });
    expect((await fetch(new URL(name, served.base), { method: 'POST' })).status).toBe(200);
  },
);

test.each(INHERITED_NAMES)('a security scheme %s lets right credentials in, and no others', async (name) => {
  const keys = `components: { securitySchemes: { ${name}: { type: apiKey, in: header, name: X-Key } } }\n`;
  const source = toContract('3.1.0', { a: `security: [{ ${name}: [] }], ${responses()}` }, keys);
  const verifiers = Object.fromEntries([[name, (key: string) => (key === 'right' ? { subject: 'me' } : undefined)]]);
  const a: UntypedHandler = ({ identity }, reply) => reply(200, identity);
  await using served = await serveText(source, { a }, verifiers);
  const send = (headers: Record<string, string>) => fetch(new URL('a', served.base), { method: 'POST', headers });
  const accepted = await send({ 'X-Key': 'right' });
  expect([accepted.status, await accepted.text()]).toEqual([200, `{"${name}":{"subject":"me"}}`]);
  expect((await send({ 'X-Key': 'wrong' })).status).toBe(401);
  expect((await send({})).status).toBe(401);
  await expect(serveText(source, { a })).rejects.toThrow(`the security scheme ${name} has no verifier`);
});

test.each([
  ['the name __proto__ cannot be checked', `security: [{ key: [] }], ${responses()}`, toKeys('__proto__')],
  [
    'the default of toString would never be filled in',
    toParameter('toString', 'query', 'schema: { type: string, default: a }'),
  ],
])('a contract is refused at the start: %s: %s', (message, operation, more = '') => {
  expect(() => loadText(toContract('3.1.0', { a: operation }, more))).toThrow(message);
});
