import request from 'supertest';
import { readFileSync } from 'node:fs';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import type { Operation } from '@contract-kit/contract';
import { notBuilt } from '../../src/pipeline/handler';
import { renderDeclared } from '../../src/pipeline/declared-refusal';
import { findPlaceholders } from '../../src/errors/built-in-replies';
import { createRenderer, type RendererOptions } from '../../src/errors/create-renderer';
import { REFUSALS, Refusal, toFaultRefusal, type RefusalKind } from '../../src/errors/refusal';
import type { AnyRenderError, ErrorHeaders, ErrorToRender } from '../../src/errors/render';
import { loadText } from '@contract-kit/test-support/load-text';
import { sendRaw } from '@contract-kit/test-support/send-raw';
import { serveText, type Served } from '@contract-kit/test-support/serve-text';
import { until } from '@contract-kit/test-support/until';

type Parts = Omit<RendererOptions, 'contract'>;
type Handler = UntypedHandler;

const [ARTICLES, ANIMALS, STATIONS] = ['articles', 'animals', 'stations'].map((name) =>
  readFileSync(`packages/test-support/fixtures/errors/${name}.yaml`, 'utf8'),
) as [string, string, string];

const listErrors: AnyRenderError = ({ message }) => ({ errors: { body: [message] } });
const tellCode = ({ status, message }: ErrorToRender) => ({ code: BigInt(status), message });
/** The service of a contract, in which every operation has one handler. */
function serve(source: string, parts: Parts, handler: Handler): Promise<Served> {
  const verify = (sent: string): object | undefined => (sent === 'known' ? {} : undefined);
  const verifiers = { author: verify, keeper: verify, traveller: verify };
  const handlers = new Proxy<Record<string, Handler>>({}, { get: () => handler });
  return serveText(source, handlers, verifiers, { render: createRenderer({ contract: loadText(source), ...parts }) });
}

/** A handler that throws, which is not reached where the request is refused. */
const fail =
  (cause: Error = new Error('secret')) =>
  (): never => {
    throw cause;
  };

type Reply = readonly [status: number, type: string | null, body: unknown, headers: Headers];

async function send({ base }: Served, path: string, options: RequestInit = {}): Promise<Reply> {
  const reply = await fetch(new URL(path, base), options);
  const text = await reply.text();
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  return [reply.status, reply.headers.get('content-type'), body, reply.headers];
}

const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';
const ANY = expect.anything() as Headers;

const LARGE = 'x'.repeat(4 * 1024 ** 2 + 1);
const meaning = (kind: RefusalKind): string => REFUSALS[kind].meaning;
const MALFORMED = 'The JSON is not well-formed at line 1, column 2.';
const OTHER_TYPE = 'The Content-Type is text/plain; it must be application/json.';
const wrong = (text: string): string => `request/body must have required property '${text}'`;

type Row = readonly unknown[];
const articleError = (status: number, text: string): Row => [status, JSON_TYPE, { errors: { body: [text] } }, ANY];
const animalError = (code: number, message: string): Row => [code, JSON_TYPE, { code, message }, ANY];
const toProblem = (status: number, title: string, more: object): Row => {
  return [status, PROBLEM_TYPE, { type: 'about:blank', title, status, ...more }, ANY];
};
const stationError = (status: number, title: string, detail: string): Row => toProblem(status, title, { detail });

interface Team {
  readonly source: string;
  readonly parts: Parts;
  readonly path: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly right: object;
  /** What it answers: what is told of the faults of a request, then of a request without credentials. */
  readonly refusals: Readonly<Record<'json' | 'body' | 'size' | 'type' | 'caller', Row>>;
  /** What it answers to an unknown path and method, and where it fails, by status. */
  readonly others: (status: 404 | 405 | 500 | 503, text: string) => Row;
}

const TITLES = {
  404: 'Not Found',
  405: 'Method Not Allowed',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

const TEAMS: Readonly<Record<string, Team>> = {
  'texts under 422': {
    ...{ source: ARTICLES, parts: { renderError: listErrors }, path: '/articles' },
    ...{ credentials: { Authorization: 'Bearer known' }, right: { title: 'a' } },
    refusals: {
      json: articleError(422, MALFORMED),
      body: articleError(422, wrong('title')),
      size: articleError(422, meaning('BODY_TOO_LARGE')),
      type: articleError(422, OTHER_TYPE),
      // It declares no body.
      caller: [401, null, undefined, ANY],
    },
    others: articleError,
  },
  'a code and a message under default': {
    ...{ source: ANIMALS, parts: { renderError: tellCode }, path: '/animals' },
    ...{ credentials: { 'X-Keeper': 'known' }, right: { name: 'cat' } },
    refusals: {
      json: animalError(400, MALFORMED),
      body: animalError(400, wrong('name')),
      size: animalError(413, meaning('BODY_TOO_LARGE')),
      type: animalError(415, OTHER_TYPE),
      caller: animalError(401, meaning('CREDENTIALS_MISSING')),
    },
    others: animalError,
  },
  'problem details everywhere': {
    ...{ source: STATIONS, parts: {}, path: '/bookings' },
    ...{ credentials: { Authorization: 'Bearer known' }, right: { from: 'Bern', to: 'Bonn' } },
    refusals: {
      json: stationError(400, 'Bad Request', MALFORMED),
      // As JSON, and without the member that its schema does not list.
      body: [422, JSON_TYPE, { title: 'Unprocessable Content', status: 422, detail: wrong('from') }, ANY],
      size: stationError(413, 'Content Too Large', meaning('BODY_TOO_LARGE')),
      type: stationError(415, 'Unsupported Media Type', OTHER_TYPE),
      caller: stationError(401, 'Unauthorized', meaning('CREDENTIALS_MISSING')),
    },
    others: (status, text) => stationError(status, TITLES[status], text),
  },
};

describe.each(Object.entries(TEAMS))('%s', (_name, { source, parts, path, credentials, right, refusals, others }) => {
  test('each refusal of a request is as it is declared', async () => {
    await using served = await serve(source, parts, fail());
    const headers = { ...credentials, 'Content-Type': JSON_TYPE };
    const post = (body: string, sent: Record<string, string> = headers): Promise<Reply> =>
      send(served, path, { method: 'POST', body, headers: sent });
    await expect(post('{')).resolves.toEqual(refusals.json);
    await expect(post('{"likes":1,"legs":1,"to":"a"}')).resolves.toEqual(refusals.body);
    await expect(post(LARGE)).resolves.toEqual(refusals.size);
    await expect(post('x', { ...credentials, 'Content-Type': 'text/plain' })).resolves.toEqual(refusals.type);
    await expect(send(served, '/nothing')).resolves.toEqual(others(404, meaning('UNKNOWN_PATH')));
    const caller = await post('{}', { 'Content-Type': JSON_TYPE });
    expect(caller).toEqual(refusals.caller);
    expect(caller[3].get('www-authenticate')).toMatch(/^(?:Bearer|ApiKey) realm=/);
    const method = await send(served, path, { method: 'DELETE' });
    const allow = String(method[3].get('allow'));
    expect(allow).toContain('POST');
    expect(method).toEqual(others(405, `The path has no operation with this method; it has ${allow}.`));
    await expect(post(JSON.stringify(right))).resolves.toEqual(others(500, meaning('INTERNAL_ERROR')));
  });

  test('a handler that has to wait is 503, with Retry-After', async () => {
    await using served = await serve(source, parts, fail(new RangeError('away')));
    const headers = { ...credentials, 'Content-Type': JSON_TYPE };
    const reply = await send(served, path, { method: 'POST', body: JSON.stringify(right), headers });
    expect(reply).toEqual(others(503, meaning('SERVICE_UNAVAILABLE')));
    expect(reply[3].get('retry-after')).toBe('1');
  });
});

const LONG = 'x'.repeat(200);

test.each<[string, AnyRenderError]>([
  ['is longer than the schema allows', tellCode],
  [
    'renderError fails for',
    (error) => {
      if (error.message.includes(LONG)) throw new Error('secret');
      return tellCode(error);
    },
  ],
])('a text of the client that %s is left out of the refusal', async (_, renderError) => {
  await using served = await serve(ANIMALS, { renderError }, fail());
  const reply = await send(served, `/animals/cat?${LONG}=1`);
  expect(reply).toEqual(animalError(400, meaning('INVALID_PARAMETER')));
});

test('the statuses of refusals can be chosen', async () => {
  const statuses = { INVALID_BODY: 400, BODY_TOO_LARGE: 422 } as const;
  await using served = await serve(STATIONS, { statuses }, fail());
  const headers = { Authorization: 'Bearer known', 'Content-Type': JSON_TYPE };
  const post = (body: string): Promise<Reply> => send(served, '/bookings', { method: 'POST', body, headers });
  await expect(post('{}')).resolves.toEqual(stationError(400, 'Bad Request', `${wrong('from')}, ${wrong('to')}`));
  const detail = meaning('BODY_TOO_LARGE');
  const problem = { title: 'Unprocessable Content', status: 422, detail };
  await expect(post(LARGE)).resolves.toEqual([422, JSON_TYPE, problem, ANY]);
});

test('a status that nothing declares is problem details', async () => {
  const source = ANIMALS.replaceAll(/^ +default:.*\n/gm, '');
  await using served = await serve(source, {}, fail());
  const failure = stationError(500, 'Internal Server Error', meaning('INTERNAL_ERROR'));
  await expect(send(served, '/animals/cat')).resolves.toEqual(failure);
  const detail = 'request/path/name must match pattern "^[a-z]+$"';
  await expect(send(served, '/animals/Cat')).resolves.toEqual(stationError(400, 'Bad Request', detail));
});

describe('a 415 says what the operation accepts', () => {
  const content = '{ application/merge-patch+json: {}, text/csv; header=present: {} }';
  const TYPES = 'application/merge-patch+json, text/csv; header=present';

  test.each<[method: string, sent: Readonly<Record<string, string>>, told: Readonly<Record<string, string>>]>([
    ['PATCH', { 'Content-Type': 'text/html' }, { 'accept-patch': TYPES }],
    ['PATCH', { 'Content-Type': 'text/csv; header=present; charset=latin1' }, { 'accept-patch': TYPES }],
    ['POST', { 'Content-Type': 'text/html' }, { accept: TYPES }],
    [
      'PATCH',
      { 'Content-Type': 'application/merge-patch+json', 'Content-Encoding': 'gzip' },
      { 'accept-encoding': 'identity' },
    ],
  ])('to a %s with %j: %j', async (method, sent, told) => {
    const source = `openapi: 3.1.0
info: { title: Types, version: 1.0.0 }
paths: { /a: { ${method.toLowerCase()}: { requestBody: { content: ${content} }, responses: { 204: { description: Done. } } } } }
`;
    await using served = await serve(source, {}, fail());
    const [status, , , headers] = await send(served, '/a', { method, body: 'a', headers: sent });
    const names = ['accept', 'accept-encoding', 'accept-patch'].filter((name) => headers.has(name));
    expect([status, Object.fromEntries(names.map((name) => [name, headers.get(name)]))]).toEqual([415, told]);
  });
});

describe('errorHeaders', () => {
  const HEADERS =
    'X-Reason: { required: true, schema: { type: string } }, X-Status: { schema: { type: integer, format: int64 } }, Set-Cookie: { schema: { type: array, items: { type: string } } }';
  const source = `openapi: 3.1.0
info: { title: Headers, version: 1.0.0 }
security: []
paths: { /a: { get: { operationId: a, responses: { 204: { description: Done. }, 400: { description: Wrong., headers: { ${HEADERS} } } } } } }
`;

  test('a refusal has those that its reply declares, as texts, and each of its cookies', async () => {
    const errorHeaders: ErrorHeaders = ({ kind, status }) => ({
      ...{ 'X-Reason': kind, 'X-Status': BigInt(status), 'X-Other': 'other' },
      'Set-Cookie': ['a=1', 'b=2'],
    });
    await using served = await serve(source, { errorHeaders }, fail());
    const { headers } = await request(served.server).get('/a?more=1').expect(400);
    expect(headers).toMatchObject({ 'x-reason': 'INVALID_PARAMETER', 'x-status': '400', 'set-cookie': ['a=1', 'b=2'] });
    expect(headers).not.toHaveProperty('x-other');
    const failed = await request(served.server).get('/a').expect(500);
    expect(failed.headers).not.toHaveProperty('x-reason');
  });

  test('where it fails, or makes what is not declared, the service does not start; a value to be written is no failure', async () => {
    const start = async (errorHeaders: ErrorHeaders): Promise<void> => {
      await (await serve(source, { errorHeaders }, fail()))[Symbol.asyncDispose]();
    };
    const broken = (): never => {
      throw new Error('which one');
    };
    await expect(start(broken)).rejects.toThrow('renderError fails for MALFORMED_REQUEST of a: Error: which one');
    await expect(start(() => ({ 'X-Reason': 1 }))).rejects.toThrow(
      'have errorHeaders return what the contract declares',
    );
    await expect(start((_, todo) => ({ 'X-Reason': todo('X-Reason', 1) }))).resolves.toBeUndefined();
  });

  test('a value that is to be written, and does not fit, leaves a refusal its status, and is listed once', async () => {
    await using served = await serve(
      source,
      { errorHeaders: (_, todo) => ({ 'X-Reason': todo('X-Reason', 1) }) },
      fail(),
    );
    await request(served.server).get('/a?more=1').expect(400).expect('Content-Type', PROBLEM_TYPE);
    const contract = loadText(source);
    const render = createRenderer({ contract, errorHeaders: (_, todo) => ({ 'X-Reason': todo('X-Reason', 1) }) });
    expect(findPlaceholders(contract.operations, render)).toEqual(['X-Reason']);
  });
});

const ERROR_BODY = "application/json: { schema: { $ref: '#/components/schemas/Error' } }";
const REQUIRED = "must have required property 'X-Reason': have errorHeaders return what the contract declares";
const REASON = '{ X-Reason: { required: true, schema: { type: string } }';
const TEXT = 'text/plain: { schema: { type: string, maxLength: 3 } }';

describe('a service whose refusals would break its contract does not start', () => {
  test.each<[string, Parts, string]>([
    [
      ANIMALS,
      {},
      '#/components/responses/Unexpected the kit answers with 400, 401, 413, 415, 500, 501, 503 here, as application/problem+json: the media type is not declared: have renderError return what the contract declares',
    ],
    [
      ARTICLES,
      { renderError: tellCode },
      '#/components/responses/Wrong the kit answers with 422, 500, 501, 503 here, as application/json: response/body/code is not declared by the contract: have renderError return what the contract declares',
    ],
    [
      STATIONS.replace('    Problem:\n      type: object\n', '$&      required: [instance]\n'),
      {},
      "#/components/responses/Problem and 1 more the kit answers with 400, 401, 413, 415, 500, 503 here, as application/problem+json: /response/body must have required property 'instance': have renderError return what the contract declares",
    ],
    [
      STATIONS.replace('      headers: { WWW-Authenticate:', `      headers: ${REASON}, WWW-Authenticate:`),
      {},
      `#/components/responses/Stranger the kit answers with 401 here, as application/problem+json: /response/headers ${REQUIRED}`,
    ],
    [
      ARTICLES.replace("'401': {", `'401': { headers: ${REASON} },`),
      { renderError: listErrors },
      `/responses/401 the kit answers with 401 here, without a body: /response/headers ${REQUIRED}`,
    ],
    [
      ANIMALS.replaceAll(ERROR_BODY, TEXT),
      { renderError: ({ message }) => message },
      'as text/plain: /response/body must NOT have more than 3 characters',
    ],
  ])('the contract of row %# does not declare what the kit makes', async (source, parts, message) => {
    await expect(serve(source, parts, fail())).rejects.toThrow(message);
  });

  const needOperation: AnyRenderError = ({ operation, message }) => {
    if (operation === undefined) throw new TypeError('which one');
    return { code: 1n, message };
  };
  const omitOne: AnyRenderError = (error) =>
    error.operation === 'addAnimal' && error.kind === 'FORBIDDEN' ? undefined : tellCode(error);
  const reject: AnyRenderError = () => Promise.reject(new Error('which one'));

  test.each<[string, AnyRenderError, string]>([
    ['fails without an operation', needOperation, 'MALFORMED_REQUEST of no operation: TypeError: which one'],
    ['makes nothing of a refusal', omitOne, 'FORBIDDEN of addAnimal: Error: it returned undefined'],
    ['is asynchronous', reject, 'MALFORMED_REQUEST of no operation: Error: it returned a promise'],
  ])('a renderError that %s', (_, renderError, message) => {
    const create = (): unknown => createRenderer({ contract: loadText(ANIMALS), renderError });
    expect(create).toThrow(`renderError fails for ${message}`);
  });
});

test('the title of a status that HTTP does not have, and a status that is an int64', async () => {
  const source = STATIONS.replaceAll('status: { type: integer }', 'status: { type: integer, format: int64 }');
  await using served = await serve(source, { statuses: { INVALID_PARAMETER: 499 } }, fail());
  const detail = 'request/query/country must match pattern "^[A-Z]{2}$"';
  await expect(send(served, '/stations?country=x')).resolves.toEqual(stationError(499, 'Error', detail));
  const failure = stationError(500, 'Internal Server Error', meaning('INTERNAL_ERROR'));
  await expect(send(served, '/stations')).resolves.toEqual(failure);
});

test.each([
  ['text/plain', 'request/path/name must match pattern "^[a-z]+$"'],
  ['Text/Plain; charset=utf-8', 'request/path/name must match pattern "^[a-z]+$"'],
  // A browser would run what a client sent.
  ['text/html', meaning('INVALID_PARAMETER')],
])('errors may be texts: %s', async (type, text) => {
  const source = ANIMALS.replaceAll(ERROR_BODY, `${type}: { schema: { type: string } }`);
  await using served = await serve(source, { renderError: ({ message }) => message }, (_request, reply) => reply(404));
  const reply = await fetch(new URL('/animals/Cat', served.base));
  expect([reply.status, reply.headers.get('content-type')]).toEqual([400, type]);
  await expect(reply.text()).resolves.toBe(text);
});

describe('a renderError that fails once the service runs', () => {
  const WAYS: Readonly<Record<string, () => unknown>> = {
    'throws an Error': fail(new Error('broken')),
    'throws what is not an Error': () => {
      AbortSignal.abort('broken').throwIfAborted();
    },
    'returns undefined': () => undefined,
    'returns a promise that is rejected': () => Promise.reject(new Error('broken')),
    'returns a circular value': () => {
      const circular: Record<string, unknown> = {};
      circular['self'] = circular;
      return circular;
    },
    'returns a function': () => tellCode,
  };
  const problem = (status: number, title: string): Row => toProblem(status, title, {});
  const NONSENSE = 'nonsense\r\n\r\n';
  const MALFORMED = 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n';
  const BROKEN_BODY =
    'POST /animals HTTP/1.1\r\nHost: a\r\nX-Keeper: known\r\nContent-Type: application/json\r\n' +
    'Transfer-Encoding: chunked\r\n\r\nxyz\r\n';

  /** Its renderError, and its render in front of the parser of HTTP, fail from now on. */
  async function serveBroken(way: () => unknown, statuses: RendererOptions['statuses'] = {}): Promise<Served> {
    let isBroken = false;
    const renderError: AnyRenderError = (error) => (isBroken ? way() : tellCode(error));
    const served = await serve(ANIMALS, { renderError, statuses }, fail(new Error('of the handler')));
    isBroken = true;
    return served;
  }

  test.each(Object.entries(WAYS))('and %s hangs no request: each has its status', async (_, way) => {
    await using served = await serveBroken(way, { INVALID_PARAMETER: 422 });
    await expect(send(served, '/animals/cat')).resolves.toEqual(problem(500, 'Internal Server Error'));
    await expect(send(served, '/animals/Cat')).resolves.toEqual(problem(422, 'Unprocessable Content'));
    await expect(send(served, '/nothing')).resolves.toEqual(problem(404, 'Not Found'));
    for (const bytes of [NONSENSE, MALFORMED]) {
      const [reply] = await sendRaw(served.port, bytes);
      expect(reply).toMatchObject({ status: 400, headers: { 'content-type': PROBLEM_TYPE } });
    }
    await until(() => served.outcomes.length === 5);
    expect(served.outcomes.map(({ status }) => status)).toEqual([500, 422, 404, 400, 400]);
    for (const { refusal } of served.outcomes) expect(refusal?.kind).toBe('INTERNAL_ERROR');
  });

  test('answers a body that is not well-formed HTTP, too', async () => {
    await using served = await serveBroken(() => undefined);
    const [reply] = await sendRaw(served.port, BROKEN_BODY);
    expect(reply).toMatchObject({ status: 400, headers: { 'content-type': PROBLEM_TYPE } });
    await until(() => served.outcomes.length === 1);
    expect(served.outcomes).toMatchObject([{ status: 400, refusal: { kind: 'INTERNAL_ERROR' } }]);
  });

  test('is in the report, with the error of the handler', async () => {
    await using served = await serveBroken(WAYS['throws an Error'] as () => unknown);
    await send(served, '/animals/cat');
    await until(() => served.outcomes.length === 1);
    expect(served.outcomes[0]?.refusal?.cause).toMatchObject({
      message: 'the renderer failed for INTERNAL_ERROR: Error: broken',
      cause: new Error('of the handler'),
    });
  });
});

// V8 keeps each object that has a getter of its own, and all that this holds, until a full collection.
test('all errors that renderError gets have one getter, so that no refusal outlives its reply', () => {
  const getters = new Set<unknown>();
  const renderError: AnyRenderError = (error, todo) => {
    getters.add(Reflect.get(Object(Object.getOwnPropertyDescriptor(error, 'requestId')), 'get'));
    return listErrors(error, todo);
  };
  const render = createRenderer({ contract: loadText(ARTICLES), renderError });
  for (const kind of ['INVALID_BODY', 'FORBIDDEN'] as const) render(new Refusal(kind));
  expect([...getters]).toEqual([expect.any(Function)]);
});

test('where not all wrong fields fit into the declared body, the first one is told, or at last none', () => {
  const contract = loadText(ARTICLES);
  const [operation] = contract.operations as [Operation];
  const render = createRenderer({ contract, renderError: listErrors });
  const faults = ['a', 'b'].map((name) => ({ pointer: name, place: name, rule: 'type', message: `${name} is wrong` }));
  const tell = (length: number): unknown => {
    const checkReply = ({ body }: { readonly body: unknown }): never => {
      if (JSON.stringify(body).length > length) throw new Error('too long');
      return { headers: [] } as never;
    };
    return renderDeclared(toFaultRefusal(faults), operation, { checkReply }, render).body;
  };
  const toBody = (text: string): unknown => ({ errors: { body: [text] } });
  expect([1000, 40, 1].map(tell)).toEqual(
    ['a is wrong, b is wrong', 'a is wrong', REFUSALS.INVALID_PARAMETER.meaning].map(toBody),
  );
});

describe('X-Contract-Kit-Not-Built', () => {
  const serveA = (method: string, responses: string, handler: Handler): Promise<Served> =>
    serve(
      `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
security: []
paths: { /a: { ${method}: { operationId: a, responses: { '204': { description: Done. }, ${responses} } } } }
`,
      { renderError: ({ status }) => ({ code: status }) },
      handler,
    );
  const code =
    'content: { application/json: { schema: { required: [code], properties: { code: { type: integer } } } } }';

  test.each([
    [501, 'get', 'default: { description: No. }'],
    [503, 'get', `'503': { description: Away. }`],
    [501, 'post', `default: { description: No., ${code} }`],
    [501, 'head', 'default: { description: No. }'],
  ])('marks the %s of a handler for %s that is not written yet, where the contract declares %s', async (...row) => {
    const [status, method, responses] = row;
    await using served = await serveA(method, responses, () => notBuilt('a'));
    const reply = await fetch(new URL('/a', served.base), { method: method.toUpperCase() });
    expect([reply.status, reply.headers.get('X-Contract-Kit-Not-Built')]).toEqual([status, 'true']);
  });

  test('does not mark the refusal of a handler that fails otherwise, whatever its message says', async () => {
    for (const kind of ['SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'] as const) {
      await using served = await serveA(
        'get',
        `default: { description: No. }`,
        fail(new Refusal(kind, 'a is not built yet')),
      );
      const reply = await fetch(new URL('/a', served.base));
      expect(reply.headers.has('X-Contract-Kit-Not-Built')).toBe(false);
    }
  });
});
