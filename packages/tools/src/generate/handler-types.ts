// Generates the types of handlers, `generated/handlers.d.ts`.
import type { Document } from '@contract-kit/server/contract';
import { hasReadOrWriteOnly } from './typed-schemas';

const API_OPERATIONS = [`import type { operations, security, securitySchemes } from './api';`];

const UNMARKED_OPERATIONS = [
  `import type { operations as marked, security, securitySchemes } from './api';`,
  '',
  '/** The operations as handlers see them: no request has what is readOnly, no reply what is writeOnly. */',
  'export type operations = kit.Unmarked<marked>;',
];

export function createHandlerTypes(document: Document): string {
  // In api.d.ts, readOnly and writeOnly properties are marked: the types of handlers are made without these marks.
  const operationsType = hasReadOrWriteOnly(document) ? UNMARKED_OPERATIONS : API_OPERATIONS;
  return [
    `import type * as kit from '@contract-kit/server';`,
    ...operationsType,
    '',
    '/** The handler of one operation. */',
    'export type Handler<Id extends keyof operations> = kit.Handler<operations[Id], security[Id]>;',
    '/** A handler for each operation. */',
    'export type Handlers = kit.Handlers<operations, security>;',
    '/** Makes the bodies of refusals, where the contract declares neither problem details nor an error catalogue. */',
    'export type RenderError = kit.RenderError<operations>;',
    '/** Whose credentials count, by security scheme. */',
    'export type Verifiers = kit.Verifiers<securitySchemes>;',
    '',
  ].join('\n');
}
