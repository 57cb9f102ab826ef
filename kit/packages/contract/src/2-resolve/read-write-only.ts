// Finds the properties that readOnly excludes from requests, and writeOnly from replies.
import type { NormalizedDocument } from './document';
import { DocumentError } from '../text/document-error';
import { collectInPlaceSchemas, someSchemaBelow, inPlaceSchemasOf } from './find-schemas';
import type { NormalizedSchema } from './schema';

/** The keyword that excludes a property from requests (readOnly) or from replies (writeOnly). */
export type AccessMode = 'readOnly' | 'writeOnly';

/** Marks the schemas that the kit wraps around parameters, headers and bodies. Their own properties are never excluded. */
export const MADE_BY_KIT = Symbol('made by the kit');

/**
 * Finds the names of the excluded properties. One schema is enough to exclude a property (JSON Schema Validation, section 9.4).
 *
 * @example findExcludedProperties(document, inPlaceSchemasOf(document, schema), 'readOnly').has('id')
 */
export function findExcludedProperties(
  document: NormalizedDocument,
  inPlaceSchemas: readonly NormalizedSchema[],
  mode: AccessMode | undefined,
): ReadonlySet<string> {
  if (mode === undefined) return new Set();
  const properties = inPlaceSchemas
    .filter((schema) => !(MADE_BY_KIT in schema))
    .flatMap((schema) => Object.entries(schema.properties ?? {}));
  const excludedProperties = properties.filter(([, property]) =>
    inPlaceSchemasOf(document, property).some((schema) => schema[mode] === true),
  );
  return new Set(excludedProperties.map(([name]) => name));
}

/** Whether a schema excludes a property at any depth. Without a mode, it excludes none. */
export function hasExcludedProperty(
  document: NormalizedDocument,
  schema: NormalizedSchema,
  mode: AccessMode | undefined,
): boolean {
  if (mode === undefined) return false;
  const hasExcluded = (inner: NormalizedSchema): boolean => findExcludedProperties(document, [inner], mode).size > 0;
  return someSchemaBelow(document, schema, hasExcluded, CACHED_HOLDS_EXCLUDED[mode]);
}

const CACHED_HOLDS_EXCLUDED: Readonly<Record<AccessMode, WeakMap<NormalizedSchema, boolean>>> = {
  readOnly: new WeakMap(),
  writeOnly: new WeakMap(),
};

/**
 * Lists the in-place schemas of a value, which decide together what is excluded. Empty if nothing is excluded at any depth.
 *
 * @example findExcludingSchemas(document, propertySchemas(inPlaceSchemasOf(document, schema), 'owner'), 'readOnly')
 */
export function findExcludingSchemas(
  document: NormalizedDocument,
  schemas: readonly NormalizedSchema[],
  mode: AccessMode,
): readonly NormalizedSchema[] {
  const inPlaceSchemas = collectInPlaceSchemas(document, schemas);
  return inPlaceSchemas.some((schema) => hasExcludedProperty(document, schema, mode)) ? inPlaceSchemas : [];
}

/** @throws DocumentError if exclusion depends on an alternative, pattern or position, which are unknown when the kit drops properties */
export function assertConsistentModes(
  document: NormalizedDocument,
  inPlaceSchemas: readonly NormalizedSchema[],
  mode: AccessMode,
): void {
  for (const schema of inPlaceSchemas) {
    const patternOrPositionSchemas = [...Object.values(schema.patternProperties ?? {}), ...(schema.prefixItems ?? [])];
    if (patternOrPositionSchemas.some((child) => hasExcludedProperty(document, child, mode))) {
      throw new DocumentError(
        schema,
        `${mode} is not supported inside patternProperties or prefixItems: write it in properties`,
      );
    }
    for (const keyword of ['anyOf', 'oneOf'] as const) assertAlternativesConsistent(document, schema, mode, keyword);
  }
}

function assertAlternativesConsistent(
  document: NormalizedDocument,
  schema: NormalizedSchema,
  mode: AccessMode,
  keyword: 'anyOf' | 'oneOf',
): void {
  const alternatives = (schema[keyword] ?? []).map((alternative) => {
    const inPlaceSchemas = inPlaceSchemasOf(document, alternative);
    const names = new Set(inPlaceSchemas.flatMap(({ properties = {} }) => Object.keys(properties)));
    return { names, excludedNames: findExcludedProperties(document, inPlaceSchemas, mode) };
  });
  for (const name of alternatives.flatMap(({ excludedNames }) => [...excludedNames])) {
    if (alternatives.every(({ names, excludedNames }) => excludedNames.has(name) || !names.has(name))) continue;
    const message = `${name} is ${mode} in one alternative of ${keyword} but not in another: mark it in all of them`;
    throw new DocumentError(schema, message, keyword);
  }
}
