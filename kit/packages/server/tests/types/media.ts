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
  watchBeds: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/jsonl': AsyncIterable<{ bed: bigint }> } };
    responses: { 200: Reply<{ 'application/jsonl': AsyncIterable<{ bed: bigint }> }> };
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
export const withParameter: Handler<'getAny'> = (_, reply) =>
  reply(203, 'a', { 'Content-Type': 'text/csv; header=present' });
export const withBoundary: Handler<'putImage'> = (_, reply) =>
  reply(200, Buffer.alloc(1), { 'Content-Type': 'image/png; boundary=a' });
export const undeclared: Handler<'putImage'> = (_, reply) =>
  // @ts-expect-error -- a media type that is not declared
  reply(200, Buffer.alloc(1), { 'Content-Type': 'text/css' });

export const head: Handler<'headImage'> = (_, reply) => reply(200, undefined, { 'Content-Length': 5n });
// @ts-expect-error -- the length is an int64
export const headOfNumber: Handler<'headImage'> = (_, reply) => reply(200, undefined, { 'Content-Length': 5 });

async function* makeItems<Item>(item: Item): AsyncGenerator<Item> {
  yield await Promise.resolve(item);
}
export const items: Handler<'watchBeds'> = ({ body }, reply) => reply(200, body);
export const made: Handler<'watchBeds'> = (_, reply) => reply(200, makeItems({ bed: 1n }));
export const list: Handler<'watchBeds'> = (_, reply) => reply(200, [{ bed: 1n }]);
// @ts-expect-error -- an int64 is a bigint
export const wrongItem: Handler<'watchBeds'> = (_, reply) => reply(200, makeItems({ bed: 1 }));
// @ts-expect-error -- an item has only what is declared
export const leak: Handler<'watchBeds'> = (_, reply) => reply(200, makeItems({ bed: 1n, more: 1 }));
// @ts-expect-error -- so has one of a list
export const leakOfList: Handler<'watchBeds'> = (_, reply) => reply(200, [{ bed: 1n, more: 1 }].values());
