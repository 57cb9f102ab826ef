import { resolveReference, type Document } from '../../src/contract/document/document';
import { canonicalMembers } from './canonical-members';
import { pointerTo, type JsonObject } from './json';
import type { Place } from './place';
import type { Problem } from './problem';

/** The scopes that are needed of each scheme; the scheme is told by its definition, whatever it is called. */
type Alternative = ReadonlyMap<string, readonly string[]>;

/** Where credentials that were enough for an operation no longer are. */
export function securityBreaks({ pointer, before, after, documents }: Place): Problem[] {
  const accepted = readSecurity(documents.after, after);
  return readSecurity(documents.before, before)
    .filter((old) => !accepted.some((alternative) => asksNoMore(alternative, old)))
    .map((old) => ({
      pointer: pointerTo(pointer, 'security'),
      message: `${old.size === 0 ? 'no credentials' : [...old.keys()].join(' with ')} is no longer enough`,
    }));
}

function readSecurity(document: Document, operation: JsonObject | undefined): Alternative[] {
  const security = (operation?.['security'] ?? document.security ?? []) as Document['security'] & object;
  const alternatives = security.length === 0 ? [{}] : security;
  return alternatives.map(
    (schemes) => new Map(Object.entries(schemes).map(([name, scopes]) => [definition(document, name), scopes])),
  );
}

function definition(document: Document, name: string): string {
  const scheme = resolveReference(document, document.components?.securitySchemes?.[name] ?? {});
  return [...canonicalMembers(document, { ...scheme })]
    .map(([key, value]) => `${key} ${value}`)
    .sort()
    .join(', ');
}

function asksNoMore(alternative: Alternative, than: Alternative): boolean {
  return [...alternative].every(([scheme, scopes]) => {
    const allowed = than.get(scheme);
    return allowed !== undefined && scopes.every((scope) => allowed.includes(scope));
  });
}
