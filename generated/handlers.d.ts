// Made from openapi.yaml by `npm run generate`. Do not edit.
import type * as kit from '@contract-kit/server';
import type { operations, security, securitySchemes } from './api.js';

/** The handler of one operation. */
export type Handler<Id extends keyof operations> = kit.Handler<operations[Id], security[Id]>;
/** A handler for each operation. */
export type Handlers = kit.Handlers<operations, security>;
/** Makes the bodies of refusals, where the contract declares neither problem details nor an error catalogue. */
export type RenderError = kit.RenderError<operations>;
/** Whose credentials count, by security scheme. */
export type Verifiers = kit.Verifiers<securitySchemes>;
