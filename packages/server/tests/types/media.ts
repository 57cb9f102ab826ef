// Compiled, never run: `npm run types` fails when one of the mistakes below compiles.
import { Readable } from 'node:stream';
import type * as kit from '../../src/pipeline/handler';

interface Reply<Content> {
  headers: Record<string, unknown>;
  content: Content;
}
// As `npm run generate` types operations.
interface Operations {
  putImage: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'image/*': Blob; 'application/xml': string } };
    responses: { 200: Reply<{ 'image/png': Blob }>; 204: { headers: Record<string, unknown>; content?: never } };
  };
  headImage: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: { 200: { headers: { 'Content-Length': bigint; [name: string]: unknown }; content?: never } };
  };
  getAny: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: Reply<{ 'image/*': Blob }>;
      201: Reply<{ 'application/json; charset=utf-8': { a: number } }>;
      202: Reply<{ 'application/json': unknown }>;
      203: Reply<{ 'application/json': { a: number }; 'text/csv': string }>;
    };
  };
}
type Handler<Id extends keyof Operations> = kit.Handler<Operations[Id], []>;

export const bytes: Handler<'putImage'> = ({ body }, reply) =>
  reply(200, typeof body === 'string' ? Buffer.from(body) : body);
export const stream: Handler<'putImage'> = (_, reply) => reply(200, Readable.from(['a']));
export const sized: Handler<'putImage'> = (_, reply) => reply(200, Readable.from(['a']), { 'Content-Length': 1 });
export const none: Handler<'putImage'> = (_, reply) => reply(204);
export const narrowed: Handler<'putImage'> = (request, reply) => {
  if (request.contentType !== 'application/xml') return reply(200, request.body);
  const text: string = request.body;
  return reply(200, Buffer.from(text));
};
// @ts-expect-error -- a text is no bytes
export const text: Handler<'putImage'> = (_, reply) => reply(200, 'a');

export const named: Handler<'getAny'> = (_, reply) => reply(200, Buffer.alloc(1), { 'Content-Type': 'image/gif' });
// @ts-expect-error -- a range without the media type
export const unnamed: Handler<'getAny'> = (_, reply) => reply(200, Buffer.alloc(1));
// @ts-expect-error -- a media type that is not in the range
export const other: Handler<'getAny'> = (_, reply) => reply(200, Buffer.alloc(1), { 'Content-Type': 'text/css' });
// @ts-expect-error -- JSON is no stream
export const json: Handler<'getAny'> = (_, reply) => reply(201, Readable.from(['{}']));
export const anything: Handler<'getAny'> = (_, reply) => reply(202, { a: [1, { b: null }] });
export const csv: Handler<'getAny'> = (_, reply) => reply(203, Readable.from(['a']), { 'Content-Type': 'text/csv' });

export const head: Handler<'headImage'> = (_, reply) => reply(200, undefined, { 'Content-Length': 5n });
// @ts-expect-error -- the length is an int64
export const headOfNumber: Handler<'headImage'> = (_, reply) => reply(200, undefined, { 'Content-Length': 5 });
