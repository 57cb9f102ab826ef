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

export function toSchemaId(name: string): string {
  return `contract:${name}`;
}

/** Serializes a schema so that equal schemas have equal bytes. */
export function toBytes(schema: ValidatorSchema): string {
  return serialize(schema).toString('latin1');
}

/** A schema that a copy refers to, and that becomes a component of EOV's document. */
interface Component {
  readonly name: string;
  readonly schema: NormalizedSchema;
  readonly value: DescribedValue;
}

/**
 * Copies the schemas of messages, and all schemas that they refer to, into EOV's document. Messages with equal schemas share a copy.
 *
 * @returns the copies by name, the name of each message's copy, and the copies with a default
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
    const entry = copies.get(key) ?? [`m${String(copies.size)}`, schema];
    copies.set(key, entry);
    names.set(message, entry[0]);
  }
  return { names, defaults, copies: Object.fromEntries([...copies.values(), ...copyReferenced()]) };
}

interface SchemaCopier {
  /** Leaves out excluded properties, and does not require them. */
  readonly copy: (schema: NormalizedSchema, excluded: AccessMode) => ValidatorSchema;
  /** Copies the schemas that earlier copies refer to. Must be called last. */
  readonly copyReferenced: () => [name: string, schema: ValidatorSchema][];
  readonly defaults: ReadonlySet<ValidatorSchema>;
}

function createSchemaCopier(document: NormalizedDocument): SchemaCopier {
  const ids = new Map<NormalizedSchema, number>();
  const components = new Map<string, Component>();
  const defaults = new Set<ValidatorSchema>();
  const holdsDefault = new WeakMap<NormalizedSchema, boolean>();

  function copySchema(schema: NormalizedSchema, value: DescribedValue): ValidatorSchema {
    if (schema.$ref !== undefined) return { $ref: toSchemaId(nameOf(resolveReference(document, schema), value)) };
    const excludedNames = findExcludedProperties(document, value.inPlaceSchemas, value.excluded);
    const isKept = (name: string): boolean => !excludedNames.has(name);
    // An alternative's default would be filled in even if the alternative does not match.
    const schemaToCopy = value.isAlternative ? omitKeywords(schema, 'default') : schema;
    const entries = keywordsForValidator(document, schemaToCopy).map(([keyword, child]) => [
      keyword,
      copyKeyword(keyword, child, value, isKept),
    ]);
    const copyWithMinItems = addMinItems(Object.fromEntries(entries) as ValidatorSchema);
    const copy = splitWideSchema(checkTagFirst(document, schema, copyWithMinItems, isKept));
    if (hasDefault(schemaToCopy)) defaults.add(copy);
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
        const properties = Object.entries(child as Record<string, NormalizedSchema>).filter(([name]) => isKept(name));
        // Ajv stops at the first invalid property, so properties that distinguish alternatives come first.
        const sorted = properties.toSorted(
          (left, right) => Number(hasSingleValue(right)) - Number(hasSingleValue(left)),
        );
        return mapValues(Object.fromEntries(sorted), (property, name) => {
          const schemas = propertySchemas(value.inPlaceSchemas, name);
          return copyDefault(property, copySchema(property, toDescribedValue(document, schemas, value)), value);
        });
      }
      default: {
        if (schemasOf(keyword, child).length === 0) return child;
        const childValue = toChildValue(document, keyword, value);
        return mapSchemas(keyword, child, (inner) => (isObjectOrArray(inner) ? copySchema(inner, childValue) : inner));
      }
    }
  }

  // Adds a default from a reference or allOf to the property itself, since Ajv fills in only the property's own default.
  function copyDefault(property: NormalizedSchema, copy: ValidatorSchema, value: DescribedValue): ValidatorSchema {
    const parts = value.isAlternative || defaults.has(copy) ? [] : inPlaceSchemasOf(document, property, ['allOf']);
    const part = parts.find(hasDefault);
    if (!part) return copy;
    const copyWithDefault = { allOf: [copy], ...toDefault(document, part, property) };
    defaults.add(copyWithDefault);
    return copyWithDefault;
  }

  // Names a component. A schema can have several copies, which exclude different properties, or have no defaults.
  function nameOf(schema: NormalizedSchema, { inPlaceSchemas, excluded, ...value }: DescribedValue): string {
    // A schema without defaults has the same copy inside and outside alternatives.
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
    // The map grows during the loop, since a copy may refer to further schemas.
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

// Adds the minItems that `contains` implies, since for an empty array Ajv reuses the previous array's result.
function addMinItems(schema: ValidatorSchema): ValidatorSchema {
  const { contains, minContains = 1, minItems = 0 } = schema;
  return contains === undefined ? schema : { ...schema, minItems: Math.max(minItems, minContains) };
}

function hasDefault({ default: value }: NormalizedSchema): boolean {
  return value !== undefined;
}

// A handler gets a bigint only where the contract declares an int64, and this includes defaults.
function toDefault(
  document: NormalizedDocument,
  schema: NormalizedSchema,
  whole = schema,
): Pick<ValidatorSchema, 'default' | 'x-default'> {
  const value = toExact(exactValueOf(schema, 'default'));
  const isExact = holdsBigint(value) && createShape(document, whole).holdsInt64;
  return isExact ? { 'x-default': value } : { default: schema.default };
}

/** The value that a schema describes. All of a value's schemas together decide which of its properties are excluded. */
interface DescribedValue {
  /** All schemas that describe the value; empty if they exclude no property at any depth. */
  readonly inPlaceSchemas: readonly NormalizedSchema[];
  /** The keyword that excludes a property: readOnly in a request, writeOnly in a reply. */
  readonly excluded: AccessMode;
  /** Whether the value need not match the schema, as in anyOf, so that its defaults must not be filled in. */
  readonly isAlternative: boolean;
}

// Leaves out schemas that do not exclude any property, so that values with the same exclusions share copies.
function toDescribedValue(
  document: NormalizedDocument,
  schemas: readonly NormalizedSchema[],
  { excluded, isAlternative }: Pick<DescribedValue, 'excluded' | 'isAlternative'>,
): DescribedValue {
  return { inPlaceSchemas: findExcludingSchemas(document, schemas, excluded), excluded, isAlternative };
}

// Returns the value that a keyword's subschemas describe: an item for `items`, and the same value for `allOf`.
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
    // loadContract does not allow excluded properties below these keywords.
    case 'prefixItems':
    case 'patternProperties':
    case 'propertyNames':
      return toDescribedValue(document, [], value);
    // anyOf, oneOf, not, if, then, else and dependentSchemas describe the same value, but it does not have to match.
    default:
      return { ...value, isAlternative: true };
  }
}

const KEYWORDS_CHECKED_BY_KIT = new Set(['readOnly', 'writeOnly', 'discriminator', '$defs', 'definitions']);

// The validator would mistake unknown keywords for keywords of an older JSON Schema, and an `id` in an example for a schema's id.
function keywordsForValidator(
  document: NormalizedDocument,
  schema: NormalizedSchema,
): (readonly [keyword: string, value: unknown])[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const definition = KEYWORDS.get(keyword);
    if (!definition || definition.kind === 'an annotation' || KEYWORDS_CHECKED_BY_KIT.has(keyword)) return [];
    if (keyword === 'type' && mayBeNumber(schema.type)) return [[NUMERIC_TYPE, value]];
    if (keyword === 'nullable') {
      // Without a type, nullable has no effect (OpenAPI 3.0.3, Schema Object), and the validator refuses to compile it.
      if (schema.type === undefined || value !== true) return [];
      return [[mayBeNumber(schema.type) ? NUMERIC_NULLABLE : keyword, value]];
    }
    if (keyword === 'default') return Object.entries(toDefault(document, schema));
    if (definition.about !== 'number' && !/^(?:enum|const)$/.test(keyword)) return [[keyword, value]];
    // In OpenAPI 3.0, this is a flag. It is handled below, together with its limit.
    if (typeof value === 'boolean' && keyword.startsWith('exclusive')) return [];
    const exclusiveKeyword = EXCLUSIVE[keyword];
    const name = exclusiveKeyword && schema[exclusiveKeyword] === true ? exclusiveKeyword : keyword;
    return [[name, toExact(exactValueOf(schema, keyword))]];
  });
}

const EXCLUSIVE: Readonly<Partial<Record<string, 'exclusiveMinimum' | 'exclusiveMaximum'>>> = {
  minimum: 'exclusiveMinimum',
  maximum: 'exclusiveMaximum',
};
