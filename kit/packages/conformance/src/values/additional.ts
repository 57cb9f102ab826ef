// Makes object properties that the contract does not name.
import { hasRule, rangeOf, additionalOf, childOf, type Schema } from '../contract/schema';
import type { ImplementationDefined } from '../contract/standards';
import { Members, toJson, toText, type Wire, type WireObject } from '../wire/json';
import { createVariant, nest, type Values, type Variant } from './variant';

export const ADDITIONAL_NAME = 'another';

/** Returns `{"a":1,"another":` and `}` for `{"a":1}`. For JSON that is not an object, returns `[` and `]`. */
export function aroundAddedValue(valid: string): [before: string, after: string] {
  if (!valid.endsWith('}')) return ['[', ']'];
  const comma = valid === '{}' ? '' : ',';
  return [`${valid.slice(0, -1)}${comma}"${ADDITIONAL_NAME}":`, '}'];
}

/** Makes one forbidden property, or else an additional property with each invalid value of its schema. */
export function makeInvalidAdditionalProperties(values: Values, schema: Schema, base: WireObject): Variant[] {
  const additional = additionalOf(schema);
  if (additional === false) {
    const [keyword = ''] = CLOSING_KEYWORDS.filter((name) => hasRule(schema, name, false));
    const object = { ...base, [ADDITIONAL_NAME]: 1n };
    return [createVariant(schema, { keyword, label: `${keyword}, one more` }, object)];
  }
  if (typeof additional !== 'object') return [];
  return nestAdditionalProperties(base, values.inner.invalidValues(additional));
}

export const CLOSING_KEYWORDS = ['additionalProperties', 'unevaluatedProperties'];

/** Makes additional properties, if allowed, with names and values that servers often get wrong. */
export function makeValidAdditionalProperties(values: Values, schema: Schema, base: WireObject): Variant[] {
  const additional = additionalOf(schema);
  if (additional === false || Object.keys(base).length >= rangeOf(schema, 'Properties').max) return [];
  if (typeof additional === 'object') {
    const members = values.inner.validValues(additional);
    return nestAdditionalProperties(base, members);
  }
  const extras: readonly (readonly [name: string, value: Wire, implementationDefined?: ImplementationDefined])[] = [
    [ADDITIONAL_NAME, { deep: [null, 1.5, {}] }],
    ['', 'an empty name'],
    ['__proto__', { [ADDITIONAL_NAME]: true }, 'RFC 8259 9'],
    ['constructor', { prototype: null }, 'RFC 8259 9'],
    ['toString', 1n],
    ['\u{1f331}', 'an astral name'],
  ];
  return extras.map(([name, value, implementationDefined]) =>
    createVariant(
      schema,
      { keyword: 'extra', label: `a property more, ${JSON.stringify(name)}`, implementationDefined },
      // Unlike a plain object, Members can have a member named __proto__.
      new Members([...Object.entries(base), [name, value]]),
    ),
  );
}

function nestAdditionalProperties(base: WireObject, members: readonly Variant[]): Variant[] {
  return members.map((member) =>
    nest(member, { ...base, [ADDITIONAL_NAME]: member.value }, `additional, ${member.label}`),
  );
}

export function makeAdditionalValue(values: Values, schema: Schema): Wire {
  const additional = additionalOf(schema);
  return typeof additional === 'object' ? values.baseOf(additional) : 'text';
}

export function makeAdditionalMembers(values: Values, schema: Schema, count: number): WireObject {
  const names = childOf(schema, 'propertyNames');
  const defaultNames = Array.from({ length: count }, (_unused, index) => `${ADDITIONAL_NAME}${String(index)}`);
  const validNames = names ? values.validValues(names).map(({ value }) => toText(toJson(value))) : defaultNames;
  return Object.fromEntries(validNames.slice(0, count).map((name) => [name, makeAdditionalValue(values, schema)]));
}

export function padToMinimum(values: Values, schema: Schema, object: WireObject): WireObject {
  const missingCount = Math.max(0, rangeOf(schema, 'Properties').min - Object.keys(object).length);
  return { ...object, ...makeAdditionalMembers(values, schema, missingCount) };
}
