// Copies the schemas of a contract into the document that EOV is given.
import { serialize } from 'node:v8';
import {
  KEYWORDS,
  additionalSchemas,
  createShape,
  exactValueOf,
  findExcludedProperties,
  findExcludingSchemas,
  holdsBigint,
  inPlaceSchemasOf,
  isObjectOrArray,
  itemSchemas,
  mapSchemas,
  mapValues,
  mayBeNumber,
  omitKeywords,
  propertySchemas,
  resolveReference,
  schemasOf,
  someSchemaBelow,
  toExact,
  type AccessMode,
  type MessageSchema,
  type NormalizedDocument,
  type NormalizedSchema,
  type ValidatorSchema,
} from '@contract-kit/contract';
import { splitWideSchema } from '../split-wide';
import { checkTagFirst } from '../tag-first';
import { NUMERIC_NULLABLE, NUMERIC_TYPE } from './keywords';

/** The URI of a copied schema, which is the same in each document. */
export function toSchemaId(name: string): string {
  return `contract:${name}`;
}

/** Equal schemas have equal bytes. */
export function toBytes(schema: ValidatorSchema): string {
  return serialize(schema).toString('latin1');
}

/** A schema that a copied schema refers to, and that becomes a component of the new document. */
interface Component {
  readonly name: string;
  readonly schema: NormalizedSchema;
  readonly value: DescribedValue;
}

/**
 * Copies the schemas of messages, and all that they refer to, by name. Messages with equal schemas share a copy.
 *
 * @returns `defaults`: the copies with a default
 */
export function copyMessages(
  document: NormalizedDocument,
  messages: readonly MessageSchema[],
): {
  readonly copies: Readonly<Record<string, ValidatorSchema>>;
  readonly names: ReadonlyMap<MessageSchema, string>;
  readonly defaults: ReadonlySet<ValidatorSchema>;
} {
  const { copy, copyReferenced, defaults } = createSchemaCopier(document);
  const copies = new Map<string, readonly [name: string, schema: ValidatorSchema]>();
  const names = new Map<MessageSchema, string>();
  for (const message of new Set(messages)) {
    const schema = copy(message.schema, message.excluded);
    const key = toBytes(schema);
    const named = copies.get(key) ?? [`m${String(copies.size)}`, schema];
    copies.set(key, named);
    names.set(message, named[0]);
  }
  return { names, defaults, copies: Object.fromEntries([...copies.values(), ...copyReferenced()]) };
}

interface SchemaCopier {
  /** Leaves out the properties that are excluded, and all that requires one of them. */
  readonly copy: (schema: NormalizedSchema, excluded: AccessMode) => ValidatorSchema;
  /** Comes last: copies the schemas that earlier copies refer to, which are the components of the new document. */
  readonly copyReferenced: () => [name: string, schema: ValidatorSchema][];
  /** The copies with a default. */
  readonly defaults: ReadonlySet<ValidatorSchema>;
}

function createSchemaCopier(document: NormalizedDocument): SchemaCopier {
  const ids = new Map<NormalizedSchema, number>();
  const components = new Map<string, Component>();
  const defaults = new Set<ValidatorSchema>();
  const holdsDefault = new WeakMap<NormalizedSchema, boolean>();

  // Any of the schemas that describe the value (`value.inPlaceSchemas`) may exclude a property.
  function copySchema(schema: NormalizedSchema, value: DescribedValue): ValidatorSchema {
    if (schema.$ref !== undefined) return { $ref: toSchemaId(nameOf(resolveReference(document, schema), value)) };
    const excludedNames = findExcludedProperties(document, value.inPlaceSchemas, value.excluded);
    const isKept = (name: string): boolean => !excludedNames.has(name);
    // A default that is filled in for an alternative that does not match would change the value.
    const kept = value.isAlternative ? omitKeywords(schema, 'default') : schema;
    const copied = keywordsForValidator(document, kept).map(([keyword, child]) => [
      keyword,
      copyKeyword(keyword, child, value, isKept),
    ]);
    const untagged = addMinItems(Object.fromEntries(copied) as ValidatorSchema);
    const copy = splitWideSchema(checkTagFirst(document, schema, untagged, isKept));
    if (hasDefault(kept)) defaults.add(copy);
    return copy;
  }

  function copyKeyword(
    keyword: string,
    child: unknown,
    value: DescribedValue,
    isKept: (name: string) => boolean,
  ): unknown {
    switch (keyword) {
      case 'required':
        return (child as string[]).filter(isKept);
      case 'dependentRequired':
        return mapValues(child as Record<string, string[]>, (names) => names.filter(isKept));
      case 'properties': {
        const included = Object.entries(child as Record<string, NormalizedSchema>).filter(([name]) => isKept(name));
        // Ajv stops at the first wrong property: what tells alternatives apart comes first.
        const sorted = included.toSorted(
          (childSchema, other) => Number(hasSingleValue(other)) - Number(hasSingleValue(childSchema)),
        );
        return mapValues(Object.fromEntries(sorted), (property, name) => {
          const schemas = propertySchemas(value.inPlaceSchemas, name);
          return copyDefault(property, copySchema(property, toDescribedValue(document, schemas, value)), value);
        });
      }
      default: {
        if (schemasOf(keyword, child).length === 0) return child;
        const childValue = toChildValue(document, keyword, value);
        // true and false are schemas too, with nothing to leave out.
        return mapSchemas(keyword, child, (inner) => (isObjectOrArray(inner) ? copySchema(inner, childValue) : inner));
      }
    }
  }

  // Ajv fills in a default of the property itself only, not one that the property refers to or has in allOf.
  function copyDefault(property: NormalizedSchema, copy: ValidatorSchema, value: DescribedValue): ValidatorSchema {
    const parts = value.isAlternative || defaults.has(copy) ? [] : inPlaceSchemasOf(document, property, ['allOf']);
    const found = parts.find(hasDefault);
    if (!found) return copy;
    const filled = { allOf: [copy], ...toDefault(document, found, property) };
    defaults.add(filled);
    return filled;
  }

  // Names a component. A schema has several copies where other properties are excluded, or its defaults are kept or not.
  function nameOf(schema: NormalizedSchema, { inPlaceSchemas, excluded, ...value }: DescribedValue): string {
    // A schema without defaults has the same copy as an alternative.
    const isAlternative = value.isAlternative && someSchemaBelow(document, schema, hasDefault, holdsDefault);
    const key = [
      idOf(schema),
      isAlternative,
      ...(inPlaceSchemas.length > 0 ? [excluded, ...inPlaceSchemas.map(idOf)] : []),
    ].join();
    const { name } = components.get(key) ?? { name: String(components.size) };
    components.set(key, { name, schema, value: { inPlaceSchemas, excluded, isAlternative } });
    return name;
  }

  function idOf(schema: NormalizedSchema): number {
    const id = ids.get(schema) ?? ids.size;
    ids.set(schema, id);
    return id;
  }

  return {
    defaults,
    copy: (schema, excluded) =>
      copySchema(schema, toDescribedValue(document, [schema], { excluded, isAlternative: false })),
    // The map grows during the loop: a copy may refer to a schema that no earlier copy referred to.
    copyReferenced: () => {
      const copied: [string, ValidatorSchema][] = [];
      for (const { name, schema, value } of components.values()) copied.push([name, copySchema(schema, value)]);
      return copied;
    },
  };
}

function hasSingleValue([, { const: only, enum: allowed }]: [name: string, property: NormalizedSchema]): boolean {
  return only !== undefined || allowed?.length === 1;
}

// Adds the minItems that `contains` implies: for an empty array, Ajv reuses the result of the previous array.
function addMinItems(schema: ValidatorSchema): ValidatorSchema {
  const { contains, minContains = 1, minItems = 0 } = schema;
  return contains === undefined ? schema : { ...schema, minItems: Math.max(minItems, minContains) };
}

function hasDefault({ default: value }: NormalizedSchema): boolean {
  return value !== undefined;
}

// Where nothing is an int64, a handler gets doubles: from a default, too.
function toDefault(
  document: NormalizedDocument,
  schema: NormalizedSchema,
  whole = schema,
): Pick<ValidatorSchema, 'default' | 'x-default'> {
  const value = toExact(exactValueOf(schema, 'default'));
  const isExact = holdsBigint(value) && createShape(document, whole).holdsInt64;
  return isExact ? { 'x-default': value } : { default: schema.default };
}

/** The value that a schema describes. All its schemas together decide which of its properties are excluded. */
interface DescribedValue {
  /** All schemas that describe the value; empty if they exclude no property in it, at any depth. */
  readonly inPlaceSchemas: readonly NormalizedSchema[];
  /** The keyword that excludes a property: readOnly in a request, writeOnly in a reply. */
  readonly excluded: AccessMode;
  /** Whether the schema need not match, as one of an anyOf: then its defaults must not be filled in. */
  readonly isAlternative: boolean;
}

/** Leaves the schemas out if none excludes a property, so that copies of a schema for such values are shared. */
function toDescribedValue(
  document: NormalizedDocument,
  schemas: readonly NormalizedSchema[],
  { excluded, isAlternative }: Pick<DescribedValue, 'excluded' | 'isAlternative'>,
): DescribedValue {
  return { inPlaceSchemas: findExcludingSchemas(document, schemas, excluded), excluded, isAlternative };
}

/** The value below a keyword: for `items` an item, for `allOf` the same. Not `properties`: each is a value of its own. */
function toChildValue(document: NormalizedDocument, keyword: string, value: DescribedValue): DescribedValue {
  switch (keyword) {
    case 'allOf':
      return value;
    case 'items':
    case 'unevaluatedItems':
      return toDescribedValue(document, itemSchemas(value.inPlaceSchemas), value);
    case 'contains':
      return { ...toDescribedValue(document, itemSchemas(value.inPlaceSchemas), value), isAlternative: true };
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return toDescribedValue(document, additionalSchemas(value.inPlaceSchemas), value);
    // No schema below these may exclude a property: loading the contract refuses it.
    case 'prefixItems':
    case 'patternProperties':
    case 'propertyNames':
      return toDescribedValue(document, [], value);
    // anyOf, oneOf, not, if, then, else and dependentSchemas: schemas of the same value that it need not match.
    default:
      return { ...value, isAlternative: true };
  }
}

// The kit enforces these itself, in ways that the validator cannot.
const KEYWORDS_CHECKED_BY_KIT = new Set(['readOnly', 'writeOnly', 'discriminator', '$defs', 'definitions']);

/**
 * Lists the keywords of a schema that the validator is given, with their values. All others are left out: it would read an
 * unknown keyword as one of an older JSON Schema, and an `id` inside an example as the id of a schema.
 */
function keywordsForValidator(
  document: NormalizedDocument,
  schema: NormalizedSchema,
): (readonly [keyword: string, value: unknown])[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const known = KEYWORDS.get(keyword);
    if (!known || known.kind === 'an annotation' || KEYWORDS_CHECKED_BY_KIT.has(keyword)) return [];
    if (keyword === 'type' && mayBeNumber(schema.type)) return [[NUMERIC_TYPE, value]];
    if (keyword === 'nullable') {
      // Without a type it changes nothing (OpenAPI 3.0.3, Schema Object), and the validator refuses to compile it.
      if (schema.type === undefined || value !== true) return [];
      return [[mayBeNumber(schema.type) ? NUMERIC_NULLABLE : keyword, value]];
    }
    if (keyword === 'default') return Object.entries(toDefault(document, schema));
    if (known.about !== 'number' && !/^(?:enum|const)$/.test(keyword)) return [[keyword, value]];
    // The flag of OpenAPI 3.0, which says what the limit beside it is.
    if (typeof value === 'boolean' && keyword.startsWith('exclusive')) return [];
    const exclusive = EXCLUSIVE[keyword];
    const name = exclusive && schema[exclusive] === true ? exclusive : keyword;
    return [[name, toExact(exactValueOf(schema, keyword))]];
  });
}

const EXCLUSIVE: Readonly<Partial<Record<string, 'exclusiveMinimum' | 'exclusiveMaximum'>>> = {
  minimum: 'exclusiveMinimum',
  maximum: 'exclusiveMaximum',
};
