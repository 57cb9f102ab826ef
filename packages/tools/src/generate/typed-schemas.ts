// Rewrites readOnly, writeOnly and defaults for openapi-typescript.
import { type Document, findSchemas, partsOf, type Schema, subschemas } from '@contract-kit/server/contract';

const READ_OR_WRITE_ONLY = ['readOnly', 'writeOnly'] as const;

/** Whether any property is readOnly or writeOnly, by its schema, what that refers to, or its allOf, anyOf or oneOf. */
export function hasReadOrWriteOnly(document: Document): boolean {
  const properties = [...findSchemas(document)].flatMap((schema) => Object.values(schema.properties ?? {}));
  return properties.some((property) =>
    partsOf(document, property).some((part) => READ_OR_WRITE_ONLY.some((keyword) => part[keyword])),
  );
}

/**
 * Copies readOnly and writeOnly to each property from its parts, since openapi-typescript does not follow references,
 * and deletes each default that the server does not fill in: with a default, the type of a property is never undefined.
 */
export function prepareProperties(copy: Document): void {
  const schemas = findSchemas(copy);
  for (const property of [...schemas].flatMap((schema) => Object.values(schema.properties ?? {}))) {
    const parts = partsOf(copy, property);
    for (const keyword of READ_OR_WRITE_ONLY) {
      if (parts.some((part) => part[keyword])) Object.assign(property, { [keyword]: true });
    }
  }
  for (const { properties = {} } of findAlternativeSchemas(copy, schemas)) {
    for (const property of Object.values(properties)) delete (property as { default?: unknown }).default;
  }
}

// Those of anyOf and oneOf, and all below them: a value need not match them, and the server fills in no defaults.
function findAlternativeSchemas(document: Document, schemas: ReadonlySet<Schema>): ReadonlySet<Schema> {
  const found = new Set([...schemas].flatMap(({ anyOf = [], oneOf = [] }) => [...anyOf, ...oneOf]));
  // The loop goes on with the schemas that it adds.
  for (const schema of found) {
    for (const below of [...subschemas(schema), ...partsOf(document, schema)]) found.add(below);
  }
  return found;
}
