import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import { createRenderer, type RendererOptions } from '../../src/errors/create-renderer';
import { REFUSALS, Refusal, type RefusalKind } from '../../src/errors/refusal';
import type { AnyRenderError, Render, RenderedRefusal } from '../../src/errors/render';
import { FIXTURE_ERRORS } from '../../../../tests/support/fixture-errors';
import { loadText } from '../../../../tests/support/load-text';
import { sendRaw } from '../../../../tests/support/send-raw';
import { serveText, type Served } from '../../../../tests/support/serve-text';
import { until } from '../../../../tests/support/until';

type Parts = Omit<RendererOptions, 'contract'>;
type Handler = UntypedHandler;

const [ARTICLES, ANIMALS, STATIONS] = ['articles', 'animals', 'stations'].map((name) =>
  readFileSync(`tests/fixtures/errors/${name}.yaml`, 'utf8'),
) as [string, string, string];

const listErrors: AnyRenderError = ({ message }) => ({ errors: { body: [message] } });
const tellCode: AnyRenderError = ({ status, message }) => ({ code: BigInt(status), message });
/** The service of a contract, in which every operation has one handler. */
function serve(
  source: string,
  parts: Parts,
  handler: Handler,
  render = createRenderer({ contract: loadText(source), ...parts }),
): Promise<Served> {
  const verify = (sent: string): object | undefined => (sent === 'known' ? {} : undefined);
  const verifiers = { author: verify, keeper: verify, traveller: verify };
  const handlers = new Proxy<Record<string, Handler>>({}, { get: () => handler });
  return serveText(source, handlers, verifiers, { render });
}

type Reply = readonly [status: number, type: string | null, body: unknown, headers: Headers];

async function send({ server }: Served, path: string, options: RequestInit = {}): Promise<Reply> {
  const { port } = server.address() as AddressInfo;
  const reply = await fetch(`http://127.0.0.1:${String(port)}${path}`, options);
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
const OTHER_TYPE = 'The Content-Type is text/plain; it has to be application/json.';
const wrong = (text: string): string => `request/body must have required property '${text}'`;

const articleError = (status: number, text: string): unknown[] => [
  status,
  JSON_TYPE,
  { errors: { body: [text] } },
  ANY,
];
const animalError = (code: number, message: string): unknown[] => [code, JSON_TYPE, { code, message }, ANY];
const stationError = (status: number, title: string, detail: string): unknown[] => [
  ...[status, PROBLEM_TYPE, { type: 'about:blank', title, status, detail }, ANY],
];

interface Team {
  readonly source: string;
  readonly parts: Parts;
  readonly path: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly right: object;
  /** What it answers, by what is wrong. */
  readonly refusals: Readonly<
    Record<'json' | 'body' | 'size' | 'type' | 'caller' | 'path' | 'method' | 'bug' | 'away', unknown[]>
  >;
}

const TEAMS: Readonly<Record<string, Team>> = {
  'texts under 422': {
    source: ARTICLES,
    parts: { renderError: listErrors },
    path: '/articles',
    credentials: { Authorization: 'Bearer known' },
    right: { title: 'a' },
    refusals: {
      json: articleError(422, MALFORMED),
      body: articleError(422, wrong('title')),
      size: articleError(422, meaning('BODY_TOO_LARGE')),
      type: articleError(422, OTHER_TYPE),
      // It declares no body.
      caller: [401, null, undefined, ANY],
      path: articleError(404, meaning('UNKNOWN_PATH')),
      method: articleError(405, meaning('METHOD_NOT_ALLOWED')),
      bug: articleError(500, meaning('INTERNAL_ERROR')),
      away: articleError(503, meaning('SERVICE_UNAVAILABLE')),
    },
  },
  'a code and a message under default': {
    source: ANIMALS,
    parts: { renderError: tellCode },
    path: '/animals',
    credentials: { 'X-Keeper': 'known' },
    right: { name: 'cat' },
    refusals: {
      json: animalError(400, MALFORMED),
      body: animalError(400, wrong('name')),
      size: animalError(413, meaning('BODY_TOO_LARGE')),
      type: animalError(415, OTHER_TYPE),
      caller: animalError(401, meaning('CREDENTIALS_MISSING')),
      path: animalError(404, meaning('UNKNOWN_PATH')),
      method: animalError(405, meaning('METHOD_NOT_ALLOWED')),
      bug: animalError(500, meaning('INTERNAL_ERROR')),
      away: animalError(503, meaning('SERVICE_UNAVAILABLE')),
    },
  },
  'problem details everywhere': {
    source: STATIONS,
    parts: {},
    path: '/bookings',
    credentials: { Authorization: 'Bearer known' },
    right: { from: 'Bern', to: 'Bonn' },
    refusals: {
      json: stationError(400, 'Bad Request', MALFORMED),
      // As JSON, and without the member that its schema does not list.
      body: [422, JSON_TYPE, { title: 'Unprocessable Content', status: 422, detail: wrong('from') }, ANY],
      size: stationError(413, 'Content Too Large', meaning('BODY_TOO_LARGE')),
      type: stationError(415, 'Unsupported Media Type', OTHER_TYPE),
      caller: stationError(401, 'Unauthorized', meaning('CREDENTIALS_MISSING')),
      path: stationError(404, 'Not Found', meaning('UNKNOWN_PATH')),
      method: stationError(405, 'Method Not Allowed', meaning('METHOD_NOT_ALLOWED')),
      bug: stationError(500, 'Internal Server Error', meaning('INTERNAL_ERROR')),
      away: stationError(503, 'Service Unavailable', meaning('SERVICE_UNAVAILABLE')),
    },
  },
};

describe.each(Object.entries(TEAMS))('%s', (_name, { source, parts, path, credentials, right, refusals }) => {
  test('each refusal of a request is as it is declared', async () => {
    await using served = await serve(source, parts, () => {
      throw new Error('secret');
    });
    const headers = { ...credentials, 'Content-Type': JSON_TYPE };
    const post = (body: string, sent: Record<string, string> = headers): Promise<Reply> =>
      send(served, path, { method: 'POST', body, headers: sent });
    await expect(post('{')).resolves.toEqual(refusals.json);
    await expect(post('{"likes":1,"legs":1,"to":"a"}')).resolves.toEqual(refusals.body);
    await expect(post(LARGE)).resolves.toEqual(refusals.size);
    await expect(post('x', { ...credentials, 'Content-Type': 'text/plain' })).resolves.toEqual(refusals.type);
    await expect(send(served, '/nothing')).resolves.toEqual(refusals.path);
    const caller = await post('{}', { 'Content-Type': JSON_TYPE });
    expect(caller).toEqual(refusals.caller);
    expect(caller[3].get('www-authenticate')).toMatch(/^(?:Bearer|ApiKey) realm=/);
    const method = await send(served, path, { method: 'DELETE' });
    expect(method).toEqual(refusals.method);
    expect(method[3].get('allow')).toContain('POST');
    await expect(post(JSON.stringify(right))).resolves.toEqual(refusals.bug);
  });

  test('a handler that has to wait is 503, with Retry-After', async () => {
    await using served = await serve(source, parts, () => {
      throw new RangeError('away');
    });
    const headers = { ...credentials, 'Content-Type': JSON_TYPE };
    const reply = await send(served, path, { method: 'POST', body: JSON.stringify(right), headers });
    expect(reply).toEqual(refusals.away);
    expect(reply[3].get('retry-after')).toBe('1');
  });
});

describe('what a client sent does not break the declared schema', () => {
  const name = 'x'.repeat(200);

  test('a text that is longer than the schema allows is left out', async () => {
    await using served = await serve(ANIMALS, { renderError: tellCode }, () => {
      throw new Error('not this one');
    });
    await expect(send(served, `/animals/cat?${name}=1`)).resolves.toEqual(
      animalError(400, meaning('INVALID_PARAMETER')),
    );
  });

  test('so is one that renderError cannot make something of', async () => {
    const renderError: AnyRenderError = (error) => {
      if (error.message.includes(name)) throw new Error('secret');
      return tellCode(error);
    };
    await using served = await serve(ANIMALS, { renderError }, () => {
      throw new Error('not this one');
    });
    await expect(send(served, `/animals/cat?${name}=1`)).resolves.toEqual(
      animalError(400, meaning('INVALID_PARAMETER')),
    );
  });
});

test('the statuses of refusals can be chosen', async () => {
  const statuses = { INVALID_BODY: 400, BODY_TOO_LARGE: 422 } as const;
  await using served = await serve(STATIONS, { statuses }, () => {
    throw new Error('not this one');
  });
  const post = (body: string): Promise<Reply> =>
    send(served, '/bookings', {
      method: 'POST',
      body,
      headers: { Authorization: 'Bearer known', 'Content-Type': JSON_TYPE },
    });
  await expect(post('{}')).resolves.toEqual(stationError(400, 'Bad Request', `${wrong('from')}, ${wrong('to')}`));
  const detail = meaning('BODY_TOO_LARGE');
  await expect(post(LARGE)).resolves.toEqual([
    422,
    JSON_TYPE,
    { title: 'Unprocessable Content', status: 422, detail },
    ANY,
  ]);
});

test('a status that nothing declares is problem details', async () => {
  const source = ANIMALS.replaceAll(/^ +default:.*\n/gm, '');
  await using served = await serve(source, {}, () => {
    throw new Error('secret');
  });
  await expect(send(served, '/animals/cat')).resolves.toEqual(
    stationError(500, 'Internal Server Error', meaning('INTERNAL_ERROR')),
  );
  const detail = 'request/path/name must match pattern "^[a-z]+$"';
  await expect(send(served, '/animals/Cat')).resolves.toEqual(stationError(400, 'Bad Request', detail));
});

const never: Handler = () => {
  throw new Error('not this one');
};

describe('a service whose refusals would break its contract does not start', () => {
  test.each<[string, string, Parts, string]>([
    [
      'errors of a shape of its own',
      ANIMALS,
      {},
      '#/components/responses/Unexpected the kit refuses with 400, 401, 413, 415, 500, 501, 503 here, as application/problem+json: the media type is not declared: let renderError make what is declared',
    ],
    [
      'a renderError of another shape',
      ARTICLES,
      { renderError: tellCode },
      '#/components/responses/Wrong the kit refuses with 422, 500, 501, 503 here, as application/json: response/body/code is not declared by the contract: let renderError make what is declared',
    ],
    [
      'problem details that need what the kit does not know',
      STATIONS.replace(
        '    Problem:\n      type: object\n',
        '    Problem:\n      type: object\n      required: [instance]\n',
      ),
      {},
      "#/components/responses/Problem and 1 more the kit refuses with 400, 401, 413, 415, 500, 503 here, as application/problem+json: /response/body must have required property 'instance': let renderError make what is declared",
    ],
    [
      'a header that is required, and not of HTTP',
      STATIONS.replace(
        '      headers: { WWW-Authenticate:',
        '      headers: { X-Reason: { required: true, schema: { type: string } }, WWW-Authenticate:',
      ),
      {},
      "#/components/responses/Stranger the kit refuses with 401 here, as application/problem+json: /response/headers must have required property 'X-Reason': let it not be required",
    ],
    [
      'a header that is required, without a body',
      ARTICLES.replace("'401': {", "'401': { headers: { X-Reason: { required: true, schema: { type: string } } },"),
      { renderError: listErrors },
      "/responses/401 the kit refuses with 401 here, without a body: /response/headers must have required property 'X-Reason': let it not be required",
    ],
    [
      'a body of another media type than JSON',
      ANIMALS.replaceAll(
        "application/json: { schema: { $ref: '#/components/schemas/Error' } }",
        'text/plain: { schema: { type: string, maxLength: 3 } }',
      ),
      { renderError: ({ message }) => message },
      'as text/plain: /response/body must NOT have more than 3 characters',
    ],
  ])('%s', async (_, source, parts, message) => {
    await expect(serve(source, parts, never)).rejects.toThrow(message);
  });

  test.each<[string, AnyRenderError, string]>([
    [
      'fails without an operation',
      ({ operation, message }) => {
        if (operation === undefined) throw new TypeError('which one');
        return { code: 1n, message };
      },
      'renderError fails for MALFORMED_REQUEST of no operation: TypeError: which one',
    ],
    [
      'makes nothing of a refusal',
      (error) => (error.operation === 'addAnimal' && error.kind === 'FORBIDDEN' ? undefined : tellCode(error)),
      'renderError fails for FORBIDDEN of addAnimal: Error: it returned undefined',
    ],
    [
      'is asynchronous',
      () => Promise.reject(new Error('which one')),
      'renderError fails for MALFORMED_REQUEST of no operation: Error: it returned a promise',
    ],
  ])('a renderError that %s', (_, renderError, message) => {
    expect(() => createRenderer({ contract: loadText(ANIMALS), renderError })).toThrow(message);
  });
});

test('the title of a status that HTTP does not have, and a status that is an int64', async () => {
  const source = STATIONS.replaceAll('status: { type: integer }', 'status: { type: integer, format: int64 }');
  await using served = await serve(source, { statuses: { INVALID_PARAMETER: 499 } }, () => {
    throw new Error('secret');
  });
  const detail = 'request/query/country must match pattern "^[A-Z]{2}$"';
  await expect(send(served, '/stations?country=x')).resolves.toEqual(stationError(499, 'Error', detail));
  await expect(send(served, '/stations')).resolves.toEqual(
    stationError(500, 'Internal Server Error', meaning('INTERNAL_ERROR')),
  );
});

test.each([
  ['text/plain', 'request/path/name must match pattern "^[a-z]+$"'],
  // A browser would run what a client sent.
  ['text/html', meaning('INVALID_PARAMETER')],
])('errors may be texts: %s', async (type, text) => {
  const source = ANIMALS.replaceAll(
    /application\/json: \{ schema: \{ \$ref: '#\/components\/schemas\/Error' \} \}/g,
    `${type}: { schema: { type: string } }`,
  );
  await using served = await serve(source, { renderError: ({ message }) => message }, (_request, reply) => reply(404));
  const { port } = served.server.address() as AddressInfo;
  const reply = await fetch(`http://127.0.0.1:${String(port)}/animals/Cat`);
  expect([reply.status, reply.headers.get('content-type')]).toEqual([400, type]);
  await expect(reply.text()).resolves.toBe(text);
});

describe('the error catalogue', () => {
  test('its rows have the statuses, and what its operations do not declare is in its shape too', () => {
    const render = createRenderer({ contract: loadText(ANIMALS), errors: FIXTURE_ERRORS });
    expect(render(new Refusal('BODY_TOO_LARGE'), undefined)).toMatchObject({ status: 400, body: { error: 40004 } });
  });

  test('no statuses can be chosen beside it', () => {
    const parts = { contract: loadText(ANIMALS), errors: FIXTURE_ERRORS, statuses: { INVALID_BODY: 422 } } as const;
    expect(() => createRenderer(parts)).toThrow('no statuses can be chosen where the contract has an error catalogue');
  });

  test('problem details that an operation declares come before it', () => {
    const contract = loadText(STATIONS);
    const render = createRenderer({ contract, errors: FIXTURE_ERRORS });
    expect(render(new Refusal('INTERNAL_ERROR'), contract.operations[0])).toMatchObject({ type: PROBLEM_TYPE });
  });
});

describe('a renderError that fails once the service runs', () => {
  const WAYS: Readonly<Record<string, () => unknown>> = {
    'throws an Error': () => {
      throw new Error('broken');
    },
    'throws what is no Error': () => {
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
  const problem = (status: number, title: string): unknown[] => [
    ...[status, PROBLEM_TYPE, { type: 'about:blank', title, status }, ANY],
  ];

  const NONSENSE = 'nonsense\r\n\r\n';
  const MALFORMED = 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n';
  const BROKEN_BODY =
    'POST /animals HTTP/1.1\r\nHost: a\r\nX-Keeper: known\r\nContent-Type: application/json\r\n' +
    'Transfer-Encoding: chunked\r\n\r\nxyz\r\n';

  /** Its renderError, and its render in front of the parser of HTTP, fail from now on. */
  async function serveBroken(way: () => unknown, statuses: RendererOptions['statuses'] = {}): Promise<Served> {
    let isBroken = false;
    const renderError: AnyRenderError = (error) => (isBroken ? way() : tellCode(error));
    const served = await serve(ANIMALS, { renderError, statuses }, () => {
      throw new Error('of the handler');
    });
    isBroken = true;
    return served;
  }

  test.each(Object.entries(WAYS))(
    'and %s hangs no request: each has its status, and problem details',
    async (_, way) => {
      await using served = await serveBroken(way, { INVALID_PARAMETER: 422 });
      await expect(send(served, '/animals/cat')).resolves.toEqual(problem(500, 'Internal Server Error'));
      await expect(send(served, '/animals/Cat')).resolves.toEqual(problem(422, 'Unprocessable Content'));
      await expect(send(served, '/nothing')).resolves.toEqual(problem(404, 'Not Found'));
      const { port } = served.server.address() as AddressInfo;
      for (const bytes of [NONSENSE, MALFORMED]) {
        const [reply] = await sendRaw(port, bytes);
        expect(reply).toMatchObject({ status: 400, headers: { 'content-type': PROBLEM_TYPE } });
      }
      await until(() => served.outcomes.length === 5);
      expect(served.outcomes.map(({ status }) => status)).toEqual([500, 422, 404, 400, 400]);
      for (const { refusal } of served.outcomes) expect(refusal?.kind).toBe('INTERNAL_ERROR');
    },
  );

  test('answers a body that is not well-formed HTTP, too', async () => {
    await using served = await serveBroken(() => undefined);
    const { port } = served.server.address() as AddressInfo;
    const [reply] = await sendRaw(port, BROKEN_BODY);
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

  test.each<[string, () => unknown]>([
    ...Object.entries(WAYS).filter(([way]) => !way.includes('circular')),
    ['returns no status', () => ({ type: JSON_TYPE, body: 1 })],
    [
      'returns a promise as its body',
      () => ({ status: 400, type: JSON_TYPE, body: Promise.reject(new Error('broken')) }),
    ],
  ])('a render that %s is no worse', async (_, way) => {
    const right = createRenderer({ contract: loadText(ANIMALS), renderError: tellCode });
    let isBroken = false;
    const render: Render = (...args) => (isBroken ? (way() as RenderedRefusal) : right(...args));
    await using served = await serve(ANIMALS, {}, never, render);
    isBroken = true;
    await expect(send(served, '/animals/Cat')).resolves.toEqual(problem(400, 'Bad Request'));
    await expect(send(served, '/nothing')).resolves.toMatchObject([expect.any(Number), PROBLEM_TYPE, {}, ANY]);
    await until(() => served.outcomes.length === 2);
    for (const { refusal } of served.outcomes) expect(refusal?.kind).toBe('INTERNAL_ERROR');
  });
});
