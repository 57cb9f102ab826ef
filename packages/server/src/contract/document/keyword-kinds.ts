// The types of the values of schema keywords, such as a list of schemas.

/** The type of a keyword's value. */
export interface Kind {
  /** For messages: `type must be ...`. */
  readonly what: string;
  readonly isRight: (value: unknown) => boolean;
}

export const SCHEMA: Kind = { what: 'a schema', isRight: isSchema };
export const SCHEMAS: Kind = { what: 'a list of schemas', isRight: (value) => isList(value, isSchema) };
export const ALTERNATIVES: Kind = {
  what: 'a list of schemas, one at least',
  isRight: (value) => isFilled(value, isSchema),
};
export const MEMBERS: Kind = { what: 'schemas by name', isRight: (value) => isMap(value, isSchema) };
export const NUMBER: Kind = { what: 'a number', isRight: (value) => typeof value === 'number' };
export const SIZE: Kind = { what: 'a whole number from 0 on', isRight: isSize };
export const FLAG: Kind = { what: 'true or false', isRight: (value) => typeof value === 'boolean' };
export const TEXT: Kind = { what: 'a text', isRight: isText };
export const ANY: Kind = { what: 'a value', isRight: () => true };
// Which values are valid does not depend on these.
export const ANNOTATION: Kind = { ...ANY };

export const TYPE: Kind = { what: 'a type, or a list of types', isRight: isTypes };
export const VALUES: Kind = { what: 'a list of one value at least', isRight: isFilled };
export const NAMES: Kind = { what: 'a list of names', isRight: isNames };
export const NAME_LISTS: Kind = { what: 'lists of names by name', isRight: areNames };
export const DIVISOR: Kind = { what: 'a number above 0', isRight: isAbove };
export const DISCRIMINATOR: Kind = { what: 'an object with a propertyName', isRight: isDiscriminator };

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMap(value: unknown, isRight: (one: unknown) => boolean): boolean {
  return isObject(value) && Object.values(value).every(isRight);
}

function isList(value: unknown, isRight: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isRight);
}

function isFilled(value: unknown, isRight: (one: unknown) => boolean = () => true): boolean {
  return isList(value, isRight) && (value as unknown[]).length > 0;
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

function isDiscriminator(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { propertyName, mapping = {} } = value;
  return typeof propertyName === 'string' && isMap(mapping, isText);
}
