// Rewrites a contract's schemas for openapi-typescript, once for requests and once for replies.
import ts from 'typescript';
import {
  DocumentError,
  FILE,
  type NormalizedDocument as Document,
  type NormalizedSchema as Schema,
  type Operation,
  additionalSchemas,
  collectInPlaceSchemas,
  findDefault,
  findExcludedProperties,
  findExcludingSchemas,
  findSchemas,
  inPlaceSchemasOf,
  itemSchemas,
  jsonTypesOf,
  messagesOf,
  propertySchemas,
  resolveReference,
  someSchemaBelow,
  subschemas,
  subschemasOf,
} from '@contract-kit/contract';

export type Mode = 'request' | 'reply';

/** A keyword that overrides a schema's TypeScript type; `items` becomes the argument of a generic type. */
export const TYPE = 'x-type';
type View = Schema & { readonly [TYPE]?: string };

const EXCLUDED_MODES = { request: 'readOnly', reply: 'writeOnly' } as const;
// The generated types use these names, so schemas cannot have them.
const RESERVED_TYPE_NAMES = ['AsyncIterable', 'Blob', 'File', 'Omit', 'Record'];
const KEPT_KEYWORDS = [
  ...['type', 'format', 'const', 'nullable'],
  ...['title', 'description', 'deprecated', 'default', 'example'],
];

// The keywords whose schemas describe the value itself. `if` is left out, because a valid value need not match it.
const CONDITIONAL_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'then', 'else', 'dependentSchemas'] as const;

type SchemaList = readonly Schema[];
type Schemas = Readonly<Record<string, Schema>>;

/** What the views of all schemas depend on. */
export interface SchemaFacts {
  readonly document: Document;
  readonly isForClients: boolean;
  readonly names: ReadonlyMap<Schema, string>;
  /** The schemas of events, rewritten so that JSON in `data` is a value, keyed by the named schemas that they replace. */
  readonly events: ReadonlyMap<Schema, Schema>;
  /** The schemas whose defaults the server fills in. */
  readonly filledIn: ReadonlySet<Schema>;
  /** The named schemas that differ between requests and replies. */
  readonly differing: ReadonlySet<Schema>;
}

interface Value {
  /** The in-place schemas, which together decide what is excluded; empty if they exclude nothing at any depth. */
  readonly inPlaceSchemas: SchemaList;
  /** The properties that an enclosing allOf declares. */
  readonly declared: ReadonlyMap<string, Schema>;
  /** The schemas whose views contain this schema's view. */
  readonly enclosing: SchemaList;
}

export function readSchemaFacts(document: Document, operations: readonly Operation[]): SchemaFacts {
  const schemas = findSchemas(document);
  const names = nameSchemas(document, schemas);
  const [filledIn, events] = [findFilledIn(document, operations), findEvents(document, schemas, operations)];
  const facts = { document, isForClients: false, names, events, filledIn };
  return { ...facts, differing: findDiffering(facts) };
}

/** Converts the facts for clients, which see names and events as in the contract, and no defaults. */
export function toClientFacts({ document, names: handlerNames }: SchemaFacts): SchemaFacts {
  const components = Object.entries((document.components?.['schemas'] ?? {}) as Schemas);
  // Any other name is invalid (OpenAPI, Components Object), and would need escapes in a reference.
  const writtenComponents = components.filter(([name]) => /^[\w.-]+$/.test(name));
  const names = new Map([...handlerNames, ...writtenComponents.map(([name, schema]) => [schema, name] as const)]);
  const facts = { document, isForClients: true, names, filledIn: new Set<Schema>(), events: new Map<Schema, Schema>() };
  return { ...facts, differing: findDiffering(facts) };
}

/** Returns the views of named schemas by type name: `Plant`, and `Plant$Request` if it is different in requests. */
export function toComponents(facts: SchemaFacts): Schemas {
  const components = [...facts.names.keys()].flatMap((schema) =>
    (['reply', 'request'] as const)
      .filter((mode) => mode === 'reply' || facts.differing.has(schema))
      .map(
        (mode) =>
          [
            toTypeName(facts, schema, mode),
            attempt(() => toView(facts, facts.events.get(schema) ?? schema, mode)) ?? {},
          ] as const,
      ),
  );
  return Object.fromEntries(components);
}

function toTypeName({ names, differing }: SchemaFacts, schema: Schema, mode: Mode): string {
  return `${String(names.get(schema))}${mode === 'request' && differing.has(schema) ? '$Request' : ''}`;
}

/**
 * Rewrites a schema so that openapi-typescript generates the type that handlers see: without excluded properties, and with simpler
 * keywords in place of others, such as `if`. It keeps only defaults that the server fills in, because the type of a property with
 * a default does not include undefined.
 */
export function toView(facts: SchemaFacts, schema: Schema, mode: Mode, value = toValue(facts, [schema], mode)): View {
  if (schema === FILE) return { type: 'object', [TYPE]: 'File' };
  const keptMembers = Object.entries(schema).filter(
    ([keyword, value]) => KEPT_KEYWORDS.includes(keyword) && !isReferring(value),
  );
  if (matchesNothing(schema)) return { ...Object.fromEntries(keptMembers), [TYPE]: 'never' };
  if (schema.$ref !== undefined) {
    const target = resolveReference<Schema>(facts.document, schema);
    // The named type would include properties that only schemas next to the $ref exclude.
    if (hasHiddenProperties(facts.document, target, mode, value) && !value.enclosing.includes(target))
      return toView(facts, target, mode, value);
    return { ...Object.fromEntries(keptMembers), $ref: `#/components/schemas/${toTypeName(facts, target, mode)}` };
  }
  // A condition or a required name can lead back to an unnamed schema, whose type would never end.
  if (value.enclosing.includes(schema)) return {};
  const properties = inPlaceSchemasOf(facts.document, schema, ['allOf']).flatMap((inPlaceSchema) =>
    Object.entries<Schema>(inPlaceSchema.properties ?? {}),
  );
  const declared = new Map([...properties, ...value.declared]);
  const innerValue = { ...value, declared, enclosing: [...value.enclosing, schema] };
  const toViews = (list: SchemaList = []): Schema[] => list.map((child) => toView(facts, child, mode, innerValue));
  const { type, nullable, enum: values } = schema;
  const nulls = values?.includes(null) === false ? [] : ['null'];
  const types = type === undefined ? undefined : [type, nullable === true ? 'null' : []].flat();
  const allowedValues = values?.filter((value) => types?.some((name) => jsonTypesOf(value).includes(name)) !== false);
  const ownView: Schema = {
    ...Object.fromEntries(keptMembers),
    ...(type !== undefined && nullable === true && { type: [...[type].flat(), ...nulls], nullable: false }),
    // In an enum of objects, openapi-typescript would treat the values as schemas.
    ...(allowedValues && allowedValues.length > 0 && type !== 'object' && { enum: allowedValues }),
    ...(schema.const === null && { enum: [null] }),
    ...toItems(facts, schema, mode, innerValue),
    ...toProperties(facts, schema, mode, innerValue),
  };
  // openapi-typescript would create a union of an anyOf and its siblings, and repeat the required properties of an allOf.
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  const alternatives = [anyOf, oneOf]
    .filter(({ length }) => length > 0)
    .map((list) => ({ oneOf: toViews(list.flatMap(splitTags)) }));
  const branches = [...toViews(allOf), ...alternatives];
  if (branches.length === 0) return ownView;
  const saysNothing = ownView.type === undefined && ownView.properties === undefined;
  if (branches.length === 1 && saysNothing)
    return { ...ownView, ...alternatives[0], ...(allOf.length > 0 && { allOf: branches }) };
  const description = Object.fromEntries(keptMembers.filter(([keyword]) => keyword === 'description'));
  return saysNothing ? { ...ownView, allOf: branches } : { ...description, allOf: [ownView, ...branches] };
}

// A tuple of variable length becomes a list, whose items can have the type of any item in the tuple.
function toItems(facts: SchemaFacts, schema: Schema, mode: Mode, { inPlaceSchemas, enclosing }: Value): Schema {
  const { prefixItems = [], items } = schema;
  const toItem = (item: Schema, index?: number): View =>
    toView(facts, item, mode, toValue(facts, itemSchemas(inPlaceSchemas, index), mode, enclosing));
  if (prefixItems.length === 0) return items ? { items: toItem(items) } : {};
  const { minItems = 0, maxItems = Infinity } = schema;
  const first = prefixItems.map((item, index) => toItem(item, index));
  const mayBeLonger = maxItems > first.length && !matchesNothing(items ?? {});
  if (!mayBeLonger && minItems >= first.length) return { prefixItems: first };
  return { items: { oneOf: mayBeLonger ? [...first, toItem(items ?? {})] : first } };
}

function toProperties(
  facts: SchemaFacts,
  schema: Schema,
  mode: Mode,
  { inPlaceSchemas, declared, enclosing }: Value,
): Schema {
  const { document } = facts;
  const { then = {}, else: otherwise = {}, dependentSchemas = {} } = schema;
  const conditions = [then, otherwise, ...Object.values(dependentSchemas)];
  const conditionalSchemas = collectInPlaceSchemas(document, conditions, CONDITIONAL_KEYWORDS);
  const toProperty = (property: Schema, schemas: SchemaList, around = enclosing): View =>
    toView(facts, property, mode, toValue(facts, schemas, mode, around));
  const excludedNames = findExcludedProperties(document, inPlaceSchemas, EXCLUDED_MODES[mode]);
  const { required = [], patternProperties = {}, unevaluatedProperties = false } = schema;
  const { additionalProperties = unevaluatedProperties } = schema;
  const additionalView =
    typeof additionalProperties === 'object'
      ? toProperty(additionalProperties, additionalSchemas(inPlaceSchemas))
      : additionalProperties;
  // loadContract does not allow excluded properties below patternProperties.
  const patterns = Object.entries(patternProperties).map(([key, property]) => [key, toProperty(property, [])] as const);
  const properties = { ...schema.properties, ...listConditional(conditionalSchemas, schema, enclosing) };
  const types = [schema.type ?? 'object'].flat();
  const mayBeObject = types.includes('object') && patterns.length === 0;
  const missing = mayBeObject ? required.filter((name) => !Object.hasOwn(properties, name)) : [];
  const members = [...Object.entries(properties), ...missing.map((name) => [name, declared.get(name)] as const)];
  const isFilledIn = mode === 'request' && facts.filledIn.has(schema);
  const visibleViews = members
    .filter(([name]) => !excludedNames.has(name))
    .map(([name, property]) => {
      // A required name that no schema declares has the type of additionalProperties, or any type.
      if (!property) return [name, typeof additionalView === 'object' ? additionalView : {}] as const;
      const value = isFilledIn ? findDefault(document, property) : undefined;
      const isConditional = !Object.hasOwn(schema.properties ?? {}, name) && !missing.includes(name);
      const enclosingSchemas = isConditional ? [...enclosing, ...conditionalSchemas] : enclosing;
      return [
        name,
        { ...toProperty(property, propertySchemas(inPlaceSchemas, name), enclosingSchemas), default: value },
      ] as const;
    });
  const isClosed = schema.additionalProperties === false && patterns.length === 0;
  const isObject = types.every((type) => type === 'object' || type === 'null');
  const hasNoProperties = isObject && visibleViews.length === 0 && (isClosed || members.length > 0);
  const isIndexed = patterns.length > 0 || typeof additionalView === 'object';
  const enclosingProperties = [...(patterns.length > 0 ? declared : [])].filter(([name]) => !excludedNames.has(name));
  const views = enclosingProperties.map(
    ([name, property]) => [name, toProperty(property, propertySchemas(inPlaceSchemas, name))] as const,
  );
  return {
    ...(visibleViews.length > 0 && { properties: Object.fromEntries(visibleViews), required }),
    ...(additionalView !== false && { additionalProperties: additionalView }),
    // An index signature's type must include the types of all properties.
    ...(isIndexed && { patternProperties: Object.fromEntries([...patterns, ...views, ...visibleViews]) }),
    // Linters reject the type {}.
    ...(hasNoProperties && { ...(schema.type === undefined && { type: 'object' }), [TYPE]: 'Record<never, never>' }),
  };
}

// Lists the properties that only `then`, `else` or `dependentSchemas` declare. If a condition leads back to an enclosing schema,
// objects get any type, because otherwise each property would list all others.
function listConditional(conditional: SchemaList, { properties = {} }: Schema, enclosing: SchemaList): Schemas {
  const declarations = conditional.flatMap((schema) =>
    Object.entries<Schema>(schema.properties ?? {}).map(([name, property]) => {
      return [name, enclosing.includes(schema) && subschemas(property).length > 0 ? {} : property] as const;
    }),
  );
  const newDeclarations = declarations.filter(([name]) => !Object.hasOwn(properties, name));
  const byName = Map.groupBy(newDeclarations, ([name]) => name);
  return Object.fromEntries([...byName].map(([name, group]) => [name, { anyOf: group.map(([, schema]) => schema) }]));
}

function toValue({ document }: SchemaFacts, schemas: SchemaList, mode: Mode, enclosing: SchemaList = []): Value {
  const inPlaceSchemas = attempt(() => findExcludingSchemas(document, schemas, EXCLUDED_MODES[mode])) ?? [];
  return { inPlaceSchemas, declared: new Map(), enclosing };
}

function hasHiddenProperties(document: Document, schema: Schema, mode: Mode, { inPlaceSchemas }: Value): boolean {
  const ownSchemas = inPlaceSchemas.length > 0 ? inPlaceSchemasOf(document, schema) : [];
  const names = new Set(
    ownSchemas.flatMap(({ properties = {}, required = [] }) => [...Object.keys(properties), ...required]),
  );
  const excluded = findExcludedProperties(document, ownSchemas, EXCLUDED_MODES[mode]);
  const combinedExcludedNames = [...findExcludedProperties(document, inPlaceSchemas, EXCLUDED_MODES[mode])];
  return combinedExcludedNames.some((name) => names.has(name) && !excluded.has(name));
}

// Finds the schemas that differ between requests and replies. Defaults count, because they apply only to requests.
function findDiffering({ document, names, filledIn, events }: Omit<SchemaFacts, 'differing'>): ReadonlySet<Schema> {
  const isFilled = (schema: Schema): boolean =>
    filledIn.has(schema) &&
    Object.values<Schema>(schema.properties ?? {}).some((property) => findDefault(document, property) !== undefined);
  const differs = (schema: Schema): boolean =>
    Object.values(EXCLUDED_MODES).some((mode) => findExcludingSchemas(document, [schema], mode).length > 0) ||
    someSchemaBelow(document, schema, isFilled);
  const isDifferent = (schema: Schema): boolean => attempt(() => differs(events.get(schema) ?? schema)) ?? false;
  return new Set([...names.keys()].filter(isDifferent));
}

// Splits an alternative with several tags into an alternative for each tag, because TypeScript narrows only by a single literal.
function splitTags(alternative: Schema): Schema[] {
  const [schema, tagged, ...others] = alternative.allOf ?? [];
  const [name = '', ...names] = tagged?.required ?? [];
  const tag = tagged?.properties?.[name];
  if (!schema || !tag?.enum || others.length > 0 || names.length > 0 || Object.keys(tagged ?? {}).length !== 2)
    return [alternative];
  return tag.enum.map((value) => ({
    allOf: [schema, { required: [name], properties: { [name]: { ...tag, enum: [value] } } }],
  }));
}

// Returns undefined for a schema with errors, which in a servable contract no operation needs.
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
}

// Names components, and all other schemas that references point to, such as schemas in `$defs`.
function nameSchemas(document: Document, schemas: ReadonlySet<Schema>): ReadonlyMap<Schema, string> {
  const components = Object.entries((document.components?.['schemas'] ?? {}) as Schemas);
  const referencedSchemas = [...schemas].flatMap((schema): [string, Schema][] => {
    const target = schema.$ref === undefined ? undefined : attempt(() => resolveReference<Schema>(document, schema));
    return target ? [[String(schema.$ref?.split('/').at(-1)), target]] : [];
  });
  const names = new Map([...referencedSchemas, ...components].map(([name, schema]) => [schema, name]));
  const orderedSchemas = new Set([...components, ...referencedSchemas].map(([, schema]) => schema));
  const takenNames = new Set(RESERVED_TYPE_NAMES);
  const typeNames = new Map([...orderedSchemas].map((schema) => [schema, String(names.get(schema))]));
  const toIdentifier = (name: string): string => name.replace(/[^\p{ID_Continue}]/gu, '_').replace(/^\d/, '_$&');
  const isChanged = (name: string): number => Number(name !== toIdentifier(name));
  for (const [schema, name] of [...typeNames].sort(([, left], [, right]) => isChanged(left) - isChanged(right))) {
    let typeName = toIdentifier(name);
    while (takenNames.has(typeName) || ts.identifierToKeywordKind(ts.factory.createIdentifier(typeName)) !== undefined)
      typeName += '$';
    takenNames.add(typeName);
    typeNames.set(schema, typeName);
  }
  return typeNames;
}

function findEvents(
  document: Document,
  schemas: ReadonlySet<Schema>,
  operations: readonly Operation[],
): ReadonlyMap<Schema, Schema> {
  const messages = operations.flatMap((operation) => Object.values(messagesOf(operation)).flat());
  const usedSchemas = new Set(
    subschemasOf(
      document,
      messages.map(({ schema }) => schema),
    ),
  );
  const events = [...schemas].flatMap((schema: Schema & { readonly 'x-rewritten'?: string }): [Schema, Schema][] => {
    const { 'x-rewritten': reference } = schema;
    return reference === undefined ? [] : [[resolveReference<Schema>(document, { $ref: reference }), schema]];
  });
  return new Map(events.filter(([original]) => !usedSchemas.has(original)));
}

// The server fills in defaults in requests, except inside alternatives and conditions.
function findFilledIn(document: Document, operations: readonly Operation[]): ReadonlySet<Schema> {
  const schemas = operations.flatMap((operation) => messagesOf(operation).requests).map(({ schema }) => schema);
  const allSchemas = [...subschemasOf(document, schemas)];
  const alternatives = allSchemas.flatMap(
    ({ anyOf = [], oneOf = [], then, else: otherwise, dependentSchemas = {} }) => [
      ...[...anyOf, ...oneOf, ...Object.values(dependentSchemas)],
      ...[then, otherwise].filter((schema) => schema !== undefined),
    ],
  );
  const optionalSchemas = new Set(subschemasOf(document, alternatives));
  return new Set(allSchemas.filter((schema) => !optionalSchemas.has(schema)));
}

// Whether a value has a `$ref`, which openapi-typescript would follow even in data, such as an example.
function isReferring(value: unknown): boolean {
  return typeof value === 'object' && value !== null && JSON.stringify(value).includes('"$ref"');
}

function matchesNothing({ not }: Schema): boolean {
  return not !== undefined && Object.keys(not).length === 0;
}
