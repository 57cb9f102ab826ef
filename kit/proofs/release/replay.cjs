// Replays requests on an Express application without the kit, and at each step of docs/from-express-openapi-validator.md:
// what differs is what that page says. run.ts runs it in an application that has installed the kit.
const { createHash } = require('node:crypto');
const { once } = require('node:events');
const { readFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { connect } = require('node:net');
const { text } = require('node:stream/consumers');
const express = require('express');
const OpenApiValidator = require('express-openapi-validator');
const { createRenderer, keepRawBody, loadContract, serveContract } = require('@contract-kit/server');

const CONTRACT = 'openapi.yaml';
const OPERATIONS = ['listBooks', 'addBook', 'getBook', 'removeBook'];
const [LIST, ADD, GET, REMOVE] = OPERATIONS;
const STEPS = ['watch', 'requests', 'report', 'strip', 'enforce'];
const ISBN = '9780140449136';
// Its shelf is not in the contract.
const ODYSSEY = { isbn: ISBN, title: 'The Odyssey', shelf: 'A' };
const ILIAD = '{"isbn":"9780140275360","title":"The Iliad"}';

/** What the routes do, and the handlers: the status and body of a reply. */
const WORK = {
  [LIST]: () => [200, [ODYSSEY]],
  [ADD]: (_isbn, body) => (body.isbn === ISBN ? [409, { error: 1, message: 'known' }] : [201, body]),
  [GET]: (isbn) => (isbn === ISBN ? [200, ODYSSEY] : [404, { error: 2, message: 'none' }]),
  [REMOVE]: (isbn) => (isbn === ISBN ? [204] : [404, { error: 2, message: 'none' }]),
};

const BOOK = `/books/${ISBN}`;
const NONE = '/books/0000000000000';
const KEY = { 'X-Desk-Key': 'k' };
const BEARER = { Authorization: 'Bearer a-token' };
const WRONG = { 'X-Desk-Key': 'wrong' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const ADDING = { ...KEY, ...JSON_TYPE };

/**
 * The requests: the operations that all have to be taken before the reply may change, the status at each step, the method, the
 * target, headers, and a body.
 */
const REQUESTS = [
  [[LIST], '200 200 200 200 500', 'GET', '/books'],
  [[LIST], '200 200 200 200 500', 'GET', '/books?limit=2'],
  [[LIST], '200 200 200 200 500', 'HEAD', '/books'],
  [[LIST], '200 200 200 200 500', 'GET', '/books', { 'X-Other': 'a' }],
  [[LIST], '200 200 200 200 500', 'GET', '/books', { Origin: 'https://a.example' }],
  [[LIST], '304 304 200 200 500', 'GET', '/books', { 'If-None-Match': '*' }],
  [[LIST], '400 400 400 400 400', 'GET', '/books?limit=51'],
  [[LIST], '400 400 400 400 400', 'GET', '/books?limit=x'],
  [[LIST], '400 400 400 400 400', 'GET', '/books?more=1'],
  [[LIST], '400 400 400 400 400', 'GET', '/books?limit=1&limit=2'],
  [[LIST], '200 404 404 404 404', 'GET', '/books/'],
  [[LIST], '200 404 404 404 404', 'GET', '/Books'],
  [[LIST], '400 404 404 404 404', 'GET', '/BOOKS/?limit=51'],
  [[LIST], '200 404 404 404 404', 'HEAD', '/Books/'],
  [[ADD], '201 201 201 201 201', 'POST', '/books', ADDING, ILIAD],
  [[ADD], '201 201 201 201 201', 'POST', '/books', { ...BEARER, ...JSON_TYPE }, ILIAD],
  [[ADD], '409 409 409 409 409', 'POST', '/books', ADDING, JSON.stringify({ isbn: ISBN, title: 'a' })],
  [[ADD], '401 401 401 401 401', 'POST', '/books', JSON_TYPE, ILIAD],
  [[ADD], '201 401 401 401 401', 'POST', '/books', { ...WRONG, ...JSON_TYPE }, ILIAD],
  [[ADD], '401 401 401 401 401', 'POST', '/books', JSON_TYPE, '{}'],
  [[ADD], '400 400 400 400 400', 'POST', '/books', ADDING, '{}'],
  [[ADD], '400 400 400 400 400', 'POST', '/books', ADDING, '{"isbn":"1","title":"a"}'],
  [[ADD], '400 400 400 400 400', 'POST', '/books', ADDING, '{"isbn":"9780140275360","title":""}'],
  [[ADD], '400 400 400 400 400', 'POST', '/books', ADDING, '{"isbn":"9780140275360","title":"a","copies":-1}'],
  [[ADD], '201 201 201 201 201', 'POST', '/books', ADDING, '{"isbn":"9780140275360","title":"a","more":1}'],
  [[ADD], '201 201 201 201 201', 'POST', '/books', ADDING, '{"isbn":"9780140275360","title":"a","copies":2}'],
  [[], '400 400 400 400 400', 'POST', '/books', ADDING, '{'],
  [[], '400 400 400 400 400', 'POST', '/books', JSON_TYPE, '{'],
  [[ADD], '415 415 415 415 415', 'POST', '/books', { ...KEY, 'Content-Type': 'text/plain' }, 'a'],
  [[ADD], '415 415 415 415 415', 'POST', '/books', KEY, 'a'],
  [[ADD], '400 400 400 400 400', 'POST', '/books', ADDING],
  [[ADD], '201 404 404 404 404', 'POST', '/Books/', ADDING, ILIAD],
  [[GET], '200 200 200 200 500', 'GET', BOOK],
  [[GET], '200 200 200 200 500', 'HEAD', BOOK],
  [[GET], '404 404 404 404 404', 'GET', NONE],
  [[GET], '404 404 404 404 404', 'HEAD', NONE],
  [[GET], '400 400 400 400 400', 'GET', '/books/1'],
  [[GET], '400 400 400 400 400', 'GET', `${BOOK}?more=1`],
  [[GET], '400 400 400 400 400', 'GET', '/books/%3978014044913x'],
  [[GET], '200 404 404 404 404', 'GET', `/Books/${ISBN}/`],
  [[REMOVE], '204 204 204 204 204', 'DELETE', BOOK, BEARER],
  [[REMOVE], '404 404 404 404 404', 'DELETE', NONE, BEARER],
  [[REMOVE], '401 401 401 401 401', 'DELETE', BOOK],
  [[REMOVE], '401 401 401 401 401', 'DELETE', BOOK, KEY],
  [[REMOVE], '400 400 400 400 400', 'DELETE', '/books/1', BEARER],
  [[REMOVE], '204 404 404 404 404', 'DELETE', `/BOOKS/${ISBN}`, BEARER],
  [[LIST], '404 405 405 405 405', 'PATCH', '/books'],
  [[GET], '404 405 405 405 405', 'PUT', BOOK],
  [OPERATIONS, '200 200 404 404 404', 'GET', '/health'],
  [OPERATIONS, '404 404 404 404 404', 'GET', '/other'],
];

/** What the page says of a reply of the kit: these headers come, or change with the body, or go. */
const HEADERS = [
  ...['allow', 'accept', 'cache-control', 'content-length', 'content-type', 'etag', 'www-authenticate'],
  'x-content-type-options',
];

function createRoutes() {
  const answer = (name) => (req, res) => {
    const [status, body] = WORK[name](req.params.isbn, req.body);
    res.status(status);
    if (body) res.json(body);
    else res.end();
  };
  const handlers = { librarian: () => true, deskKey: () => true };
  return [
    ...OpenApiValidator.middleware({ apiSpec: CONTRACT, validateSecurity: { handlers }, ignoreUndocumented: true }),
    express
      .Router()
      .get('/health', (_req, res) => void res.send('well'))
      .get('/books', answer(LIST))
      .post('/books', answer(ADD))
      .get('/books/:isbn', answer(GET))
      .delete('/books/:isbn', answer(REMOVE)),
    (_req, res) => void res.status(404).json({ error: 0, message: 'nothing is here' }),
    (error, _req, res, _next) => void res.status(error.status ?? 500).json({ error: 0, message: error.message }),
  ];
}

/** @param stepOf the step of an operation, by its name */
function createKit(stepOf) {
  const contract = loadContract(CONTRACT, createHash('sha256').update(readFileSync(CONTRACT)).digest('hex'));
  const toHandler = (work) => (request, reply) => reply(...work(request.path.isbn, request.body));
  const verify = (key) => (key === 'wrong' ? undefined : {});
  return serveContract({
    contract,
    validator: OpenApiValidator,
    handlers: Object.fromEntries(OPERATIONS.map((name) => [name, toHandler(WORK[name])])),
    verifiers: { librarian: verify, deskKey: verify },
    render: createRenderer({ contract, renderError: ({ status, message }) => ({ error: status, message }) }),
    operationRules: Object.fromEntries(OPERATIONS.map((name) => [name, { mode: STEPS[stepOf(name)] }])),
    report: () => undefined,
    log: { warn: () => undefined, error: console.error },
  });
}

/** The replies of the application, byte by byte but for Date and X-Request-Id. @param kit undefined for none */
async function replay(kit) {
  const app = express().use(express.json({ verify: keepRawBody }), ...(kit ? [kit] : []), ...createRoutes());
  const server = createServer(app);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const replies = [];
  for (const [, , method, target, headers = {}, body] of REQUESTS) {
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const lines = Object.entries({ Host: 'a', Connection: 'close', ...headers, ...length }).map((pair) =>
      pair.join(': '),
    );
    const socket = connect(server.address().port, '127.0.0.1');
    socket.write([`${method} ${target} HTTP/1.1`, ...lines, '', body ?? ''].join('\r\n'));
    replies.push((await text(socket)).replace(/^(?:Date|X-Request-Id): .*\r\n/gim, ''));
  }
  server.close();
  return replies;
}

function parse(reply) {
  const [head, body] = reply.split('\r\n\r\n', 2);
  const [line, ...headers] = head.split('\r\n');
  return { status: line.split(' ')[1], body, headers: new Map(headers.map((one) => one.toLowerCase().split(': ', 2))) };
}

async function main() {
  const before = await replay();
  const services = [
    ...STEPS.map((mode, step) => [mode, () => step]),
    ...OPERATIONS.map((last, index) => [`enforce up to ${last}`, (name) => (OPERATIONS.indexOf(name) > index ? 0 : 4)]),
  ];
  for (const [label, stepOf] of services) {
    const after = await replay(await createKit(stepOf));
    const faults = REQUESTS.flatMap(([operations, statuses, method, target], index) => {
      const [old, now] = [before[index], after[index]].map(parse);
      const step = Math.min(...operations.map(stepOf));
      const changed = [...new Set([...old.headers.keys(), ...now.headers.keys()])].filter(
        (name) => old.headers.get(name) !== now.headers.get(name),
      );
      const isAsBefore = operations.length === 0 || step === 0;
      const isRight = isAsBefore
        ? before[index] === after[index]
        : now.status === statuses.split(' ')[step] && changed.every((name) => HEADERS.includes(name));
      return isRight ? [] : [`${method} ${target}: ${old.status} became ${now.status} (${changed}), ${now.body}`];
    });
    const count = after.filter((reply, index) => reply !== before[index]).length;
    console.log(`${label}: ${count} of ${REQUESTS.length} differ`);
    if (faults.length > 0) throw new Error(`not as the page says:\n${faults.join('\n')}`);
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
