import type { Verifier } from '../enforcement/authenticate';
import type { OperationTypes } from './declared-replies';
import type { Handler } from './handler';
import { Refusal } from '../refusal/refusal';
import type { ErrorToRender } from '../refusal/render';

/**
 * A handler for each operation of a contract, and for nothing else.
 *
 * @example const handlers: Handlers<operations, security> = { getClock };
 */
export type Handlers<Operations extends { [Id in keyof Operations]: OperationTypes }, Security> = {
  readonly [Id in keyof Operations]: Handler<Operations[Id], Id extends keyof Security ? Security[Id] : never>;
};

/** The verifier of each security scheme of a contract. */
export type Verifiers<SecuritySchemes extends string> = Readonly<Record<SecuritySchemes, Verifier>>;

/** The handlers of any contract, by operationId. */
export type AnyHandlers = Readonly<Record<string, (request: never, reply: never) => unknown>>;

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

type IsOfErrors<Key> = `${Key & (number | string)}` extends `${4 | 5}${string}` | 'default' ? Key : never;

type ErrorBody<Responses> = {
  [Key in keyof Responses as IsOfErrors<Key>]: Responses[Key] extends { content: infer Content }
    ? Content[keyof Content]
    : never;
} extends infer Bodies
  ? Bodies[keyof Bodies]
  : never;

/**
 * Makes the body of each refusal: one of those that the operations of a contract declare for errors.
 *
 * @example const renderError: RenderError<operations> = ({ status, message }) => ({ code: status, message });
 */
export type RenderError<Operations extends { [Id in keyof Operations]: OperationTypes }> = (
  error: ErrorToRender,
) => { [Id in keyof Operations]: ErrorBody<Operations[Id]['responses']> }[keyof Operations];
