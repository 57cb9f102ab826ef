import type { Document } from '../../src/contract/document/document';
import { METHODS } from '../../src/contract/operation/operation';
import { catalogueBreaks } from './catalogue-breaks';
import { parameterBreaks } from './parameter-breaks';
import { child, children, placeOf, unknownChanges, type Place } from './place';
import type { Problem } from './problem';
import { replyBreaks } from './reply-breaks';
import { requestBodyBreaks } from './request-body-breaks';
import { securityBreaks } from './security-breaks';

/** Where a newer contract breaks clients of an older one; a change that cannot be judged counts as a break. */
export function contractBreaks(before: Document, after: Document): Problem[] {
  const root = placeOf({ documents: { before, after } }, '#', before, after);
  return [
    ...unknownChanges(root, ['openapi', 'info', 'paths', 'components', 'security']),
    ...children(child(root, 'paths')).flatMap(([, path]) => pathBreaks(path)),
    ...catalogueBreaks(root),
  ];
}

function pathBreaks(path: Place): Problem[] {
  if (!path.before) return [];
  if (!path.after) return [{ pointer: path.pointer, message: 'the path is gone' }];
  const operations = children(path).filter(([method]) => METHODS.has(method));
  return [
    ...unknownChanges(path, ['parameters', ...METHODS]),
    ...operations.flatMap(([, operation]) => operationBreaks(path, operation)),
  ];
}

function operationBreaks(path: Place, operation: Place): Problem[] {
  if (!operation.before) return [];
  if (!operation.after) return [{ pointer: operation.pointer, message: 'the operation is gone' }];
  return [
    ...securityBreaks(operation),
    ...parameterBreaks(path, operation),
    ...requestBodyBreaks(child(operation, 'requestBody')),
    ...replyBreaks(child(operation, 'responses')),
    ...unknownChanges(operation, ['security', 'parameters', 'requestBody', 'responses']),
  ];
}
