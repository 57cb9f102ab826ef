import { type Document, METHODS, resolveReference } from '@contract-kit/server/contract';
import { toCanonicalMembers } from './canonical-members';
import { findParameterBreaks, findReplyBreaks, findRequestBodyBreaks } from './message-breaks';
import { childPair, childPairs, pairOf, findOtherChanges, type NodePair } from './node-pair';
import { isObject, pointerTo, type JsonObject, type Problem } from './problem';

/** Finds the changes that break clients of the older contract. A change of unknown effect is reported as a break. */
export function findContractBreaks(before: Document, after: Document): Problem[] {
  const root = pairOf({ documents: { before, after } }, '#', before, after);
  return [
    ...findOtherChanges(root, ['openapi', 'info', 'paths', 'components', 'security']),
    ...childPairs(childPair(root, 'paths')).flatMap(([, path]) => findPathBreaks(path)),
    ...findCatalogueBreaks(root),
  ];
}

function findPathBreaks(path: NodePair): Problem[] {
  if (!path.before) return [];
  if (!path.after) return [{ pointer: path.pointer, message: 'the path is gone' }];
  const operations = childPairs(path).filter(([method]) => METHODS.has(method));
  return [
    ...findOtherChanges(path, ['parameters', ...METHODS]),
    ...operations.flatMap(([, operation]) => findOperationBreaks(path, operation)),
  ];
}

function findOperationBreaks(path: NodePair, operation: NodePair): Problem[] {
  if (!operation.before) return [];
  if (!operation.after) return [{ pointer: operation.pointer, message: 'the operation is gone' }];
  return [
    ...findSecurityBreaks(operation),
    ...findParameterBreaks(path, operation),
    ...findRequestBodyBreaks(childPair(operation, 'requestBody')),
    ...findReplyBreaks(childPair(operation, 'responses')),
    ...findOtherChanges(operation, ['security', 'parameters', 'requestBody', 'responses']),
  ];
}

/** Required scopes by scheme. The key is the definition of the scheme, so that renaming a scheme changes nothing. */
type Alternative = ReadonlyMap<string, readonly string[]>;

/** Finds credentials that were sufficient for an operation and no longer are. */
function findSecurityBreaks({ pointer, before, after, documents }: NodePair): Problem[] {
  const accepted = readSecurity(documents.after, after);
  return readSecurity(documents.before, before)
    .filter((old) => !accepted.some((alternative) => needsNoMore(alternative, old)))
    .map((old) => ({
      pointer: pointerTo(pointer, 'security'),
      message: `${old.size === 0 ? 'no credentials' : [...old.keys()].join(' with ')} is no longer enough`,
    }));
}

function readSecurity(document: Document, operation: JsonObject | undefined): Alternative[] {
  const security = (operation?.['security'] ?? document.security ?? []) as Document['security'] & object;
  // An empty list asks for no credentials, as an alternative without schemes does.
  const alternatives = security.length === 0 ? [{}] : security;
  return alternatives.map(
    (schemes) => new Map(Object.entries(schemes).map(([name, scopes]) => [writeDefinition(document, name), scopes])),
  );
}

function writeDefinition(document: Document, name: string): string {
  const scheme = resolveReference(document, document.components?.securitySchemes?.[name] ?? {});
  return [...toCanonicalMembers(document, { ...scheme })]
    .map(([key, value]) => `${key} ${value}`)
    .sort()
    .join(', ');
}

function needsNoMore(alternative: Alternative, than: Alternative): boolean {
  return [...alternative].every(([scheme, scopes]) => {
    const allowed = than.get(scheme);
    return allowed !== undefined && scopes.every((scope) => allowed.includes(scope));
  });
}

const CATALOGUE = 'x-error-catalogue';

/** Finds changes of the error catalogue that break clients: they know errors by number and name. */
function findCatalogueBreaks({ documents }: Pick<NodePair, 'documents'>): Problem[] {
  const before = findCatalogue(documents.before, '#');
  const after = findCatalogue(documents.after, '#');
  if (!before) return [];
  return childPairs(pairOf({ documents }, before.pointer, before.rows, after?.rows)).flatMap(([name, row]) => {
    if (!row.before) return [];
    if (!row.after) return [{ pointer: row.pointer, message: `${name} (${String(row.before['number'])}) is gone` }];
    return findOtherChanges(row, ['meaning'], `clients know ${name} otherwise`);
  });
}

function findCatalogue(node: object, pointer: string): { pointer: string; rows: JsonObject } | undefined {
  for (const [key, value] of Object.entries(node) as [string, unknown][]) {
    const below = pointerTo(pointer, key);
    if (key === CATALOGUE && isObject(value)) return { pointer: below, rows: value };
    const found = typeof value === 'object' && value !== null ? findCatalogue(value, below) : undefined;
    if (found) return found;
  }
  return undefined;
}
