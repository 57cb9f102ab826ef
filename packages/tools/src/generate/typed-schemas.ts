// Rewrites readOnly, writeOnly and defaults for openapi-typescript.
import { type Document, findSchemas, partsOf, type Schema, subschemas } from '@contract-kit/server/contract';

const READ_OR_WRITE_ONLY = ['readOnly', 'writeOnly'] as const;

/** Whether the types of a contract have marks, which openapi-typescript writes as `$Read` and `$Write`. */
export function hasReadOrWriteOnly(document: Document): boolean {
  const properties = [...findSchemas(document)].flatMap((schema) => Object.values(schema.properties ?? {}));
  return properties.some((property) => partsOf(document, property).some((part) => READ_OR_WRITE_ONLY.some((mark) => part[mark])));
}

/**
 * Prepares properties for openapi-typescript, which does not follow references: copies readOnly and writeOnly to each
 * property from its parts, and deletes each default that the server does not fill in.
 *
 * @param copy changed
 */
export function prepareProperties(copy: Document): void {
  const schemas = findSchemas(copy);
  for (const property of [...schemas].flatMap((schema) => Object.values(schema.properties ?? {}))) {
    const parts = partsOf(copy, property);
    for (const mark of READ_OR_WRITE_ONLY) if (parts.some((part) => part[mark])) Object.assign(property, { [mark]: true });
  }
  for (const { properties = {} } of findAlternativeSchemas(copy, schemas)) {
    for (const property of Object.values(properties)) delete (property as { default?: unknown }).default;
  }
}

/** Finds the schemas that a value need not match, and all below them: the server fills in no defaults of these. */
function findAlternativeSchemas(document: Document, schemas: ReadonlySet<Schema>): ReadonlySet<Schema> {
  const found = new Set([...schemas].flatMap(({ anyOf = [], oneOf = [] }) => [...anyOf, ...oneOf]));
  // The set grows during the loop.
  for (const schema of found)
    for (const below of [...subschemas(schema), ...partsOf(document, schema)]) found.add(below);
  return found;
}
