import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  createSuite,
  describeUnproven,
  findUnproven,
  parseFixtures,
  runSuite,
  titleOf,
  type Case,
  type CaseResult,
  type CheckName,
  type Finding,
  type Fixtures,
  type Target,
  type Unproven,
} from '../src';
import { readOptions } from '../src/cli/options';
import { serveReplies } from './serve-books';

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly type?: string;
}

interface Judged {
  readonly results: readonly CaseResult[];
  readonly unproven: readonly Unproven[];
  /** What is found, such as `addStore invalid-accepted`. */
  readonly found: readonly string[];
}

interface Options extends Partial<Target> {
  readonly fixtures?: Fixtures;
  readonly classes?: readonly string[];
  readonly level?: 'contract' | 'robust';
  /** Arguments of the command that choose cases, in place of `classes`. */
  readonly args?: readonly string[];
}

/** Judges a server that answers as a function says. */
async function judgeServer(
  paths: string,
  answer: (request: IncomingMessage, body: string) => Answer,
  { fixtures, classes, level = 'contract', args, ...parts }: Options = {},
): Promise<Judged> {
  await using server = await serveReplies((request, res, text) => {
    const { status, body, type = 'application/json' } = answer(request, text);
    res.writeHead(status, body === undefined ? {} : { 'content-type': type });
    res.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
  const contract = `openapi: 3.1.0\ninfo: { title: Stores, version: 1.0.0 }\n${paths}`;
  const suite = createSuite(contract, { marker: 'mark', level, ...(fixtures && { fixtures }) });
  const target = { base: server.base, secrets: { token: 'right' }, timeout: 60_000, ...parts };
  const chosen = args && readOptions(['--url', server.base.href, ...args]);
  const isWanted =
    chosen?.isWanted ?? (({ class: name }) => classes === undefined || [...classes, 'control'].includes(name));
  const options = { isWanted };
  const results = await Array.fromAsync(runSuite(suite, target, options));
  const found = results.flatMap(({ case: { operation }, findings }) =>
    findings.map(({ check }) => `${operation} ${check}`),
  );
  return { results, unproven: findUnproven(suite, target, results), found: [...new Set(found)] };
}

const unprovenOf = ({ unproven }: Judged, name: string): Unproven[] =>
  unproven.filter(({ result }) => result.case.class === name);
const resultsOf = ({ results }: Judged, name: string, operation?: string): CaseResult[] =>
  results.filter(({ case: one }) => one.class === name && (operation === undefined || one.operation === operation));
const findingsOf = ({ results }: Judged, check: CheckName): Finding[] =>
  results.flatMap(({ findings }) => findings.filter((finding) => finding.check === check));
const foundIn = (results: readonly CaseResult[], check: CheckName): Case[] =>
  results.flatMap(({ case: one, findings }) => (findings.some((finding) => finding.check === check) ? [one] : []));
const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?')[0] ?? '';

const STORE = '{ type: object, required: [id], properties: { id: { type: string }, size: { type: integer } } }';
const LIST = `get: { operationId: listStores, responses: { '200': { description: All., content: { application/json: { schema: { type: array, items: ${STORE} } } } } } }`;
const STORES = `paths:
  /stores:
    ${LIST}
    post:
      operationId: addStore
      requestBody: { required: true, content: { application/json: { schema: ${STORE} } } }
      responses: { '201': { description: Added. }, '400': { description: It is wrong. } }
`;

/** The members of a body; none where it is not an object. */
function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...(JSON.parse(text) as object) };
  } catch {
    return {};
  }
}

function isStore(text: string): boolean {
  const { id, size = 1 } = parse(text);
  return typeof id === 'string' && Number.isInteger(size);
}

test('no refusal is proven by a server that answers 503 to every write, and that it accepts nothing is one finding', async () => {
  const judged = await judgeServer(
    STORES,
    ({ method }) => (method === 'GET' ? { status: 200, body: [] } : { status: 503 }),
    { classes: ['positive', 'negative'] },
  );
  const negative = resultsOf(judged, 'negative');
  expect(negative.length).toBeGreaterThan(20);
  expect(unprovenOf(judged, 'negative')).toHaveLength(negative.length);
  expect(unprovenOf(judged, 'positive')).toHaveLength(resultsOf(judged, 'positive', 'addStore').length);
  expect(judged.found).toEqual(['addStore valid-refused']);
  expect(describeUnproven(judged.unproven).join('\n')).toMatch(
    /^\d+ cases unproven: the server answers 503, which is not about the request \(.*negative.* of addStore\)$/m,
  );
});

test.each([404, 503])(
  'a declared %i shows nothing, so that a server with nothing else for writes is unproven',
  async (status) => {
    const judged = await judgeServer(
      STORES.replace("'400': {", `'${String(status)}': { description: No. }, '400': {`),
      ({ method }) => (method === 'GET' ? { status: 200, body: [] } : { status }),
      { classes: ['positive', 'negative'] },
    );
    expect(judged.found).toEqual([]);
    expect(unprovenOf(judged, 'negative')).toHaveLength(resultsOf(judged, 'negative').length);
    expect(unprovenOf(judged, 'control').length).toBeGreaterThan(0);
  },
);

test('a refusal is proven beside a valid request that the server accepts', async () => {
  const judged = await judgeServer(
    STORES,
    ({ method }, text) => (method === 'GET' ? { status: 200, body: [] } : { status: isStore(text) ? 201 : 400 }),
    { classes: ['positive', 'negative'] },
  );
  expect(resultsOf(judged, 'control').length).toBeGreaterThan(2);
  expect([judged.found, judged.unproven]).toEqual([[], []]);
});

test('a credential that stops working in the middle is told by a valid request that was accepted before', async () => {
  let count = 0;
  const judged = await judgeServer(STORES, () => (++count < 40 ? { status: 200, body: [] } : { status: 401 }));
  const texts = findingsOf(judged, 'valid-refused').map(({ text }) => text);
  expect(texts.filter((text) => text.endsWith(', although it was accepted before'))).not.toEqual([]);
});

test('a case that is answered 429 to the end is unproven', async () => {
  const judged = await judgeServer(
    STORES,
    ({ method }) => ({ status: method === 'GET' ? 200 : 429, body: [], retryAfter: '0' }),
    {
      classes: ['positive'],
      retries: 1,
    },
  );
  const reasons = new Set(judged.unproven.map(({ reason }) => reason));
  expect([...reasons]).toEqual(['the server kept answering 429 to POST: try a lower --rate']);
});

describe('a server that a request of the suite puts into maintenance', () => {
  const contract = `${STORES}  /maintenance:
    post:
      operationId: setMaintenance
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, required: [enabled], properties: { enabled: { type: boolean } } } } }
      responses: { '204': { description: Set. }, '400': { description: It is wrong. } }
`;
  // It stays on, whatever comes.
  const createAnswer = () => {
    let isOn = false;
    return (request: IncomingMessage, text: string): Answer => {
      if (request.method === 'GET') return { status: 200, body: [] };
      if (pathOf(request) !== '/maintenance') return { status: isOn ? 503 : isStore(text) ? 201 : 400 };
      if (!/"enabled":(?:true|false)/.test(text)) return { status: 400 };
      isOn ||= text.includes('"enabled":true');
      return { status: 204 };
    };
  };

  test('is noticed, with the request after which it accepts no more', async () => {
    const judged = await judgeServer(contract, createAnswer(), { classes: ['positive', 'negative'] });
    const [lost] = judged.unproven.filter(({ result }) => result.case.class === 'control');
    expect(lost?.reason).toMatch(
      /^the server answers 503 to a valid request to addStore that it accepted before, since the request "setMaintenance control .*"$/,
    );
    expect(unprovenOf(judged, 'negative').map(({ result }) => result.case.operation)).toEqual(
      resultsOf(judged, 'negative', 'addStore').map(({ case: one }) => one.operation),
    );
  });
});

const ORDERS = `paths:
  /stores:
    ${LIST}
  /stores/{storeId}/orders:
    parameters: [{ name: storeId, in: path, required: true, schema: { type: string } }]
    post:
      operationId: addOrder
      requestBody: { required: true, content: { application/json: { schema: { type: object, required: [count], properties: { count: { type: integer } } } } } }
      responses: { '201': { description: Added. }, '400': { description: It is wrong. }, '404': { description: None. } }
`;

describe('what is created below something that only a list shows', () => {
  const answerWith =
    (listed: readonly unknown[]) =>
    (request: IncomingMessage, _text: string): Answer => {
      if (pathOf(request) === '/stores') return { status: 200, body: listed };
      return { status: pathOf(request) === '/stores/main/orders' ? 201 : 404 };
    };

  test('is created below what the list shows, so that accepted wrong bodies are found', async () => {
    const judged = await judgeServer(ORDERS, answerWith([{ id: 'main' }]), { classes: ['positive', 'negative'] });
    expect(judged.found).toEqual(['addOrder invalid-accepted']);
    const targets = new Set(resultsOf(judged, 'negative').map(({ case: one }) => one.request.target));
    expect([...targets]).toEqual(['/stores/main/orders']);
  });

  test('proves nothing, rather than being refused, where the list shows none', async () => {
    const judged = await judgeServer(ORDERS, answerWith([]), { classes: ['positive', 'negative'] });
    expect(judged.found).toEqual([]);
    expect(unprovenOf(judged, 'negative')).toHaveLength(resultsOf(judged, 'negative').length);
    expect(judged.unproven[0]?.reason).toBe('no value of {storeId} is known that exists: give one with --fixtures');
  });

  test('is created below what a fixture names', async () => {
    const fixtures = parseFixtures(`places: { '#/paths/~1stores~1{storeId}~1orders/parameters/0': [main] }`);
    const judged = await judgeServer(ORDERS, answerWith([]), { classes: ['positive', 'negative'], fixtures });
    expect(judged.found).toEqual(['addOrder invalid-accepted']);
  });
});

test.each(['200', '201'])('what others have created gets no PUT, even if that declares %s', async (status) => {
  const paths = `paths:
  /stores:
    ${LIST}
  /stores/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    put:
      operationId: putStore
      requestBody: { required: true, content: { application/json: { schema: { type: object, required: [size], properties: { size: { type: integer } } } } } }
      responses: { '${status}': { description: Put. }, '404': { description: None. } }
`;
  const targets = new Set<string>();
  await judgeServer(paths, (request) => {
    if (request.method === 'PUT') targets.add(pathOf(request));
    // It creates nothing.
    return request.method === 'GET' ? { status: 200, body: [{ id: 'main' }] } : { status: 404 };
  });
  expect(targets.size).toBeGreaterThan(0);
  expect([...targets].filter((target) => target.includes('/main'))).toEqual([]);
});

describe('without --destructive', () => {
  const size =
    '{ type: object, required: [name, size], properties: { name: { type: string }, size: { type: integer } } }';
  const body = `requestBody: { required: true, content: { application/json: { schema: ${size} } } }`;
  const declare = (created: string): string => `paths:
  /stores:
    ${created}
  /stores/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: getStore, responses: { '200': { description: It. }, '404': { description: None. } } }
    put: { operationId: putStore, ${body}, responses: { '200': { description: Put. }, '400': { description: No. }, '404': { description: None. } } }
    delete: { operationId: deleteStore, responses: { '204': { description: Gone. }, '404': { description: None. } } }
`;
  const ADD = `post: { operationId: addStore, ${body}, responses: { '201': { description: It., content: { application/json: { schema: ${STORE} } } }, '400': { description: No. }, '409': { description: Taken. } } }`;
  const nameOf = (text: string): string | undefined => {
    const { name, size: sent } = parse(text);
    return typeof name === 'string' && Number.isInteger(sent) ? name : undefined;
  };

  // Has a store of others, whose id is 1. Names are unique.
  const createStores = () => {
    const ids = new Set(['1']);
    const names = new Set<string>();
    const changed: string[] = [];
    const answer = (request: IncomingMessage, text: string): Answer => {
      const { method = '' } = request;
      const id = pathOf(request).replace(/^\/(?:stores|settings)\/?/, '');
      if (method === 'POST' || method === 'PUT') {
        const name = nameOf(text);
        if (name === undefined) return { status: 400 };
        if (method === 'PUT') {
          if (id !== '' && !ids.has(id)) return { status: 404 };
          changed.push(id);
          return { status: 200 };
        }
        if (names.has(name)) return { status: 409 };
        names.add(name);
        const made = randomUUID();
        ids.add(made);
        return { status: 201, body: { id: made, size: 1 } };
      }
      if (method === 'DELETE' && ids.has(id)) changed.push(id);
      if (id === '') return { status: 200, body: [...ids].map((each) => ({ id: each })) };
      if (method === 'GET') return { status: ids.has(id) ? 200 : 404 };
      return { status: ids.delete(id) ? 204 : 404 };
    };
    return { answer, changed };
  };

  test('refused changes are proven by a change to what the run has created', async () => {
    const { answer, changed } = createStores();
    const judged = await judgeServer(declare(ADD), answer, {
      args: ['--only', 'positive,negative,auth'],
    });
    expect([judged.found, judged.unproven]).toEqual([[], []]);
    expect(resultsOf(judged, 'negative', 'putStore').length).toBeGreaterThan(10);
    expect(changed.length).toBeGreaterThan(2);
    expect(changed).not.toContain('1');
  });

  test('what others have created, and what has no id, is not changed, so that its refused changes are unproven', async () => {
    const { answer, changed } = createStores();
    const settings = `  /settings:\n    put: { operationId: putSettings, ${body}, responses: { '200': { description: Put. }, '400': { description: No. } } }\n`;
    const judged = await judgeServer(`${declare(LIST)}${settings}`, answer, { args: ['--only', 'negative'] });
    expect([judged.found, changed]).toEqual([[], []]);
    const reasons = new Set(judged.unproven.map(({ result, reason }) => `${result.case.operation}: ${reason}`));
    expect([...reasons]).toEqual(
      expect.arrayContaining([expect.stringContaining("putStore: no instance of the run's own is known")]),
    );
    expect([...reasons].filter((reason) => reason.includes('--destructive'))).toEqual([
      'putSettings: a valid request may change what the run has not created: it needs --destructive',
    ]);
    expect([...reasons].some((reason) => reason.startsWith('putStore: '))).toBe(true);
  });
});

describe('a server that takes other spellings of a path for the same', () => {
  const body = `requestBody: { required: true, content: { application/json: { schema: { type: object, additionalProperties: false, required: [name], properties: { name: { type: string } } } } } }`;
  const no = "'4XX': { description: No. }";
  const paths = `paths:
  /settings:
    get: { operationId: getSettings, responses: { '200': { description: They. } } }
    put: { operationId: putSettings, ${body}, responses: { '204': { description: Put. }, ${no} } }
    delete: { operationId: deleteSettings, responses: { '204': { description: Gone. }, ${no} } }
  /posts:
    post: { operationId: addPost, ${body}, responses: { '201': { description: It., content: { application/json: { schema: { type: object, required: [id], properties: { id: { type: integer } } } } } }, ${no} } }
  /posts/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, minimum: 1, maximum: 999 } }]
    get: { operationId: getPost, responses: { '204': { description: It. }, ${no} } }
    put: { operationId: putPost, ${body}, responses: { '204': { description: Put. }, ${no} } }
    delete: { operationId: deletePost, responses: { '204': { description: Gone. }, ${no} } }
`;
  const isPost = (text: string): boolean => {
    try {
      const { name, ...others } = JSON.parse(text) as { name?: unknown };
      return typeof name === 'string' && Object.keys(others).length === 0;
    } catch {
      return false;
    }
  };

  // Others have the posts 1, 9, 99 and 999.
  const createLenient = (mayCreate = true) => {
    const foreign = [1, 9, 99, 999];
    const ids = new Set(foreign);
    const [changed, others]: [string[], string[]] = [[], []];
    const answer = (request: IncomingMessage, text: string): Answer => {
      const { method = '' } = request;
      const path = pathOf(request).toLowerCase().replaceAll(/%2f/g, '/');
      const [, name, id] = /^\/+(settings|posts)(?:\/(\d+))?(?:\/|;x=1|\.json|%00|%zz|%ff)?$/.exec(path) ?? [];
      const known = name === 'settings' ? id === undefined : id === undefined || ids.has(Number(id));
      if (name === undefined || !known) return { status: 404 };
      if (name === 'posts' && id === undefined) {
        if (method !== 'POST') return { status: 405 };
        if (!isPost(text) || !mayCreate) return { status: 400 };
        const made = 100 + ids.size + changed.length;
        ids.add(made);
        return { status: 201, body: { id: made } };
      }
      if (method === 'GET') return { status: name === 'posts' ? 204 : 200 };
      if (method !== 'PUT' && method !== 'DELETE') return { status: 405 };
      if (method === 'PUT' && !isPost(text)) return { status: 400 };
      const isOurs = id !== undefined && !foreign.includes(Number(id));
      (isOurs ? changed : others).push(`${method} ${pathOf(request)}`);
      if (method === 'DELETE' && isOurs) ids.delete(Number(id));
      return { status: 204 };
    };
    return { answer, changed, others };
  };

  test.each([
    ['settings and posts of others as they are', [], ''],
    ['posts of others as they are with --destructive', ['--destructive'], '/settings'],
  ])('leaves %s', async (_, args, allowed) => {
    const { answer, changed, others } = createLenient();
    await judgeServer(paths, answer, { args, level: 'robust' });
    expect(others.filter((each) => allowed === '' || !each.toLowerCase().includes(allowed))).toEqual([]);
    // What the run has created is changed, also where its path is spelled otherwise.
    expect(changed.some((each) => each.startsWith('PUT') && each.endsWith('/'))).toBe(true);
    expect(changed.some((each) => each.startsWith('DELETE') && each.endsWith('/'))).toBe(true);
  });

  test('leaves posts of others as they are where it lets nobody create any', async () => {
    const { answer, others } = createLenient(false);
    const judged = await judgeServer(paths, answer, { level: 'robust', args: ['--destructive'] });
    expect(others.filter((each) => !each.toLowerCase().includes('/settings'))).toEqual([]);
    expect(unprovenOf(judged, 'path').some(({ result }) => result.case.operation === 'deletePost')).toBe(true);
  });
});

test.each([
  [[], 'a valid request may change what the run has not created: it needs --destructive'],
  [['--destructive'], 'the server accepts no valid request (400)'],
])('with %j, nothing is proven by a server that refuses everything', async (args, reason) => {
  const paths = `paths:
  /settings:
    put: { operationId: putSettings, requestBody: { required: true, content: { application/json: { schema: { type: object } } } }, responses: { '204': { description: Put. }, '400': { description: No. } } }
`;
  const judged = await judgeServer(paths, () => ({ status: 400 }), { args });
  const ofMethod = resultsOf(judged, 'method').filter(({ case: { expect: expected } }) => expected !== 'answered');
  expect(ofMethod.length).toBeGreaterThan(5);
  expect(unprovenOf(judged, 'method').map((one) => one.reason)).toEqual(ofMethod.map(() => reason));
  expect(unprovenOf(judged, 'path')).toHaveLength(resultsOf(judged, 'path').length);
});

test('an id is found in a reply that names it as a path does', async () => {
  const paths = `paths:
  /silences:
    post:
      operationId: addSilence
      responses: { '200': { description: It., content: { application/json: { schema: { type: object, properties: { silenceID: { type: string } } } } } } }
  /silence/{silenceID}:
    parameters: [{ name: silenceID, in: path, required: true, schema: { type: string } }]
    get: { operationId: getSilence, responses: { '204': { description: It is there. }, '404': { description: None. } } }
    delete: { operationId: removeSilence, responses: { '204': { description: Removed. }, '404': { description: None. } } }
`;
  const ids = new Set<string>();
  const judged = await judgeServer(
    paths,
    (request) => {
      const id = pathOf(request).replace('/silence/', '');
      if (request.method === 'POST') {
        const silenceID = randomUUID();
        ids.add(silenceID);
        return { status: 200, body: { silenceID } };
      }
      const isKnown = request.method === 'DELETE' ? ids.delete(id) : ids.has(id);
      return { status: isKnown ? 204 : 404 };
    },
    { classes: ['positive'] },
  );
  expect([judged.found, judged.unproven]).toEqual([[], []]);
  expect(resultsOf(judged, 'positive', 'removeSilence')[0]?.replies[0]?.status).toBe(204);
});

test('a guessed id that is refused with 400 is unproven, and no finding', async () => {
  const paths = `paths:
  /invites/{token}:
    parameters: [{ name: token, in: path, required: true, schema: { type: string } }]
    get: { operationId: readInvite, responses: { '204': { description: It is valid. }, '400': { description: No. } } }
`;
  const judged = await judgeServer(paths, () => ({ status: 400 }), { classes: ['positive', 'parameter', 'auth'] });
  expect(judged.found).toEqual([]);
  expect(judged.unproven.length).toBeGreaterThan(0);
});

const SEARCH = `paths:
  /stores:
    get:
      operationId: searchStores
      parameters:
        - { name: filter, in: query, schema: { type: string } }
        - { name: open, in: query, schema: { type: boolean } }
        - { name: city, in: query, schema: { type: string, maxLength: 20 } }
      responses: { '200': { description: All., content: { application/json: { schema: { type: array } } } } }
`;

describe('a server that refuses an optional parameter', () => {
  // It checks nothing else.
  const answer = ({ url = '' }: IncomingMessage): Answer => {
    const filter = new URL(url, 'http://a').searchParams.get('filter');
    return filter === null || filter.includes('=') ? { status: 200, body: [] } : { status: 400, body: {} };
  };

  test('is told which one once, and with what to paste, and is tried without it', async () => {
    const judged = await judgeServer(SEARCH, answer);
    expect(findingsOf(judged, 'valid-refused').map(({ text }) => text)).toEqual([
      `GET /stores refuses its optional parameter filter ("mark") with 400; without it, it answers 200. The contract allows this value, and does not declare 400: let it say which values are right, or give one with --fixtures, places: { '#/paths/~1stores/get/parameters/0': [...] }`,
    ]);
    // What it accepts in the other parameters no longer hides behind the refusal.
    const accepted = foundIn(resultsOf(judged, 'parameter'), 'invalid-accepted');
    expect(new Set(accepted.map(({ label }) => label.split(',')[0]))).toEqual(new Set(['query open', 'query city']));
    expect(new Set(unprovenOf(judged, 'parameter').map(({ reason }) => reason))).toEqual(
      new Set(['the server refuses the optional parameter filter with the value that the suite sends']),
    );
  });

  test.each([404, 503])('is tried without it though it refuses with %i, which is no finding', async (status) => {
    const judged = await judgeServer(SEARCH, (request) => {
      const { status: own, body } = answer(request);
      return { status: own === 400 ? status : own, body };
    });
    expect(judged.found).toEqual(['searchStores invalid-accepted']);
    expect(judged.unproven.map(({ reason }) => reason)).toContainEqual(
      expect.stringMatching(
        `refuses its optional parameter filter \\("mark"\\) with ${String(status)}; without it, it answers 200.*--fixtures`,
      ),
    );
  });

  test('gets only the values that a fixture gives for it', async () => {
    const fixtures = parseFixtures(`places: { '#/paths/~1stores/get/parameters/0': ['a=b'] }`);
    const judged = await judgeServer(SEARCH, answer, { fixtures });
    expect(findingsOf(judged, 'valid-refused')).toEqual([]);
    expect(judged.unproven).toEqual([]);
  });
});

test('a rule between properties is reported once, with a body to paste, and the cases get a body that is accepted', async () => {
  const schema =
    '{ type: object, required: [start], properties: { start: { type: integer, minimum: 1 }, end: { type: integer, minimum: 1 }, name: { type: string } } }';
  const paths = `paths:
  /bookings:
    post:
      operationId: addBooking
      requestBody: { required: true, content: { application/json: { schema: ${schema} } } }
      responses: { '201': { description: Added. }, '400': { description: It is wrong. } }
`;
  const answer = (_request: IncomingMessage, text: string): Answer => {
    // It does not look at the name.
    const { start, end = Infinity } = parse(text);
    const isBooking = Number.isInteger(start) && Number(start) >= 1 && (end === Infinity || Number.isInteger(end));
    return { status: isBooking && Number(end) > Number(start) ? 201 : 400 };
  };
  const judged = await judgeServer(paths, answer, { classes: ['negative'] });
  expect(findingsOf(judged, 'valid-refused').map(({ text }) => text)).toEqual([
    `POST /bookings refuses the body {"start":1,"end":1,"name":"mark"} with 400, but accepts {"start":1}. If a rule between properties is the reason, which a contract cannot express, give a body with --fixtures, places: { '#/paths/~1bookings/post/requestBody/content/application~1json': [...] }`,
  ]);
  const accepted = foundIn(resultsOf(judged, 'negative'), 'invalid-accepted');
  // Only without the default end do they show that the name is not looked at.
  expect(accepted.map(({ pointer }) => pointer.split('/').at(-1))).toContain('name');
});

test('the page of an application, without credentials, is not a reply of the operation', async () => {
  const paths = `components: { securitySchemes: { token: { type: http, scheme: bearer } } }
security: [{ token: [] }]
paths:
  /stores:
    get: { operationId: listStores, responses: { '200': { description: All., content: { application/json: { schema: { type: array } } } } } }
`;
  const page = { status: 200, body: '<p>Welcome</p>', type: 'text/html' };
  const answer =
    (encoded: Answer) =>
    (request: IncomingMessage): Answer => {
      if (request.url !== '/stores') return encoded;
      return request.headers.authorization === 'Bearer right' ? { status: 200, body: [] } : { status: 401 };
    };
  const [ofPage, ofList] = await Promise.all(
    [page, { status: 200, body: [] }].map((encoded) => judgeServer(paths, answer(encoded), { classes: ['path'] })),
  );
  const encoded = (judged: Judged | undefined): string[] =>
    judged?.results
      .filter(({ case: one }) => titleOf(one).includes('a letter encoded'))
      .flatMap(({ findings }) => findings.map(({ check }) => check)) ?? [];
  expect([encoded(ofPage), encoded(ofList)]).toEqual([[], ['unauthorized-accepted']]);
  const skipping = await judgeServer(paths, answer(page), { args: ['--skip', 'auth'] });
  expect(skipping.results.filter(({ case: { expect: expected } }) => expected === 'no credentials')).toEqual([]);
});

test('a server may reject a value of a readOnly property with any 4xx', async () => {
  const schema =
    '{ type: object, required: [name], properties: { id: { type: string, readOnly: true }, name: { type: string } } }';
  const paths = `paths:
  /stores:
    post:
      operationId: addStore
      requestBody: { required: true, content: { application/json: { schema: ${schema} } } }
      responses: { '201': { description: It., content: { application/json: { schema: ${schema} } } }, '400': { description: No. } }
  /stores/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: readStore, responses: { '200': { description: It., content: { application/json: { schema: ${schema} } } }, '404': { description: None. } } }
`;
  const stores = new Map<string, object>();
  const judged = await judgeServer(
    paths,
    (request, text) => {
      if (request.method === 'GET') {
        const store = stores.get(decodeURIComponent(pathOf(request).replace('/stores/', '')));
        return store ? { status: 200, body: store } : { status: 404 };
      }
      const store = JSON.parse(text) as object;
      if ('id' in store) return { status: 400 };
      const id = randomUUID();
      stores.set(id, { ...store, id });
      return { status: 201, body: { ...store, id } };
    },
    { classes: ['positive', 'stateful'], level: 'robust' },
  );
  expect(resultsOf(judged, 'stateful').some(({ case: { label } }) => label.includes('id, which is readOnly'))).toBe(
    true,
  );
  expect(judged.found.filter((name) => name.includes('valid-refused'))).toEqual([]);
});

test('a server that counts UTF-16 units for maxLength is found, though it refuses with a status of its own', async () => {
  const schema = '{ type: object, required: [name], properties: { name: { type: string, maxLength: 5 } } }';
  const paths = `paths:
  /stores:
    post:
      operationId: addStore
      requestBody: { required: true, content: { application/json: { schema: ${schema} } } }
      responses: { '201': { description: Added. }, '400': { description: No. }, '422': { description: It breaks a rule. } }
`;
  const answer = (_request: IncomingMessage, text: string): Answer => {
    const { name } = parse(text);
    return { status: typeof name !== 'string' ? 400 : name.length > 5 ? 422 : 201 };
  };
  const judged = await judgeServer(paths, answer, { classes: ['positive', 'negative'] });
  const texts = judged.results.flatMap(({ findings }) => findings.map(({ text }) => text));
  expect(texts).toEqual(['the server counts UTF-16 units or bytes and not characters: it accepts as many in ASCII']);
});

test('a server that uses another default than the contract declares is found: in a list, and in what it has created', async () => {
  const schema = '{ type: object, properties: { name: { type: string }, size: { type: integer, default: 3 } } }';
  const paths = `paths:
  /stores:
    get:
      operationId: listStores
      parameters: [{ name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 9, default: 2 } }]
      responses: { '200': { description: Some., content: { application/json: { schema: { type: array, items: { type: integer } } } } } }
    post:
      operationId: addStore
      requestBody: { required: true, content: { application/json: { schema: ${schema} } } }
      responses: { '201': { description: It., content: { application/json: { schema: ${schema} } } }, '400': { description: No. } }
`;
  const answerWith =
    (limit: number, size: number) =>
    ({ method, url = '' }: IncomingMessage, text: string): Answer => {
      const sent = new URL(url, 'http://a').searchParams.get('limit') ?? String(limit);
      if (method === 'GET')
        return { status: /^[1-9]$/.test(sent) ? 200 : 400, body: [1, 2, 3, 4, 5].slice(0, Number(sent)) };
      return text.startsWith('{') ? { status: 201, body: { size, ...(JSON.parse(text) as object) } } : { status: 400 };
    };
  const judge = async (limit: number, size: number): Promise<readonly string[]> => {
    const judged = await judgeServer(paths, answerWith(limit, size), {
      classes: ['positive', 'stateful'],
      level: 'robust',
    });
    return judged.found.filter((name) => name.includes('default'));
  };
  await expect(judge(2, 3)).resolves.toEqual([]);
  await expect(judge(5, 4)).resolves.toEqual(['addStore default-not-applied', 'listStores default-not-applied']);
});

test('what a limited method answers on the path of another operation does not limit that operation', async () => {
  const paths = `paths:
  /stores:
    get: { operationId: listStores, responses: { '200': { description: All. } } }
`;
  const judged = await judgeServer(
    paths,
    ({ method }) => (method === 'GET' ? { status: 200 } : { status: 429, retryAfter: '0' }),
    { classes: ['method', 'path'], retries: 1 },
  );
  expect(unprovenOf(judged, 'path')).toEqual([]);
  const reasons = unprovenOf(judged, 'method').map(({ reason }) => reason);
  expect(reasons).toContain('the server kept answering 429 to POST: try a lower --rate');
  expect(reasons.filter((reason) => reason.includes('429 to GET'))).toEqual([]);
});

test('a refusal beside which no valid request was sent is said to have none', async () => {
  const paths = `paths:
  /stores:
    get:
      operationId: listStores
      responses: { '200': { description: All., content: { application/json: { schema: { type: array, items: ${STORE} } } } } }
  /stores/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string }, example: main }]
    put:
      operationId: putStore
      requestBody: { required: true, content: { application/json: { schema: ${STORE} } } }
      responses: { '200': { description: Put. }, '400': { description: No. } }
`;
  const judged = await judgeServer(
    paths,
    ({ method }) => (method === 'GET' ? { status: 200, body: [] } : { status: 400 }),
    { classes: ['negative'] },
  );
  expect(new Set(unprovenOf(judged, 'negative').map(({ reason }) => reason))).toEqual(
    new Set(['no valid request was sent, or none had a reply']),
  );
});

describe('a list that others fill, whose size has no declared default', () => {
  const ITEM = '{ type: object, required: [id], properties: { id: { type: integer } } }';
  const parameterOf = (name: string): string =>
    `{ name: ${name}, in: query, schema: { type: integer, minimum: 1, maximum: 100 } }`;
  const paths = `paths:
  /items:
    get:
      operationId: listItems
      parameters: [${parameterOf('page')}, ${parameterOf('limit')}]
      responses: { '200': { description: Some., content: { application/json: { schema: { type: array, items: ${ITEM} } } } }, '400': { description: No. } }
  /items/{id}:
    get:
      operationId: readItem
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '200': { description: It. }, '404': { description: None. } }
`;
  const judge = async (isLastLost: boolean): Promise<readonly string[]> => {
    const all = Array.from({ length: 45 }, (_unused, index) => ({ id: index + 1 }));
    const judged = await judgeServer(
      paths,
      ({ url = '' }) => {
        const query = new URL(url, 'http://a').searchParams;
        if (!query.has('page') && !query.has('limit')) return { status: 200, body: all };
        const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 10)];
        const items = all.slice((page - 1) * limit, page * limit);
        return { status: 200, body: isLastLost && items.length < limit ? items.slice(1) : items };
      },
      { classes: ['stateful'], level: 'robust' },
    );
    return judged.found.filter((name) => name.includes('pagination'));
  };

  test('may answer all of it where it is not asked for pages', async () => {
    await expect(judge(false)).resolves.toEqual([]);
  });

  test('is compared in pages of the sizes that are asked for', async () => {
    await expect(judge(true)).resolves.toEqual(['listItems pagination-missing']);
  });
});

test('of the pages of a list, the one that shows a fault is reported', async () => {
  const parameterOf = (name: string, schema: string): string => `{ name: ${name}, in: query, schema: { ${schema} } }`;
  const ITEM = '{ type: object, properties: { id: { type: integer }, kind: { enum: [a, b] } } }';
  const COUNT = 'type: integer, minimum: 0, maximum: 100';
  const parameters = [parameterOf('kind', 'enum: [a, b]'), parameterOf('offset', COUNT), parameterOf('limit', COUNT)];
  const paths = `paths:
  /items:
    get:
      operationId: listItems
      parameters: [${parameters.join()}]
      responses: { '200': { description: Some., content: { application/json: { schema: { type: array, items: ${ITEM} } } } }, '400': { description: No. } }
  /items/{id}:
    get: { operationId: readItem, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { '200': { description: It. } } }
`;
  const all = Array.from('aabbbaa', (kind, index) => ({ id: index + 1, kind }));
  const { results } = await judgeServer(
    paths,
    ({ url = '' }) => {
      const query = new URL(url, 'http://a').searchParams;
      const start = Number(query.get('offset') ?? 0);
      const size = query.get('limit') === '1' && start === 2 ? 2 : Number(query.get('limit') ?? 2);
      return { status: 200, body: all.slice(start, start + size) };
    },
    { classes: ['stateful'], level: 'robust' },
  );
  const shownFor = (check: CheckName): string[] =>
    results.flatMap(({ findings, replies, case: { request } }) =>
      findings.some((finding) => finding.check === check) ? [`${request.target} ${String(replies[0]?.body)}`] : [],
    );
  expect(shownFor('filter-ignored')).toEqual([
    '/items?kind=a&offset=2 [{"id":3,"kind":"b"},{"id":4,"kind":"b"}]',
    '/items?kind=b [{"id":1,"kind":"a"},{"id":2,"kind":"a"}]',
  ]);
  expect(shownFor('pagination-limit')).toEqual(['/items?offset=2&limit=1 [{"id":3,"kind":"b"},{"id":4,"kind":"b"}]']);
});
