// Makes valid and invalid multipart/form-data bodies.
import type { Content } from '../contract/model';
import { additionalOf, pointersOf, requiredInRequestOf } from '../contract/schema';
import { ADDITIONAL_NAME } from '../values/additional';
import { fits, type Values, type Variant } from '../values/variant';
import { toJson, type Json, type JsonObject, type Wire, type WireObject } from '../wire/json';
import { toParts, writeParts, type SentPart } from '../contract/serialization';
import {
  filesOfUnusualBytes,
  listsOfFiles,
  withOtherTypesAndNames,
  withUnlistedType,
  baseForm,
  interpretationsIn,
  propertiesOfForm,
  type Property,
} from './form-values';
import { createRule, type Rule, type SentBody } from './sent-body';

/** Forms at the edge of each rule of the schema; `interpretation` is the value that a server must read. */
export function createValidForms(values: Values, content: Content): SentBody[] {
  const { schema } = content;
  const base = baseForm(values, content);
  const baseParts = partsOf(content, base);
  // The properties for which a value can be made.
  const properties = propertiesOfForm(content).filter(({ name }) => name in base);
  const createValid: CreateForm = (rule, sent, interpretation) => {
    const isValid = Object.keys(sent).length > 0 && fits(values, schema, interpretation);
    return isValid ? [{ ...rule, body: writeParts(partsOf(content, sent)), interpretation }] : [];
  };
  return [
    ...formsWithAndWithoutOptional(content, base, createValid),
    ...properties.flatMap((property) =>
      candidatesForValid(values, property).flatMap(([variant, interpretation]) => {
        const { name } = property;
        return createValid(variant, { ...base, [name]: variant.value }, { ...base, [name]: interpretation });
      }),
    ),
    ...properties.flatMap((property) =>
      withOtherTypesAndNames(property, baseParts).map(([rule, parts]) => ({
        ...rule,
        body: writeParts(parts),
        interpretation: base,
      })),
    ),
    ...respellForm(content, baseParts).map(([label, body]) => ({
      ...createRule(schema, 'spelling', label),
      body,
      interpretation: base,
    })),
  ];
}

/** Writes `sent`, which a server reads as `interpretation` (the text `1` may be a number); empty if the form is not valid. */
type CreateForm = (rule: Rule, sent: WireObject, interpretation: JsonObject) => SentBody[];

function formsWithAndWithoutOptional(content: Content, base: JsonObject, createValid: CreateForm): SentBody[] {
  const { schema } = content;
  const required = requiredInRequestOf(schema);
  const optional = propertiesOfForm(content).filter(({ name }) => name in base && !required.has(name));
  const [pointer] = [...required.values(), ...pointersOf(schema, 'type')];
  return [
    ...createValid(createRule(schema, 'value', 'every part', pointer), base, base),
    ...optional.flatMap(({ name, schema: property }) => {
      const rest = omitProperty(base, name);
      const rule = createRule(property, 'optional', `without ${name}`);
      return createValid(rule, rest, rest);
    }),
  ];
}

// Leaves out values of which OpenAPI does not say how a server reads them. Some lists of files are invalid: the caller keeps
// only what is valid.
function candidatesForValid(values: Values, property: Property): [Variant, interpretation: Json][] {
  if (property.kind === 'file')
    return [...filesOfUnusualBytes(property), ...listsOfFiles(property)].map((variant) => [
      variant,
      toJson(variant.value),
    ]);
  return values.validValues(property.schema).flatMap((variant): [Variant, Json][] => {
    const [interpretation] = interpretationsIn(property, variant.value) ?? [];
    return interpretation === undefined ? [] : [[variant, interpretation]];
  });
}

// Adds undeclared parts only if the contract has no `additionalProperties`.
function respellForm({ schema }: Content, parts: readonly SentPart[]): [label: string, body: Buffer][] {
  const undeclaredPart: SentPart = { name: ADDITIONAL_NAME, bytes: Buffer.from('1') };
  const undeclaredFile: SentPart = { ...undeclaredPart, fileName: 'a', type: 'a/b' };
  const withTextAround = Buffer.concat([Buffer.from('before\r\n'), writeParts(parts), Buffer.from('after')]);
  return [
    ['parts in another order', writeParts(parts.toReversed())],
    ['a preamble and an epilogue (RFC 2046 5.1.1)', withTextAround],
    ...(additionalOf(schema) === undefined
      ? ([
          ['a part more', writeParts([...parts, undeclaredPart])],
          ['a file more', writeParts([...parts, undeclaredFile])],
        ] satisfies [string, Buffer][])
      : []),
  ];
}

/** Makes multipart/form-data bodies that are invalid however a server reads their texts. */
export function createInvalidForms(values: Values, content: Content): SentBody[] {
  const { schema } = content;
  const base = baseForm(values, content);
  const baseParts = partsOf(content, base);
  // `interpretations` are all values that a server may read; with undefined they are not known, so the form may be valid.
  const createInvalid = (
    rule: Rule,
    sent: WireObject,
    interpretations: readonly JsonObject[] | undefined,
  ): SentBody[] => {
    if (interpretations === undefined || interpretations.some((interpretation) => fits(values, schema, interpretation)))
      return [];
    return [{ ...rule, body: writeParts(partsOf(content, sent)) }];
  };
  const properties = propertiesOfForm(content).filter(({ name }) => name in base);
  return [
    ...[...requiredInRequestOf(schema)].flatMap(([name, pointer]) => {
      const rest = omitProperty(base, name);
      return createInvalid(createRule(schema, 'required', `required, without ${name}`, pointer), rest, [rest]);
    }),
    ...properties.flatMap((property): SentBody[] => [
      ...candidatesForInvalid(values, property).flatMap(([variant, interpretations]) => {
        const { name } = property;
        const interpretationsOfForm = interpretations?.map((interpretation) => ({ ...base, [name]: interpretation }));
        return createInvalid(variant, { ...base, [name]: variant.value }, interpretationsOfForm);
      }),
      ...withUnlistedType(property, baseParts).map(([rule, parts]) => ({ ...rule, body: writeParts(parts) })),
      ...(property.isList ? [] : [repeatPart(property, baseParts)]),
    ]),
  ];
}

/**
 * Values of one property that may be invalid, each with all values that a server may read (undefined if not known). The
 * caller keeps the invalid ones.
 */
function candidatesForInvalid(
  values: Values,
  property: Property,
): [Variant, interpretations: readonly Json[] | undefined][] {
  // Any bytes are a valid file, so only the number of files can be wrong: as many as are allowed, or one less or more.
  if (property.kind === 'file') return listsOfFiles(property).map((variant) => [variant, [toJson(variant.value)]]);
  return values.invalidValues(property.schema).map((variant) => [variant, interpretationsIn(property, variant.value)]);
}

// RFC 7578 section 5.2 does not say how to treat two parts with one name: refusing them is a house rule.
function repeatPart({ name, schema }: Property, parts: readonly SentPart[]): SentBody {
  return {
    ...createRule(schema, 'spelling', `${name} twice`),
    level: 'strict',
    body: writeParts([...parts, ...parts.filter((part) => part.name === name)]),
  };
}

function partsOf({ parts }: Content, form: WireObject): SentPart[] {
  return Object.entries<Wire>(form).flatMap(([name, value]) => {
    const part = parts.get(name);
    return part ? toParts(name, part, value) : [];
  });
}

function omitProperty(form: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries<Json>(form).filter(([other]) => other !== name));
}
