import { type Document, METHODS, resolveReference } from '@contract-kit/server/contract';
import { toCanonicalMembers } from './canonical-members';
import { findParameterBreaks, findReplyBreaks, findRequestBodyBreaks } from './message-breaks';
import { childPair, childPairs, createPair, findOtherKeywordChanges, type NodePair } from './node-pair';
import { isObject, pointerTo, type JsonObject, type Problem } from './problem';

/** Finds the changes that break clients of the older contract. A change of unknown effect is reported as a break. */
export function findContractBreaks(before: Document, after: Document): Problem[] {
  const root = createPair({ documents: { before, after } }, '#', before, after);
  return [
    // `openapi` and `info` change nothing for clients. Components and security count where operations use them.
    ...findOtherKeywordChanges(root, ['openapi', 'info', 'paths', 'components', 'security']),
    ...childPairs(childPair(root, 'paths')).flatMap(([, path]) => findPathBreaks(path)),
    ...findCatalogueBreaks(root),
  ];
}

function findPathBreaks(path: NodePair): Problem[] {
  // A path that only the newer contract has breaks no client.
  if (!path.before) return [];
  if (!path.after) return [{ pointer: path.pointer, message: 'the path is gone' }];
  const operations = childPairs(path).filter(([method]) => METHODS.has(method));
  return [
    // Parameters of the path are compared with those of each operation.
    ...findOtherKeywordChanges(path, ['parameters', ...METHODS]),
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
    ...findOtherKeywordChanges(operation, ['security', 'parameters', 'requestBody', 'responses']),
  ];
}

// The required scopes by scheme. The key is the definition of the scheme, so that renaming a scheme changes nothing.
type Alternative = ReadonlyMap<string, readonly string[]>;

// Finds credentials that were sufficient for an operation and no longer are.
function findSecurityBreaks({ pointer, before, after, documents }: NodePair): Problem[] {
  const accepted = readSecurityAlternatives(documents.after, after);
  return readSecurityAlternatives(documents.before, before)
    .filter((old) => !accepted.some((alternative) => isSatisfiedBy(old, alternative)))
    .map((old) => ({
      pointer: pointerTo(pointer, 'security'),
      message: `${old.size === 0 ? 'no credentials' : [...old.keys()].join(' with ')} is no longer enough`,
    }));
}

// Those of the operation, or else of the document. A client needs the credentials of one alternative.
function readSecurityAlternatives(document: Document, operation: JsonObject | undefined): Alternative[] {
  const security = (operation?.['security'] ?? document.security ?? []) as Document['security'] & object;
  // An empty list asks for no credentials, as an alternative without schemes does.
  const alternatives = security.length === 0 ? [{}] : security;
  return alternatives.map(
    (schemes) => new Map(Object.entries(schemes).map(([name, scopes]) => [describeScheme(document, name), scopes])),
  );
}

// Such as `scheme "bearer", type "http"`, without its name.
function describeScheme(document: Document, name: string): string {
  const scheme = resolveReference(document, document.components?.securitySchemes?.[name] ?? {});
  return [...toCanonicalMembers(document, { ...scheme })]
    .map(([key, value]) => `${key} ${value}`)
    .sort()
    .join(', ');
}

/** Whether credentials with no more than the schemes and scopes of the old alternative satisfy the new one. */
function isSatisfiedBy(old: Alternative, alternative: Alternative): boolean {
  return [...alternative].every(([scheme, neededScopes]) => {
    const scopes = old.get(scheme);
    return scopes !== undefined && neededScopes.every((scope) => scopes.includes(scope));
  });
}

const CATALOGUE_KEY = 'x-error-catalogue';

// Clients know errors by number and name. Of a row such as `NOT_FOUND: { number: 40400, status: 404, meaning: ... }`,
// only the meaning, a text for people, may change.
function findCatalogueBreaks({ documents }: Pick<NodePair, 'documents'>): Problem[] {
  const before = findCatalogue(documents.before, '#');
  const after = findCatalogue(documents.after, '#');
  if (!before) return [];
  return childPairs(createPair({ documents }, before.pointer, before.rows, after?.rows)).flatMap(([name, row]) => {
    if (!row.before) return [];
    if (!row.after) return [{ pointer: row.pointer, message: `${name} (${String(row.before['number'])}) is gone` }];
    return findOtherKeywordChanges(row, ['meaning'], `clients know ${name} otherwise`);
  });
}

// The first `x-error-catalogue` at any depth, with the JSON pointer to it.
function findCatalogue(node: object, pointer: string): { pointer: string; rows: JsonObject } | undefined {
  for (const [key, value] of Object.entries(node) as [string, unknown][]) {
    const below = pointerTo(pointer, key);
    if (key === CATALOGUE_KEY && isObject(value)) return { pointer: below, rows: value };
    const found = typeof value === 'object' && value !== null ? findCatalogue(value, below) : undefined;
    if (found) return found;
  }
  return undefined;
}
