import { Refusal } from '../refusal/refusal';

/**
 * What a handler does that `npm run generate` made and that is not written yet.
 *
 * @param operation the operationId, which the client is told
 * @throws Refusal always
 * @example export const listBooks: Handler<'listBooks'> = () => notBuilt('listBooks');
 */
export function notBuilt(operation: string): never {
  throw new Refusal('NOT_BUILT', `${operation} is not built yet`);
}
