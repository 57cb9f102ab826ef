// Reads how the fields of an application/x-www-form-urlencoded are encoded.
import { type Content, type Document, type Schema } from '../document/document';
import { collectParts, propertySchemas } from '../document/parts';
import { readForm, type FormPart } from './form-parts';
import { readNotation, type Notation } from './notation';

export interface FormFields {
  /** The fields for which `encoding` has style, explode or allowReserved: encoded as parameters of a query. */
  readonly styled: readonly (Notation & { readonly name: string })[];
  /** All others, by name: JSON or text. */
  readonly others: ReadonlyMap<string, FormPart>;
}

export const NO_FIELDS: FormFields = { styled: [], others: new Map() };

/**
 * Fields are encoded as parameters of a query where `encodings` has their style, and else as the parts of a
 * multipart/form-data (OpenAPI, Encoding Object). Throws a Mistake when a value cannot be encoded in its style.
 */
export function readFields(
  document: Document,
  schema: Schema,
  encodings: Content[string]['encoding'] = {},
): FormFields {
  const schemasOfForm = collectParts(document, [schema]);
  const hasStyle = (name: string): boolean => {
    const { style, explode, allowReserved } = encodings[name] ?? {};
    return style !== undefined || explode !== undefined || allowReserved !== undefined;
  };
  const styledNames = Object.keys(encodings).filter(hasStyle);
  const styled = styledNames.flatMap((name) => {
    const schemas = propertySchemas(schemasOfForm, name);
    // An encoding of a field that the schema does not declare has no effect.
    if (schemas.length === 0) return [];
    const parameter = { ...encodings[name], schema: { allOf: schemas } };
    return [{ name, ...readNotation(document, parameter, 'query') }];
  });
  const { parts } = readForm(document, schema, encodings);
  const others = [...parts].filter(([name]) => !hasStyle(name));
  return { styled, others: new Map(others) };
}
