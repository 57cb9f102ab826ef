// Finds the values that a text may mean by a schema, such as `1`: a number or a string.
import {
  additionalOf,
  allBranchesOf,
  itemsOf,
  propertiesOf,
  typesOf,
  type Schema,
  type TypeName,
} from '../contract/schema';
import { isJsonList, isJsonObject, Raw, readNumber, type Json } from '../wire/json';
import { text } from '../wire/parameter';

// Enough to recognize an invalid value.
const MOST = 64;

/**
 * The values that a server may read from the text of a value, by its schema: `1` may be a number or a string. The
 * likeliest comes first; empty when no type fits, undefined when OpenAPI does not say.
 */
export function meaningsOf(schema: Schema, value: Json | Raw): readonly Json[] | undefined {
  const branches = allBranchesOf(schema);
  const types = new Set(branches.flatMap((branch) => [...typesOf(branch)]));
  if (value === null) return types.has('null') ? undefined : meaningsOf(schema, 'null');
  if (isJsonList(value)) {
    const items = branches.map(itemsOf).find((one) => one !== undefined);
    return types.has('array') && value.length > 0
      ? combineMeanings(value.map((item) => meaningsIn(items, item)))
      : undefined;
  }
  if (isJsonObject(value) && !(value instanceof Raw)) {
    const entries = Object.entries(value);
    const members = combineMeanings(entries.map(([name, member]) => meaningsIn(memberSchema(branches, name), member)));
    if (!types.has('object') || entries.length === 0) return undefined;
    return members?.map((each) => Object.fromEntries(entries.map(([name], index) => [name, each[index] ?? null])));
  }
  const alone = text(value);
  if (types.has('array') && !types.has('string')) {
    const items = branches.map(itemsOf).find((one) => one !== undefined);
    return alone === '' ? undefined : meaningsIn(items, value)?.map((item) => [item]);
  }
  // OpenAPI has no text for null.
  if (types.has('null') && (alone === '' || alone === 'null')) return undefined;
  return scalarMeanings(types, alone);
}

// RFC 8259 section 6.
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function scalarMeanings(types: ReadonlySet<TypeName>, alone: string): Json[] {
  const isNumber = (types.has('integer') || types.has('number')) && NUMBER.test(alone);
  const isBoolean = types.has('boolean') && (alone === 'true' || alone === 'false');
  return [
    ...(isNumber ? [readNumber(alone)] : []),
    ...(isBoolean ? [alone === 'true'] : []),
    ...(types.has('string') ? [alone] : []),
  ];
}

function meaningsIn(schema: Schema | undefined, value: Json | Raw): readonly Json[] | undefined {
  if (!schema) return typeof value === 'object' && !(value instanceof Raw) ? undefined : [text(value)];
  return meaningsOf(schema, value);
}

function memberSchema(branches: readonly Schema[], name: string): Schema | undefined {
  const named = branches.map((branch) => propertiesOf(branch).get(name)).find((one) => one !== undefined);
  return named ?? branches.map(additionalOf).find((one) => typeof one === 'object');
}

/** Every combination of one meaning each (at most MOST); undefined when one of them is unknown. */
function combineMeanings(each: readonly (readonly Json[] | undefined)[]): Json[][] | undefined {
  const known = each.filter((one) => one !== undefined);
  if (known.length < each.length) return undefined;
  return known.reduce<Json[][]>(
    (all, meanings) => all.flatMap((some) => meanings.map((one) => [...some, one])).slice(0, MOST),
    [[]],
  );
}
