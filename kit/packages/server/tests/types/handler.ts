// Compiled, never run: `npm run types` fails when one of the mistakes below compiles.
import type * as kit from '../../src/pipeline/handler';
import type * as table from '../../src/pipeline/handler';
import { notBuilt, type RenderError } from '../../src/pipeline/handler';

interface Body<T> {
  headers: Record<string, unknown>;
  content: { 'application/json': T };
}
interface Thing {
  name: string;
  tag?: string;
}
// As `npm run generate` types an operation.
interface Operations {
  createThing: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': Thing & { id: bigint } } };
    responses: { 200: Body<Thing>; 400: Body<{ error: 40000 | 40009; message: string }> };
  };
}
interface Security {
  createThing: ['bearerAuth'];
}
type Handler<Id extends keyof Operations> = kit.Handler<Operations[Id], Security[Id]>;
type Handlers = table.Handlers<Operations, Security>;
type Verifiers = table.Verifiers<'bearerAuth'>;

export const right: Handler<'createThing'> = ({ body }, reply) => reply(200, { name: body.name });
export const rightWithTag: Handler<'createThing'> = ({ body: { tag = '' } }, reply) => reply(200, { name: tag, tag });
export const rightError: Handler<'createThing'> = (_, reply) => reply(400, { error: 40009, message: '' });
export const rightWithContext: Handler<'createThing'> = async ({ body: { name }, log, requestId, signal }, reply) => {
  log.info({ aborted: signal.aborted }, requestId);
  return reply(200, { name: await Promise.resolve(name) });
};
export const rightTable: Handlers = { createThing: right };
// What is only watched needs no handler.
export const partOfTable = (some: Partial<Handlers>): kit.AnyHandlers => some;

// @ts-expect-error -- an operation is missing
export const missing: Handlers = {};
// @ts-expect-error -- an operation that the contract does not have
export const unknown: Handlers = { createThing: right, deleteThing: right };
// @ts-expect-error -- its name
export const misspelt: Handler<'createThings'> = right;
// @ts-expect-error -- a status that is not declared
export const undeclared: Handler<'createThing'> = ({ body }, reply) => reply(201, { name: body.name });
// @ts-expect-error -- the body of another status
export const otherBody: Handler<'createThing'> = (_, reply) => reply(200, { error: 40009, message: '' });
export const eitherBody: Handler<'createThing'> = ({ body }, reply) => {
  const status = body.name === '' ? 400 : 200;
  // @ts-expect-error -- the body of one status, and perhaps the other status
  return reply(status, { name: body.name });
};
// @ts-expect-error -- a field is missing
export const noName: Handler<'createThing'> = (_, reply) => reply(200, {});
// @ts-expect-error -- a field of another type
export const wrongName: Handler<'createThing'> = (_, reply) => reply(200, { name: 1 });
// @ts-expect-error -- no body
export const noBody: Handler<'createThing'> = (_, reply) => reply(200);
// @ts-expect-error -- a field that is there but undefined
export const noTag: Handler<'createThing'> = ({ body }, reply) => reply(200, { name: body.name, tag: undefined });
// @ts-expect-error -- a leak in a literal
export const leak: Handler<'createThing'> = ({ body: { id, name } }, reply) => reply(200, { id, name });
// @ts-expect-error -- a leak in a variable
export const hiddenLeak: Handler<'createThing'> = ({ body }, reply) => reply(200, body);
// @ts-expect-error -- a reply that the contract was not asked about
export const ownReply: Handler<'createThing'> = () => ({ status: 200, body: { name: '' } });
declare const otherReply: kit.Reply<200, { other: string }>;
// @ts-expect-error -- the reply of another operation
export const replyOfOther: Handler<'createThing'> = () => otherReply;
// @ts-expect-error -- a value that is not among the declared ones
export const unlisted: Handler<'createThing'> = (_, reply) => reply(400, { error: 4711, message: '' });

export const numberAsId: Handler<'createThing'> = ({ body }, reply) => {
  // @ts-expect-error -- an int64 is no number
  const id: number = body.id;
  return reply(200, { name: String(id) });
};

// @ts-expect-error -- a security scheme without a verifier
export const open: Verifiers = {};

export const later: Handler<'createThing'> = () => notBuilt('createThing');

// As openapi-typescript types an operation whose replies are ranges and a default.
interface Ranges {
  findThing: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    responses: {
      200: Body<Thing>;
      404: Body<{ missing: string }>;
      '4XX': Body<{ code: number }>;
      default: { headers: Record<string, unknown>; content: { 'application/problem+json': { title?: string } } };
    };
  };
  listThings: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    responses: { 200: Body<Thing[]>; '5XX': { headers: Record<string, unknown>; content?: never } };
  };
}
type FindThing = kit.Handler<Ranges['findThing'], []>;
type ListThings = kit.Handler<Ranges['listThings'], []>;

export const listed: FindThing = (_, reply) => reply(404, { missing: 'a' });
export const ofRange: FindThing = (_, reply) => reply(409, { code: 1 });
export const ofDefault: FindThing = (_, reply) => reply(503, { title: 'Later' });
export const otherSuccess: FindThing = (_, reply) => reply(201, { title: 'A thing' });
export const withoutBody: ListThings = (_, reply) => reply(502);
// @ts-expect-error -- the body of the range, under the status that is listed
export const rangeForListed: FindThing = (_, reply) => reply(404, { code: 1 });
// @ts-expect-error -- the body of the default, in the range
export const defaultForRange: FindThing = (_, reply) => reply(409, { title: 'No' });
// @ts-expect-error -- a status that no reply has
export const noStatus: FindThing = (_, reply) => reply(100, { title: 'Go on' });
// @ts-expect-error -- a status that is three digits, and no status
export const beyond: FindThing = (_, reply) => reply(600, { title: 'Beyond' });
// @ts-expect-error -- a status outside of the range
export const outside: ListThings = (_, reply) => reply(404);
// @ts-expect-error -- a body where the range has none
export const bodyOfNone: ListThings = (_, reply) => reply(502, { code: 1 });

export const rendered: RenderError<Ranges> = ({ status, message }) =>
  status < 500 ? { code: status } : { title: message };
// @ts-expect-error -- the body of a success
export const notRendered: RenderError<Ranges> = ({ message }) => ({ name: message });
// @ts-expect-error -- a body that is of another type
export const wronglyRendered: RenderError<Ranges> = ({ message }) => ({ code: message });

interface Search {
  parameters: { querystring: { word: string[] }; header?: never; path?: never; cookie?: never };
  responses: { 200: Body<string[]> };
}

export const wholeQuery: kit.Handler<Search, never> = ({ querystring }, reply) => reply(200, querystring.word);
// @ts-expect-error -- the contract does not declare the whole query as one value
export const noWholeQuery: Handler<'createThing'> = ({ querystring }, reply) => reply(200, querystring.word);
