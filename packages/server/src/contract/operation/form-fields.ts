// Reads how the fields of a form are written.
import { type Content, type Document, type Schema } from '../document/document';
import { joinParts, membersOf } from '../document/parts';
import { readForm, type FormPart } from './form-parts';
import { readNotation, type Notation } from './notation';

/** How the fields of an application/x-www-form-urlencoded are written. */
export interface FormFields {
  /** Those that `encoding` gives the style of a parameter. */
  readonly styled: readonly (Notation & { readonly name: string })[];
  /** All others, by name: JSON or text. */
  readonly others: ReadonlyMap<string, FormPart>;
}

/** Of a body that is no such form. */
export const NO_FIELDS: FormFields = { styled: [], others: new Map() };

/**
 * Reads how fields are written (OpenAPI, Encoding Object): in the style of a parameter of the query where `encoding` says
 * so, and else as the parts of a multipart/form-data.
 *
 * @throws Mistake when a value cannot be written in its style
 */
export function readFields(
  document: Document,
  schema: Schema,
  encodings: Content[string]['encoding'] = {},
): FormFields {
  const parts = joinParts(document, [schema]);
  const isStyled = (name: string): boolean => {
    const { style, explode, allowReserved } = encodings[name] ?? {};
    return [style, explode, allowReserved].some((one) => one !== undefined);
  };
  const styled = Object.keys(encodings)
    .filter(isStyled)
    .flatMap((name) => {
      const schemas = membersOf(parts, name);
      if (schemas.length === 0) return [];
      return [{ name, ...readNotation(document, { ...encodings[name], schema: { allOf: schemas } }, 'query') }];
    });
  const others = [...readForm(document, schema, encodings).parts].filter(([name]) => !isStyled(name));
  return { styled, others: new Map(others) };
}
