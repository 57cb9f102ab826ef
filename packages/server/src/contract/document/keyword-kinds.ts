// The types of the values of schema keywords, such as a list of schemas.

export interface ValueKind {
  /** For messages: `type must be ...`. */
  readonly expected: string;
  readonly isValid: (value: unknown) => boolean;
}

export const SCHEMA: ValueKind = { expected: 'a schema', isValid: isSchema };
export const SCHEMA_LIST: ValueKind = { expected: 'a list of schemas', isValid: (value) => isList(value, isSchema) };
export const FILLED_SCHEMA_LIST: ValueKind = {
  expected: 'a list of schemas, one at least',
  isValid: (value) => isFilled(value, isSchema),
};
export const SCHEMAS_BY_NAME: ValueKind = { expected: 'schemas by name', isValid: (value) => isMap(value, isSchema) };
export const NUMBER: ValueKind = { expected: 'a number', isValid: (value) => typeof value === 'number' };
export const SIZE: ValueKind = { expected: 'a whole number from 0 on', isValid: isSize };
export const FLAG: ValueKind = { expected: 'true or false', isValid: (value) => typeof value === 'boolean' };
export const TEXT: ValueKind = { expected: 'a text', isValid: isText };
export const ANY: ValueKind = { expected: 'a value', isValid: () => true };
// Which values are valid does not depend on these.
export const ANNOTATION: ValueKind = { ...ANY };

export const TYPE: ValueKind = { expected: 'a type, or a list of types', isValid: isTypes };
export const VALUES: ValueKind = { expected: 'a list of one value at least', isValid: isFilled };
export const NAMES: ValueKind = { expected: 'a list of names', isValid: isNames };
export const NAME_LISTS: ValueKind = { expected: 'lists of names by name', isValid: areNames };
export const DIVISOR: ValueKind = { expected: 'a number above 0', isValid: isAbove };
export const DISCRIMINATOR: ValueKind = { expected: 'an object with a propertyName', isValid: isDiscriminator };

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMap(value: unknown, isValid: (one: unknown) => boolean): boolean {
  return isObject(value) && Object.values(value).every(isValid);
}

function isList(value: unknown, isValid: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isValid);
}

function isFilled(value: unknown, isValid: (one: unknown) => boolean = () => true): boolean {
  return isList(value, isValid) && (value as unknown[]).length > 0;
}

function isSchema(value: unknown): boolean {
  return isObject(value) || typeof value === 'boolean';
}

function isSize(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

function isTypes(value: unknown): boolean {
  return isFilled([value].flat(), (one) => TYPES.includes(one as string));
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isNames(value: unknown): boolean {
  return isList(value, isText);
}

function areNames(value: unknown): boolean {
  return isMap(value, isNames);
}

function isAbove(value: unknown): boolean {
  return typeof value === 'number' && value > 0;
}

// Such as `{ propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } }`: the mapping is optional.
function isDiscriminator(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { propertyName, mapping = {} } = value;
  return typeof propertyName === 'string' && isMap(mapping, isText);
}
