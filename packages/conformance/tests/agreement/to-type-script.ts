import {
  itemsOf,
  patternsOf,
  propertiesOf,
  rulesOf,
  additionalOf,
  allBranchesOf,
  type Schema,
} from '../../src/contract/schema';
import { isJsonList, isJsonObject, type Json } from '../../src/wire/json';

/** The expression that a value is in TypeScript, an int64 as the generated types have it. */
export function toTypeScript(schema: Schema | undefined, value: Json): string {
  if (isJsonList(value)) {
    const items =
      schema &&
      allBranchesOf(schema)
        .map(itemsOf)
        .find((one) => one !== undefined);
    return `[${value.map((item) => toTypeScript(items, item)).join(', ')}]`;
  }
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(
      ([name, member]) => `[${quote(name)}]: ${toTypeScript(schema && propertyOf(schema, name), member)}`,
    );
    return `{ ${members.join(', ')} }`;
  }
  if (typeof value === 'bigint' && schema !== undefined && isInt64(schema)) return `${value.toString()}n`;
  // As many digits as a double has; beyond its range it is infinite.
  if (typeof value === 'bigint') return toNumber(Number(value));
  if (typeof value === 'number') return toNumber(value);
  return typeof value === 'string' ? quote(value) : String(value);
}

function propertyOf(schema: Schema, name: string): Schema | undefined {
  for (const branch of allBranchesOf(schema)) {
    const pattern = patternsOf(branch).find(([one]) => new RegExp(one, 'u').test(name))?.[1];
    const additional = additionalOf(branch);
    const found =
      propertiesOf(branch).get(name) ?? pattern ?? (typeof additional === 'object' ? additional : undefined);
    if (found) return found;
  }
  return undefined;
}

function isInt64(schema: Schema): boolean {
  return allBranchesOf(schema).some((branch) => rulesOf(branch, 'format').some(({ value }) => value === 'int64'));
}

function toNumber(value: number): string {
  return Number.isFinite(value) ? String(value) : 'Number.POSITIVE_INFINITY';
}

// In ASCII, since some signs end a line.
function quote(text: string): string {
  return JSON.stringify(text).replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
