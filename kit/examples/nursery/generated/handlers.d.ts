// Generated from openapi.yaml by `npm run generate`. Do not edit.
import type * as kit from '@contract-kit/server';
import type { operations, security, securitySchemes } from './api.js';

/** The handler of an operation. */
export type Handler<Id extends keyof operations> = kit.Handler<operations[Id], security[Id]>;
/** The handlers of all operations. */
export type Handlers = kit.Handlers<operations, security>;
/** Makes the bodies of the errors that the service itself responds with, if the contract does not declare problem details. */
export type RenderError = kit.RenderError<operations>;
/** Functions that verify credentials, by security scheme. */
export type Verifiers = kit.Verifiers<securitySchemes>;
