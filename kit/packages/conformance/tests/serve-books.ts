import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnLoopback, type ListeningServer } from '@contract-kit/test-support/listen-on-loopback';
/** A contract with something to read, something with an id, and something to write, behind two schemes. */
export const BOOKS = `
openapi: 3.0.3
info: { title: 'Books <script>alert(1)</script>', version: 1.0.0 }
servers: [{ url: /v1 }]
security: [{ token: [] }]
paths:
  /books/{id}:
    get:
      operationId: getBook
      parameters: [{ name: id, in: path, required: true, schema: { type: integer, minimum: 1 } }]
      responses: { '200': { $ref: '#/components/responses/Book' }, '404': { description: It is not there. } }
  /books:
    get:
      operationId: listBooks
      responses: { '200': { description: All of them. } }
    post:
      operationId: addBook
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }
      responses: { '200': { $ref: '#/components/responses/Book' }, '400': { description: It is wrong. } }
components:
  securitySchemes: { token: { type: http, scheme: bearer } }
  schemas:
    Book:
      type: object
      required: [title]
      properties: { title: { type: string, minLength: 1, maxLength: 9 }, pages: { type: integer, minimum: 1 } }
  responses:
    Book: { description: One., content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }
`;

/** A server that answers whatever it likes, once it has all of a request. */
export function serveReplies(
  listener: (req: IncomingMessage, res: ServerResponse, body: string) => void,
): Promise<ListeningServer> {
  return listenOnLoopback(
    createServer((req, res) => {
      text(req).then(
        (body) => {
          listener(req, res, body);
        },
        () => res.destroy(),
      );
    }),
  );
}
