import { createServer } from 'node:http';
import express, { type Express } from 'express';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { createSuite, runSuite, type CaseResult } from '../src';
import { judge } from '../src/oracle/judge';

const ID = '{ type: string, format: uuid }';
const CONTRACT = `openapi: 3.1.0
info: { title: Courses, version: 1.0.0 }
paths:
  /courses:
    post:
      operationId: addCourse
      responses:
        '201': { description: Added., content: { application/json: { schema: { $ref: '#/components/schemas/Course' } } } }
  /courses/{courseId}/close:
    parameters: [{ name: courseId, in: path, required: true, schema: ${ID} }]
    post: { operationId: closeCourse, responses: { '204': { description: Closed. }, '404': { description: None. } } }
  /courses/{courseId}/open:
    parameters: [{ name: courseId, in: path, required: true, schema: ${ID} }]
    post: { operationId: openCourse, responses: { '204': { description: Open. }, '404': { description: None. } } }
  /invoices:
    parameters: [{ name: X-School, in: header, required: true, schema: { type: string }, example: north }]
    post:
      operationId: addInvoice
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Invoice' } } } }
      responses:
        '201': { description: Added. }
        '422': { description: The school, the currency or a course is unknown. }
  /courses/{courseId}/poster:
    parameters: [{ name: courseId, in: path, required: true, schema: ${ID} }]
    put:
      operationId: putPoster
      requestBody: { required: true, content: { application/octet-stream: {} } }
      responses: { '204': { description: Kept. }, '404': { description: None. } }
    get:
      operationId: readPoster
      responses: { '200': { description: The poster., content: { 'image/*': {} } }, '404': { description: None. } }
  /courses/{courseId}/places:
    parameters: [{ name: courseId, in: path, required: true, schema: ${ID} }]
    post:
      operationId: takePlace
      responses:
        '201': { description: Taken., content: { application/json: { schema: { $ref: '#/components/schemas/Course' } } } }
        '404': { description: None. }
        '409': { description: It is full. }
  /courses/{courseId}/places/{placeId}:
    parameters:
      - { name: courseId, in: path, required: true, schema: ${ID} }
      - { name: placeId, in: path, required: true, schema: ${ID} }
    put:
      operationId: changePlace
      requestBody: { content: { application/json: { schema: { type: object, properties: { note: { type: string } } } } } }
      responses: { '204': { description: Changed. }, '404': { description: None. } }
    get:
      operationId: readPlace
      responses:
        '200': { description: The place., content: { application/json: { schema: { $ref: '#/components/schemas/Course' } } } }
        '404': { description: None. }
components:
  schemas:
    Course: { type: object, required: [id], properties: { id: ${ID} } }
    Invoice:
      type: object
      required: [currency, lines]
      properties:
        currency: { type: string, example: EUR }
        main_course_id: ${ID}
        lines:
          type: array
          minItems: 1
          items: { type: object, required: [courseIds], properties: { courseIds: { type: array, items: ${ID} } } }
`;

interface Invoice {
  readonly currency: string;
  readonly main_course_id?: string;
  readonly lines: readonly { readonly courseIds: readonly string[] }[];
}

/** Courses with one place each, which must be open, and a poster that somebody has to put there; and invoices for them. */
function createCourses(): Express {
  const open = new Set<string>();
  const places = new Map<string, string | undefined>();
  const posters = new Set<string>();
  const app = express().disable('x-powered-by').disable('etag');
  app.post('/courses', (_req, res) => {
    const id = crypto.randomUUID();
    places.set(id, undefined);
    res.status(201).type('application/json').end(JSON.stringify({ id }));
  });
  app.param('course', (_req, res, next, course: string) => {
    if (places.has(course)) next();
    else res.status(404).end();
  });
  app.post('/courses/:course/close', ({ params }, res) => {
    open.delete(params.course);
    res.status(204).end();
  });
  app.post('/courses/:course/open', ({ params }, res) => {
    open.add(params.course);
    res.status(204).end();
  });
  app.post('/invoices', express.json(), (req, res) => {
    const { currency, main_course_id: main, lines } = req.body as Invoice;
    const ids = [...(main === undefined ? [] : [main]), ...lines.flatMap(({ courseIds }) => courseIds)];
    const isKnown = req.get('X-School') === 'north' && currency === 'EUR' && ids.every((id) => places.has(id));
    res.status(isKnown ? 201 : 422).end();
  });
  app.put('/courses/:course/poster', ({ params }, res) => {
    posters.add(params.course);
    res.status(204).end();
  });
  app.get('/courses/:course/poster', ({ params }, res) => {
    if (posters.has(params.course)) res.setHeader('Content-Type', 'image/png').end(Buffer.from('a poster'));
    else res.status(404).end();
  });
  app.post('/courses/:course/places', ({ params: { course } }, res) => {
    if (places.get(course) !== undefined || !open.has(course)) return void res.status(409).end();
    const id = crypto.randomUUID();
    places.set(course, id);
    res.status(201).type('application/json').end(JSON.stringify({ id }));
  });
  app.put('/courses/:course/places/:place', ({ params: { course, place } }, res) => {
    res.status(places.get(course) === place ? 204 : 404).end();
  });
  app.get('/courses/:course/places/:place', ({ params: { course, place } }, res) => {
    if (places.get(course) === place) res.type('application/json').end(JSON.stringify({ id: place }));
    else res.status(404).end();
  });
  return app;
}

const suite = createSuite(CONTRACT, { marker: 'abc', level: 'robust' });
const results: CaseResult[] = [];
beforeAll(async () => {
  await using server = await listenOnLoopback(createServer(createCourses()));
  const target = { base: server.base, secrets: {}, timeout: 60_000 };
  const classes = ['positive', 'control', 'stateful'];
  const isWanted = ({ class: name }: { readonly class: string }): boolean => classes.includes(name);
  for await (const one of runSuite(suite, target, { isWanted })) results.push(one);
});

test('what a PUT makes below a thing is put before it is read', () => {
  const reads = results.filter(({ case: one }) => one.operation === 'readPoster' && one.class === 'positive');
  expect(new Set(reads.flatMap(({ replies }) => replies.map(({ status }) => status)))).toEqual(new Set([200]));
});

test('where nothing more can be made, another one is made in a place of its own', () => {
  const changes = results.filter(({ case: one }) => one.operation === 'changePlace');
  const changed = changes.filter(({ replies }) => replies.some(({ status }) => status === 204));
  // Each change is of a place of its own.
  expect(new Set(changed.map(({ case: one }) => one.request.target)).size).toBeGreaterThan(1);
});

test('a valid body has the ids of what it refers to, at all depths, and values that the contract shows', () => {
  const sent = results.filter(({ case: one }) => one.operation === 'addInvoice');
  const added = sent.filter(({ replies }) => replies.some(({ status }) => status === 201));
  expect(added.map(({ case: one }) => one.label)).toEqual(
    expect.arrayContaining(['every property', 'no optional property']),
  );
});

test.each([
  ['image/png', undefined],
  ['text/html', 'Content-Type is text/html, but should be image/*'],
])('where image/* is declared, what is wrong with %s is: %s', (type, text) => {
  const poster = results.find(({ case: one }) => one.operation === 'readPoster' && one.expect === 'accepted');
  if (!poster) throw new Error('no poster is read');
  const reply = { status: 200, headers: [['content-type', type]] as [string, string][], body: Buffer.from('a poster') };
  const texts = judge({ ...suite.oracleFor({}), level: 'robust' }, poster.case, reply).map((finding) => finding.text);
  expect(texts.find((each) => each.includes('Content-Type'))).toBe(text);
});
