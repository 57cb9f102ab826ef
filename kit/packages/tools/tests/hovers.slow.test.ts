import { useFolder } from '@contract-kit/test-support/use-folder';
import { makeTypedProject, type TypedProject } from './make-project';

const CONTRACT = `openapi: 3.1.0
info: { title: Books, version: 1.0.0 }
paths:
  /books:
    get:
      operationId: listBooks
      parameters: [{ name: limit, in: query, schema: { type: integer, default: 20 } }, { name: after, in: query, schema: { type: string } }]
      responses: { '200': { $ref: '#/components/responses/Books' }, default: { $ref: '#/components/responses/Failed' } }
    post:
      operationId: createBook
      security: [{ librarian: [] }, { reader: [] }]
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }
      responses:
        '201': { description: Kept., headers: { Location: { schema: { type: string } } }, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }
        '204': { description: It was there. }
        '400': { $ref: '#/components/responses/Failed' }
components:
  securitySchemes: { librarian: { type: http, scheme: bearer }, reader: { type: apiKey, in: header, name: X-Key } }
  responses:
    Books: { description: Books., content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Book' } } } } }
    Failed: { description: No., content: { application/json: { schema: { $ref: '#/components/schemas/Problem' } } } }
  schemas:
    Book: { type: object, required: [id, title], properties: { id: { type: integer, format: int64, readOnly: true }, title: { type: string }, pages: { type: integer } } }
    Problem: { type: object, required: [code], properties: { code: { type: integer }, text: { type: string } } }
`;

const SOURCE = `import type { Handler } from './generated/handlers';
export const listBooks: Handler<'listBooks'> = ({ query, path, identity }, reply) => {
  const { limit, after } = query;
  return reply(200, [{ id: BigInt(limit), title: after ?? '' }]);
};
export const createBook: Handler<'createBook'> = ({ body, identity: caller }, reply /* of createBook */) => {
  if (body.pages === 0) return reply(400, { code: 1 });
  return body.pages === 1 ? reply(204) : reply(201, { id: 1n, title: body.title });
};
`;

// What an editor shows at the first place of a text.
const HOVERS: readonly (readonly [text: string, hover: string])[] = [
  ['query, path', '(parameter) query: Readonly<{ limit: number; after?: string; }>'],
  ['reply) =>', '(parameter) reply: ReplyFunction<{ 200: Book[]; default: Problem; }, {}>'],
  [
    'reply(400',
    '(parameter) reply: <400, { code: number; }>(status: 400, body: { code: number; }, headers?: NoHeaders | undefined) => Reply<400, Problem>',
  ],
  ['createBook:', 'const createBook: Handler<"createBook">'],
  ['body, identity', '(parameter) body: Book$Request'],
  ['caller }', '(parameter) caller: Readonly<Record<"librarian", Identity>> | Readonly<Record<"reader", Identity>>'],
  [
    'reply /*',
    '(parameter) reply: ReplyFunction<{ 201: Book; 204: undefined; 400: Problem; }, { 201: { Location?: string; }; }>',
  ],
  [
    'reply(204',
    '(parameter) reply: <204, undefined>(status: 204, body?: undefined, headers?: NoHeaders | undefined) => Reply<204, undefined>',
  ],
];

// What the compiler says in the end.
const MISTAKES: readonly (readonly [call: string, message: string])[] = [
  ['reply(404, { code: 1 })', "Argument of type '404' is not assignable to parameter of type '201 | 204 | 400'."],
  ["reply(201, { id: 1n, title: '', shelf: 1 })", `Type 'number' is not assignable to type '${undeclared('shelf')}'.`],
  ['reply(201, shelved)', `Type 'number' is not assignable to type '${undeclared('shelf')}'.`],
  ['reply(400, { kode: 1 })', notKnown("'kode'", '{ code: number; text?: string; }')],
  [
    'reply(201, { id: 1n })',
    "Property 'title' is missing in type '{ id: bigint; }' but required in type '{ id: bigint; title: string; pages?: number; }'.",
  ],
  ["reply(201, { id: 1, title: '' })", "Type 'number' is not assignable to type 'bigint'."],
  ["reply(400, { code: 1 }, { 'x-shelf': '1' })", notKnown("''x-shelf''", 'NoHeaders')],
  ["reply(204, undefined, { 'x-shelf': '1' })", notKnown("''x-shelf''", 'NoHeaders')],
  [
    'reply(204, { code: 1 })',
    "Argument of type '{ code: number; }' is not assignable to parameter of type 'undefined'.",
  ],
  ['reply(201)', 'Expected 2-3 arguments, but got 1.'],
  [
    "reply(201, { id: 1n, title: '' }, { location: '/books/1' })",
    "Object literal may only specify known properties, but 'location' does not exist in type '{ Location?: string; }'. Did you mean to write 'Location'?",
  ],
];

function notKnown(name: string, type: string): string {
  return `Object literal may only specify known properties, and ${name} does not exist in type '${type}'.`;
}

function undeclared(name: string): string {
  return `Undeclared<"${name}", "id" | "title" | "pages">`;
}

const folder = useFolder();
let project: TypedProject;
let mistakes: ReturnType<TypedProject['mistakesOf']>[];
beforeAll(async () => {
  const wrong = MISTAKES.map(([call], index): [string, string] => {
    const lines = [
      `import type { Handler } from './generated/handlers';`,
      `const shelved = { id: 1n, title: '', shelf: 1 };`,
      `export const createBook: Handler<'createBook'> = (_, reply) => (void shelved, ${call});`,
    ];
    return [`wrong${String(index)}.ts`, lines.join('\n')];
  });
  project = await makeTypedProject(folder, CONTRACT, [['right.ts', SOURCE], ...wrong]);
  // All in order: that of a union is the order in which the compiler met its members.
  mistakes = wrong.map(([name]) => project.mistakesOf(name));
}, 120_000);

test.each(HOVERS)('at %s an editor shows %s', (text, hover) => {
  expect(project.mistakesOf('right.ts')).toEqual([]);
  expect(project.hoverAt('right.ts', text)).toBe(hover);
});

test.each(MISTAKES.map(([call, message], index) => [call, message, index] as const))(
  '%s is told as %s',
  (_, message, index) => {
    const [mistake, ...more] = mistakes[index] ?? [];
    expect([mistake?.line, mistake?.message.split('\n').at(-1)?.trim(), more]).toEqual([3, message, []]);
  },
);
