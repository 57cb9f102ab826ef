import { resolveReference, type Document, type OperationObject, type RequestBody, type Response } from './document';
import { ContractError } from './contract-error';
import { assertSupportedOperation, assertSupportedReply, assertSupportedSecurity } from './operation-support';
import { createShape, type Shape } from './shape';

export const MEDIA_TYPE = 'application/json';

/** The keys of a path item that are operations. */
export const METHODS: ReadonlySet<string> = new Set([
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
]);

/** One operation of the contract, with what the kit needs to know of it. */
export interface Operation {
  /** The operationId, which is also the name of its handler. */
  readonly id: string;
  /** In capitals, as HTTP spells it. */
  readonly method: string;
  /** As the contract spells it. */
  readonly path: string;
  readonly body?: { readonly required: boolean; readonly shape: Shape };
  /** The body of each declared reply by status; undefined where a reply has no body. */
  readonly replies: ReadonlyMap<number, Shape | undefined>;
  /** The contract asks for no credentials, or names none as an alternative. */
  readonly isPublic: boolean;
}

/** @throws ContractError that names the place, when an operation asks for what the kit does not enforce */
export function readOperations(document: Document, file: string): Operation[] {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => {
        try {
          assertSupportedOperation(path, item, operation);
          return readOperation(document, path, method, operation);
        } catch (error) {
          throw new ContractError(`${file} ${method} ${path}: ${(error as Error).message}`, { cause: error });
        }
      }),
  );
  const ids = operations.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new ContractError(`${file} has the operationId ${twice} twice`);
  return operations;
}

function readOperation(document: Document, path: string, method: string, object: OperationObject): Operation {
  if (object.operationId === undefined) throw new Error('has no operationId');
  const security = object.security ?? document.security;
  if (security === undefined) throw new Error('says nothing about security; "security: []" makes it public');
  assertSupportedSecurity(document, security);
  const body = object.requestBody && resolveReference<RequestBody>(document, object.requestBody);
  return {
    id: object.operationId,
    method: method.toUpperCase(),
    path,
    ...(body && { body: { required: body.required ?? false, shape: jsonShape(document, body.content) } }),
    replies: new Map(
      Object.entries(object.responses)
        .filter(([status]) => !status.startsWith('x-'))
        .map(([status, reply]) => {
          const response = resolveReference<Response>(document, reply);
          assertSupportedReply(document, status, response);
          return [Number(status), response.content && jsonShape(document, response.content)];
        }),
    ),
    isPublic: security.length === 0 || security.some((alternative) => Object.keys(alternative).length === 0),
  };
}

function jsonShape(document: Document, content: RequestBody['content']): Shape {
  const types = Object.keys(content);
  const schema = content[MEDIA_TYPE]?.schema;
  if (types.length !== 1 || schema === undefined) {
    throw new Error(`the media type ${types.join(', ')} is not supported, only ${MEDIA_TYPE} with a schema`);
  }
  return createShape(document, schema);
}
