import {
  resolveReference,
  type Document,
  type OperationObject,
  type Response,
  type SecurityRequirement,
} from './document';

// What the kit sends by itself. A handler cannot send a header yet.
const OWN_HEADERS = new Map([
  [401, 'www-authenticate'],
  [503, 'retry-after'],
]);

/** @throws Error when an operation has parameters, or stands at a path that is a reference */
export function assertSupportedOperation(path: string, item: object, operation: OperationObject): void {
  if (path.includes('{') || 'parameters' in item || operation.parameters !== undefined) {
    throw new Error('parameters are not supported');
  }
  if ('$ref' in item) throw new Error('a path by reference is not supported');
}

/** @throws Error when a scheme is not defined, or scopes are asked for */
export function assertSupportedSecurity(document: Document, security: readonly SecurityRequirement[]): void {
  for (const [name, scopes] of security.flatMap((alternative) => Object.entries(alternative))) {
    if (!Object.hasOwn(document.components?.securitySchemes ?? {}, name)) {
      throw new Error(`the security scheme ${name} is not defined`);
    }
    if (scopes.length > 0) throw new Error(`the scopes of ${name} are not supported`);
  }
}

/** @throws Error when a reply needs a header that is not the kit's own */
export function assertSupportedReply(document: Document, status: string, { headers = {} }: Response): void {
  if (!/^\d{3}$/.test(status)) throw new Error(`the status ${status} is not spelled out`);
  for (const [name, header] of Object.entries(headers)) {
    const { required } = resolveReference<{ required?: boolean }>(document, header);
    if (required === true && OWN_HEADERS.get(Number(status)) !== name.toLowerCase()) {
      throw new Error(`the required header ${name} of the reply ${status} is not supported`);
    }
  }
}
