import { Refusal } from '../refusal/refusal';

/**
 * The body of a handler that `npm run generate` made and that is not written yet.
 *
 * @param operation the operationId, for the message to the client
 * @throws Refusal always
 * @example export const listBooks: Handler<'listBooks'> = () => notBuilt('listBooks');
 */
export function notBuilt(operation: string): never {
  throw new Refusal('NOT_BUILT', `${operation} is not built yet`);
}
