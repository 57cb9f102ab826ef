import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import type { RefusalKind } from '../../src/errors/refusal';
import { readConnectionLimit } from '../../src/runtime/create-server';
import { sendRaw, type RawReply } from '@contract-kit/test-support/send-raw';
import { SITUATIONS, startApp, TOKEN, type StartParts } from '@contract-kit/test-support/start-app';

const HEAD = `POST /plants HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${TOKEN}\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';
const PLANT = `${HEAD}${JSON_TYPE}Content-Length: 19\r\n\r\n{"id":1,"name":"a"}`;

async function toApp(bytes: string, parts: Partial<StartParts> = {}): Promise<RawReply[]> {
  await using app = await startApp({ bodyLimit: 100, ...parts });
  return await sendRaw(app.port, bytes);
}

// No scopes, no middleware that refuses, and no operation without a handler.
type Unused = 'FORBIDDEN' | 'TOO_MANY_REQUESTS' | 'REFUSED_BY_SERVICE' | 'NOT_BUILT';

/** The number of each kind of refusal, and what brings it about. A kind that is missing here does not compile. */
const REFUSED: Record<Exclude<RefusalKind, Unused>, readonly [number: number, produce: () => Promise<RawReply[]>]> = {
  MALFORMED_REQUEST: [40000, () => toApp('nonsense\r\n\r\n')],
  HEADERS_TOO_LARGE: [40001, () => toApp(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)],
  REQUEST_TIMEOUT: [40002, () => toApp('GET / HTTP/1.1\r\n', SITUATIONS.impatient)],
  BODY_REQUIRED: [40003, () => toApp(`${HEAD}\r\n`)],
  BODY_TOO_LARGE: [40004, () => toApp(`${HEAD}${JSON_TYPE}Content-Length: 101\r\n\r\n`)],
  UNSUPPORTED_MEDIA_TYPE: [40005, () => toApp(`${HEAD}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`)],
  UNSUPPORTED_CONTENT_ENCODING: [
    40006,
    () => toApp(`${HEAD}${JSON_TYPE}Content-Encoding: br\r\nContent-Length: 2\r\n\r\n{}`),
  ],
  INVALID_UTF8: [40007, () => toApp(`${HEAD}${JSON_TYPE}Content-Length: 3\r\n\r\n"\xff"`)],
  MALFORMED_JSON: [40008, () => toApp(`${HEAD}${JSON_TYPE}Content-Length: 1\r\n\r\n{`)],
  INVALID_BODY: [40009, () => toApp(`${HEAD}${JSON_TYPE}Content-Length: 8\r\n\r\n{"id":1}`)],
  INVALID_PARAMETER: [40010, () => toApp(PLANT.replace('/plants', '/plants?x=1'))],
  CREDENTIALS_MISSING: [40100, () => toApp(PLANT.replace(/Authorization.*\r\n/, ''))],
  CREDENTIALS_INVALID: [40101, () => toApp(PLANT.replace(TOKEN, 'wrong'))],
  UNKNOWN_PATH: [40400, () => toApp(PLANT.replace('/plants', '/'))],
  METHOD_NOT_ALLOWED: [40500, () => toApp(PLANT.replace('POST', 'TRACE'))],
  INTERNAL_ERROR: [50000, () => toApp(PLANT, SITUATIONS.broken)],
  SERVICE_UNAVAILABLE: [50300, () => toApp(PLANT, SITUATIONS.away)],
};

// The message says more than the meaning of the number.
const TOLD_MORE: ReadonlySet<string> = new Set<RefusalKind>([
  ...(['MALFORMED_REQUEST', 'UNSUPPORTED_MEDIA_TYPE', 'INVALID_UTF8', 'MALFORMED_JSON'] as const),
  ...(['INVALID_BODY', 'INVALID_PARAMETER', 'METHOD_NOT_ALLOWED'] as const),
]);

interface Contract {
  readonly components: {
    readonly schemas: { readonly Error: { readonly description: string } };
    readonly responses: Record<string, { content?: Record<string, { examples?: Record<string, { value: Body }> }> }>;
  };
}
interface Body {
  readonly error: number;
  readonly message: string;
}
const { components } = load(readFileSync('packages/test-support/plants/openapi.yaml', 'utf8')) as Contract;
const rows = components.schemas.Error.description.matchAll(/^\| (\d+) \| (.+) \|$/gm);
const meanings = new Map([...rows].map(([, number, meaning]) => [Number(number), meaning]));
const examples = Object.values(components.responses)
  .flatMap(({ content }) => Object.values(content ?? {}))
  .flatMap((media) => Object.values(media.examples ?? {}).map(({ value }) => value));

test.each(Object.entries(REFUSED))('%s is an Error with its own number, as the contract has it', async (kind, row) => {
  const [number, produce] = row;
  const [reply] = await produce();
  // The number begins with the status.
  expect(reply).toMatchObject({ status: Math.floor(number / 100), headers: { 'content-type': 'application/json' } });
  const body = JSON.parse(reply?.body ?? '') as Body;
  const example = examples.find(({ error }) => error === number);
  expect(body).toEqual(example ?? { error: number, message: body.message });
  expect(body.message === meanings.get(number) || TOLD_MORE.has(kind)).toBe(true);
});

test('the contract lists exactly these numbers', () => {
  expect([...meanings.keys()]).toEqual(Object.values(REFUSED).map(([number]) => number));
});

test('the time of a request and the number of connections are limited', async () => {
  await using app = await startApp();
  expect(app.server).toMatchObject({
    headersTimeout: 10_000,
    requestTimeout: 30_000 + Math.ceil(1024 ** 2 / 100),
    maxConnections: readConnectionLimit(5_000),
  });
});
