import type { Verifier } from '../enforcement/authenticate';
import type { OperationTypes } from './declared-replies';
import type { Handler } from './handler';

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
