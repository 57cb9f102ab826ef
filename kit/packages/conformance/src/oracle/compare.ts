import { hasRule, isReadOnly, isWriteOnly, itemOf, propertiesOf, rulesOf, type Schema } from '../contract/schema';
import { unionTypesOf } from '../contract/unions';
import { narrowTo } from '../values/variant';
import { isJsonList, isJsonObject, isSame, toText, type Json } from '../wire/json';
import { isInt64 } from '../values/numbers';

type Compare = (schema: Schema | undefined, sent: Json, shown: Json) => boolean;

/**
 * Whether a reply shows the sent value. A null member equals a missing one. The reply may have additional members, and
 * may lack properties that its schema does not declare.
 */
export function isShownAsSent(
  property: Schema | undefined,
  sent: Json | undefined,
  shown: Json | undefined,
  compare: Compare = isSameScalar,
): boolean {
  const [sentValue, shownValue] = [sent ?? null, shown ?? null];
  if (sentValue === null || shownValue === null) return sentValue === shownValue;
  const contains = (declared: Schema | undefined, left: Json, right: Json | undefined): boolean => {
    const schema =
      declared && right !== undefined && typeof left === typeof right ? narrowTo(declared, right) : declared;
    if (isJsonList(left) && isJsonList(right)) {
      const items = right.map((item, index) => [item, schema && itemOf(schema, index)] as const);
      // The items of a set can be in any order.
      const isSet = schema !== undefined && hasRule(schema, 'uniqueItems', true);
      return (
        left.length === right.length &&
        left.every((item, index) =>
          isSet
            ? items.some(([shownItem, itemSchema]) => contains(itemSchema, item, shownItem))
            : contains(items[index]?.[1], item, items[index]?.[0]),
        )
      );
    }
    if (isJsonObject(left) && isJsonObject(right)) {
      const properties = schema ? propertiesOf(schema) : new Map<string, Schema>();
      return Object.entries(left).every(([name, member]) => {
        const property = properties.get(name);
        const isHidden = property ? isReadOnly(property) || isWriteOnly(property) : properties.size > 0;
        return (
          isHidden || (member === null && (right[name] ?? null) === null) || contains(property, member, right[name])
        );
      });
    }
    return right !== undefined && compare(schema, left, right);
  };
  return contains(property, sentValue, shownValue);
}

// Matches names of secrets and of properties that servers set. Contracts often do not mark these writeOnly or readOnly.
const SERVER_SET_NAME_PATTERN =
  /^(?:_?id|uuid|e_?tag|version|revision|href|self|ur[il]|_?links?|pin)$|creat|updat|modif|delet|(?<!ex)chang|passw|secret|token/i;

const EXCUSED_REASON = 'stored values that differ, whose names say that the server sets them';

function isExcused(name: string, schema: Schema | undefined): boolean {
  if (!SERVER_SET_NAME_PATTERN.test(name)) return false;
  schema?.contract.skipped.add({ reason: EXCUSED_REASON, pointer: schema.schemaObjects[0]?.pointer ?? '#' });
  return true;
}

/**
 * Whether a server certainly did not keep the sent value. It may set some properties itself, or show the value in
 * another form, such as another time zone, or as another type.
 */
export function isChanged(
  name: string,
  [property, inRequest]: readonly [inReply: Schema | undefined, inRequest?: Schema | undefined],
  sent: Json | undefined,
  shown?: Json,
): boolean {
  const isKept = (sent ?? null) === null || isShownAsSent(property, sent, shown, isEquivalent);
  return !isKept && !isExcused(name, inRequest) && !isExcused(name, property);
}

function isEquivalent(schema: Schema | undefined, sent: Json, shown: Json): boolean {
  // The reply can have another type, such as an object where an id was sent.
  return (schema && !hasTypeOf(schema, sent)) === true || isSameInAnyForm(schema, sent, shown);
}

function isSameInAnyForm(schema: Schema | undefined, sent: Json, shown: Json): boolean {
  const format = schema && rulesOf(schema, 'format').map(({ value }) => toText(value))[0];
  if (typeof sent === 'string' && typeof shown === 'string') return isEquivalentText(format, sent, shown);
  return isSameScalar(schema, sent, shown, format === 'float' ? Math.fround : Number);
}

// Numbers are compared as doubles, except for int64 values (RFC 8259 section 6).
function isSameScalar(
  schema: Schema | undefined,
  sent: Json,
  shown: Json,
  round: (value: number) => number = Number,
): boolean {
  const areNumbers = [sent, shown].every((value) => typeof value === 'number' || typeof value === 'bigint');
  if (!areNumbers || (schema && isInt64(schema))) return isSame(sent, shown);
  return round(Number(sent)) === round(Number(shown));
}

function hasTypeOf(schema: Schema, value: Json): boolean {
  const types = unionTypesOf(schema);
  if (typeof value === 'bigint' || typeof value === 'number') return types.has('number') || types.has('integer');
  if (isJsonList(value)) return types.has('array');
  return value !== null && types.has(typeof value as 'boolean' | 'object' | 'string');
}

// Formats whose values have only one spelling.
const EXACT_FORMATS: readonly (string | undefined)[] = [undefined, 'date', 'byte', 'binary', 'password'];

function isEquivalentText(format: string | undefined, sent: string, shown: string): boolean {
  // A server may mask a secret, as in ****1234.
  if (/[*•]{3}/.test(shown)) return true;
  if (EXACT_FORMATS.includes(format)) return sent === shown;
  // Servers store fractions of a second with different precision.
  if (format === 'date-time') return !(Math.abs(Date.parse(sent) - Date.parse(shown)) >= 1_000);
  const ignoreForm = (text: string): string => text.toLowerCase().replace(/[{}-]|^urn:uuid:/g, '');
  if (format === 'email' || format === 'uuid') return ignoreForm(sent) === ignoreForm(shown);
  // Most formats allow several spellings of the same value.
  return sent === '' || shown !== '';
}
