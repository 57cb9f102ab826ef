import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { errors } from '../generated/contract';
import type { RefusalKind } from '../packages/server/src/errors/refusal';
import { readConnectionLimit } from '../packages/server/src/runtime/create-server';
import { sendRaw, type RawReply } from './support/send-raw';
import { SITUATIONS, startApp, TOKEN, type StartParts } from './support/start-app';

const HEAD = `POST /plants HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${TOKEN}\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';
const PLANT = `${HEAD}${JSON_TYPE}Content-Length: 19\r\n\r\n{"id":1,"name":"a"}`;

async function toApp(bytes: string, parts: Partial<StartParts> = {}): Promise<RawReply[]> {
  await using app = await startApp({ bodyLimit: 100, ...parts });
  return await sendRaw(app.port, bytes);
}

/** What brings each error of the kit forth. One that is missing here does not compile. */
const produce: Record<keyof typeof errors & RefusalKind, () => Promise<RawReply[]>> = {
  MALFORMED_REQUEST: () => toApp('nonsense\r\n\r\n'),
  HEADERS_TOO_LARGE: () => toApp(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
  REQUEST_TIMEOUT: () => toApp('GET / HTTP/1.1\r\n', SITUATIONS.impatient),
  BODY_REQUIRED: () => toApp(`${HEAD}\r\n`),
  BODY_TOO_LARGE: () => toApp(`${HEAD}${JSON_TYPE}Content-Length: 101\r\n\r\n`),
  UNSUPPORTED_MEDIA_TYPE: () => toApp(`${HEAD}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`),
  UNSUPPORTED_CONTENT_ENCODING: () => toApp(`${HEAD}${JSON_TYPE}Content-Encoding: br\r\nContent-Length: 2\r\n\r\n{}`),
  INVALID_UTF8: () => toApp(`${HEAD}${JSON_TYPE}Content-Length: 3\r\n\r\n"\xff"`),
  MALFORMED_JSON: () => toApp(`${HEAD}${JSON_TYPE}Content-Length: 1\r\n\r\n{`),
  INVALID_BODY: () => toApp(`${HEAD}${JSON_TYPE}Content-Length: 8\r\n\r\n{"id":1}`),
  INVALID_PARAMETER: () => toApp(PLANT.replace('/plants', '/plants?x=1')),
  CREDENTIALS_MISSING: () => toApp(PLANT.replace(/Authorization.*\r\n/, '')),
  CREDENTIALS_INVALID: () => toApp(PLANT.replace(TOKEN, 'wrong')),
  UNKNOWN_PATH: () => toApp(PLANT.replace('/plants', '/')),
  METHOD_NOT_ALLOWED: () => toApp(PLANT.replace('POST', 'TRACE')),
  INTERNAL_ERROR: () => toApp(PLANT, SITUATIONS.broken),
  SERVICE_UNAVAILABLE: () => toApp(PLANT, SITUATIONS.away),
};

const TOLD_MORE: ReadonlySet<RefusalKind> = new Set([
  ...([
    'MALFORMED_REQUEST',
    'UNSUPPORTED_MEDIA_TYPE',
    'INVALID_UTF8',
    'MALFORMED_JSON',
    'INVALID_BODY',
    'INVALID_PARAMETER',
  ] as const),
  'METHOD_NOT_ALLOWED',
]);

interface Contract {
  readonly components: {
    readonly schemas: { readonly Error: { readonly properties: { readonly error: Record<string, unknown> } } };
    readonly responses: Record<string, { content?: Record<string, { examples?: Record<string, { value: Body }> }> }>;
  };
}
interface Body {
  readonly error: number;
  readonly message: string;
}
const { components } = load(readFileSync('openapi.yaml', 'utf8')) as Contract;
const examples = Object.values(components.responses)
  .flatMap(({ content }) => Object.values(content ?? {}))
  .flatMap((media) => Object.values(media.examples ?? {}).map(({ value }) => value));

test.each(Object.keys(produce) as (keyof typeof produce)[])('%s, as the contract has it', async (name) => {
  const { number, status, meaning } = errors[name];
  const [reply] = await produce[name]();
  expect(reply).toMatchObject({ status, headers: { 'content-type': 'application/json' } });
  const body = JSON.parse(reply?.body ?? '') as Body;
  const example = examples.find(({ error }) => error === number);
  expect(body).toEqual(example ?? { error: number, message: body.message });
  expect(body.message === meaning || TOLD_MORE.has(name)).toBe(true);
});

test('the catalogue that is compiled is the one in the contract', () => {
  expect(errors).toEqual(components.schemas.Error.properties.error['x-error-catalogue']);
});

test('the number of an error begins with its status', () => {
  for (const { number, status } of Object.values(errors)) expect(Math.floor(number / 100)).toBe(status);
});

test('the time of a request and the number of connections are limited', async () => {
  await using app = await startApp();
  expect(app.server).toMatchObject({
    headersTimeout: 10_000,
    requestTimeout: 30_000 + Math.ceil(1024 ** 2 / 100),
    maxConnections: readConnectionLimit(5_000),
  });
});
