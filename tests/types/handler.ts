// Compiled, never run: `npm run types` fails when one of the mistakes below compiles.
import type { Handler, Handlers, Verifiers } from '../../generated/handlers';
import { notBuilt } from '../../src/contract/handler/not-built';

export const right: Handler<'createPlant'> = ({ body }, reply) => reply(200, { name: body.name });
export const rightWithTag: Handler<'createPlant'> = ({ body: { tag = '' } }, reply) => reply(200, { name: tag, tag });
export const rightError: Handler<'createPlant'> = (_, reply) => reply(400, { error: 40009, message: '' });
export const rightTable: Handlers = { createPlant: right };

// @ts-expect-error -- an operation is missing
export const missing: Handlers = {};
// @ts-expect-error -- an operation that the contract does not have
export const unknown: Handlers = { createPlant: right, deletePlant: right };
// @ts-expect-error -- its name
export const misspelt: Handler<'createPlants'> = right;
// @ts-expect-error -- a status that is not declared
export const undeclared: Handler<'createPlant'> = ({ body }, reply) => reply(201, { name: body.name });
// @ts-expect-error -- the body of another status
export const otherBody: Handler<'createPlant'> = (_, reply) => reply(200, { error: 40009, message: '' });
export const eitherBody: Handler<'createPlant'> = ({ body }, reply) => {
  const status = body.name === '' ? 400 : 200;
  // @ts-expect-error -- the body of one status, and perhaps the other status
  return reply(status, { name: body.name });
};
// @ts-expect-error -- a field is missing
export const noName: Handler<'createPlant'> = (_, reply) => reply(200, {});
// @ts-expect-error -- a field of another type
export const wrongName: Handler<'createPlant'> = (_, reply) => reply(200, { name: 1 });
// @ts-expect-error -- no body
export const noBody: Handler<'createPlant'> = (_, reply) => reply(200);
// @ts-expect-error -- a field that is there but undefined
export const noTag: Handler<'createPlant'> = ({ body }, reply) => reply(200, { name: body.name, tag: undefined });
// @ts-expect-error -- a leak in a literal
export const leak: Handler<'createPlant'> = ({ body: { id, name } }, reply) => reply(200, { id, name });
// @ts-expect-error -- a leak in a variable
export const hiddenLeak: Handler<'createPlant'> = ({ body }, reply) => reply(200, body);
// @ts-expect-error -- a reply that the contract was not asked about
export const ownReply: Handler<'createPlant'> = () => ({ status: 200, body: { name: '' } });
// @ts-expect-error -- an error number that is not in the catalogue
export const unlisted: Handler<'createPlant'> = (_, reply) => reply(400, { error: 4711, message: '' });

export const numberAsId: Handler<'createPlant'> = ({ body }, reply) => {
  // @ts-expect-error -- an int64 is no number
  const id: number = body.id;
  return reply(200, { name: String(id) });
};

// @ts-expect-error -- a security scheme without a verifier
export const open: Verifiers = {};

export const later: Handler<'createPlant'> = () => notBuilt('createPlant');
