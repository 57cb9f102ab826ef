import request from 'supertest';
import { createCatalogueRenderer } from '../../src/errors/create-renderer';
import { notBuilt } from '../../src/pipeline/handler';
import { renderDeclared } from '../../src/pipeline/declared-refusal';
import type { Operation } from '../../src/contract/operation/operation';
import { REFUSALS, Refusal, toFaultRefusal, toRefusal, type RefusalKind } from '../../src/errors/refusal';
import type { Render } from '../../src/errors/render';
import { FIXTURE_ERRORS, renderFixture } from '../../../../tests/support/fixture-errors';
import { loadText } from '../../../../tests/support/load-text';
import { serveText } from '../../../../tests/support/serve-text';
import { startThings } from '../../../../tests/support/start-things';

// Another team's error format: a list of texts under 422, and a media type of its own.
const TYPE = 'application/vnd.articles+json';
const WRONG = `{ description: Wrong., content: { ${TYPE}: { schema: { $ref: '#/components/schemas/Problems' } } } }`;
const PROBLEMS = `openapi: 3.0.3
info: { title: Articles, version: 1.0.0 }
paths:
  /articles:
    post:
      operationId: writeArticle
      security: []
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Article' } } } }
      responses: { '201': { description: Written. }, '422': &wrong { $ref: '#/components/responses/Wrong' }, '500': *wrong, '503': *wrong }
components:
  responses: { Wrong: ${WRONG} }
  schemas:
    Article: { type: object, required: [title], properties: { title: { type: string } } }
    Problems: { type: object, required: [errors], properties: { errors: { type: object, properties: { body: { type: array, items: { type: string } } } } } }
`;

const renderProblems: Render = ({ kind, message }) => ({
  status: REFUSALS[kind].status < 500 ? 422 : REFUSALS[kind].status,
  type: TYPE,
  body: { errors: { body: [message] } },
});

const HANDLERS = { writeArticle: (_request: never, reply: (status: number) => never) => reply(201) };

describe('a renderer of a team', () => {
  test('its status, media type and shape reach the client, for operations and unknown paths', async () => {
    await using served = await serveText(PROBLEMS, HANDLERS as never, {}, { render: renderProblems });
    const wrong = await request(served.server).post('/articles').send({}).expect(422);
    expect(wrong.headers['content-type']).toBe(TYPE);
    expect(JSON.parse(wrong.text)).toEqual({ errors: { body: ["request/body must have required property 'title'"] } });
    const unknown = await request(served.server).get('/nothing').expect(422);
    expect(JSON.parse(unknown.text)).toEqual({ errors: { body: [REFUSALS.UNKNOWN_PATH.meaning] } });
    await request(served.server).post('/articles').send({ title: 'a' }).expect(201);
  });

  test('one that the contract does not declare stops the start', async () => {
    const render: Render = (...args) => ({ ...renderProblems(...args), type: 'application/json' });
    await expect(serveText(PROBLEMS, HANDLERS as never, {}, { render })).rejects.toThrow(
      '#/components/responses/Wrong the kit refuses with 422, 500, 503 here, as application/json: the media type is not declared: let renderError make what is declared',
    );
  });

  test('two contracts are served in one process, each with its own', async () => {
    await using served = await serveText(PROBLEMS, HANDLERS as never, {}, { render: renderProblems });
    await using things = await startThings();
    await request(served.server).get('/nothing').expect(422);
    const other = await request(things.server).get('/nothing').expect(404);
    expect(other.body).toMatchObject({ error: 40400 });
  });
});

describe('the catalogue', () => {
  const operation = (...statuses: number[]): Operation =>
    ({ replies: new Map(statuses.map((status) => [status, {}])) }) as unknown as Operation;

  test('without a row that the kit needs there is no start', () => {
    expect(() => createCatalogueRenderer({})).toThrow('the error catalogue lacks MALFORMED_REQUEST, ');
  });

  test('an operation that is not built is 501 where both know it, else 503', () => {
    const withRow = createCatalogueRenderer({ ...FIXTURE_ERRORS, LATER: { number: 50100, status: 501, meaning: '' } });
    const refusal = new Refusal('NOT_BUILT');
    expect(withRow(refusal, operation(501))).toMatchObject({ status: 501, body: { error: 50100 } });
    expect(withRow(refusal, operation(503))).toMatchObject({ status: 503, body: { error: 50300 } });
    expect(renderFixture(refusal, operation(501))).toMatchObject({ status: 503, body: { error: 50300 } });
    expect(renderFixture(refusal, undefined)).toMatchObject({ status: 503 });
  });

  test('a refusal that has no row is a request that fails', () => {
    expect(renderFixture(new Refusal('FORBIDDEN'), undefined)).toMatchObject({ status: 400, body: { error: 40000 } });
  });
});

test.each<[string, unknown, RefusalKind, string?]>([
  ['an error with the status of a request', Object.assign(new Error('secret'), { status: 413 }), 'BODY_TOO_LARGE'],
  [
    'one with a status that has no kind',
    Object.assign(new Error('secret'), { status: 418 }),
    'MALFORMED_REQUEST',
    'The server refuses the request.',
  ],
  ['one of broken JSON', Object.assign(new SyntaxError('secret'), { status: 400, body: '{' }), 'MALFORMED_JSON'],
  ['one with the status of a failure', Object.assign(new Error('secret'), { status: 502 }), 'INTERNAL_ERROR'],
  ['any other error', new Error('secret'), 'INTERNAL_ERROR'],
  ['what is no error', 'secret', 'INTERNAL_ERROR'],
])('middleware throws %s', (_, cause, kind, message = REFUSALS[kind].meaning) => {
  const refusal = toRefusal(cause);
  expect(refusal).toMatchObject({ kind, cause, message });
});

test('where not all wrong fields fit into the declared body, the first one is told, or at last none', () => {
  const [operation] = loadText(PROBLEMS).operations;
  if (!operation) throw new Error('the contract has an operation');
  const faults = ['a', 'b'].map((name) => ({ pointer: name, place: name, rule: 'type', message: `${name} is wrong` }));
  const tell = (length: number): unknown => {
    const checkReply = ({ body }: { readonly body: unknown }): never => {
      if (JSON.stringify(body).length > length) throw new Error('too long');
      return undefined as never;
    };
    return renderDeclared(toFaultRefusal(faults), operation, { checkReply }, renderProblems).body;
  };
  const toBody = (text: string): unknown => ({ errors: { body: [text] } });
  expect([1000, 40, 1].map(tell)).toEqual(
    ['a is wrong, b is wrong', 'a is wrong', REFUSALS.INVALID_PARAMETER.meaning].map(toBody),
  );
});

test('an operation that is not written yet says so, and is refused', () => {
  const refusal = { kind: 'NOT_BUILT', message: 'createPlant is not built yet' };
  expect(() => notBuilt('createPlant')).toThrow(Refusal);
  expect(() => notBuilt('createPlant')).toThrow(expect.objectContaining(refusal) as Error);
});
