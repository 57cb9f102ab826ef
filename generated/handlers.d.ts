// Made from openapi.yaml by `npm run generate`. Do not edit.
import type * as handler from '../src/contract/handler/handler';
import type * as handlers from '../src/contract/handler/handlers';
import type { operations, security, securitySchemes } from './api';

/** The handler of one operation. */
export type Handler<Id extends keyof operations> = handler.Handler<operations[Id], security[Id]>;
/** A handler for each operation. */
export type Handlers = handlers.Handlers<operations, security>;
/** Whose credentials count, by security scheme. */
export type Verifiers = handlers.Verifiers<securitySchemes>;
