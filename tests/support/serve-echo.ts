import { serveText, type Served } from './serve-text';

/** What a handler was given, each int64 as `123n`, bytes as `bytes:` and hexadecimal digits. */
export type Seen = Readonly<Record<string, unknown>>;

const FAILURES = ['400', '401', '500', '503'].map(
  (status) => `'${status}': { $ref: '#/components/responses/Failure' }`,
);

/** A service of one operation at `path`, which keeps what its handler gets. */
export async function serveEcho(
  path: string,
  operation: string,
  more = '',
): Promise<Served & { readonly seen: readonly Seen[] }> {
  const source = `openapi: 3.1.0
info: { title: Echo, version: 1.0.0 }
security: []
paths:
  ${path}:
    post:
      operationId: echo
      responses: { '204': { description: Seen. }, ${FAILURES.join(', ')} }
      ${operation}
components:
  ${more}
  responses:
    Failure: { description: Failed., content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } } }
  schemas:
    Error: { type: object, required: [error, message], properties: { error: { type: integer }, message: { type: string } } }
`;
  const seen: Seen[] = [];
  const served = await serveText(source, {
    echo: (request, reply) => {
      seen.push(JSON.parse(JSON.stringify(request, toText)) as Seen);
      return reply(204);
    },
  });
  return Object.assign(served, { seen });
}

function toText(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${String(value)}n`;
  const isBuffer = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
  return isBuffer ? `bytes:${Buffer.from((value as unknown as { data: number[] }).data).toString('hex')}` : value;
}
