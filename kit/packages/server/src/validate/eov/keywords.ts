// The keywords that the kit adds to EOV's Ajv or replaces, and limits on the work for one message.
import type { _, Ajv, Code, CodeKeywordDefinition, KeywordCxt } from 'ajv';
import {
  areUnique,
  createValueKeys,
  INTEGER_RANGES,
  isIntegerFormat,
  isIntegerOf,
  isObjectOrArray,
  mayBeRounded,
  toExactJson,
  toRegExp,
  type ToValueKey,
  type ValidatorSchema,
} from '@contract-kit/contract';
import { addOnceKeyword } from '../shared-schemas';
import { addUnevaluatedKeywords } from '../unevaluated';

/** Calls a function that validates one message, and then clears the caches for the message's values. */
export type JudgeOnce = <T>(judge: () => T) => T;

/** Adds the keywords. Call this before Ajv compiles anything, and call Ajv's compiled functions only through the result. */
export function addKeywords(ajv: Ajv): JudgeOnce {
  const code = codeOf(ajv);
  // Both last for one message: a function that computes and caches values' keys, and the keys of objects and arrays in enums.
  let computeKey: ToValueKey | undefined;
  let allowedKeys = new Map<readonly unknown[], ReadonlySet<string>>();
  const toKey: ToValueKey = (value) => (computeKey ??= createValueKeys())(value);

  function isOneOf(written: readonly unknown[]): (value: unknown) => boolean {
    const json = toExactJson(written);
    // A double also equals a bigint that rounds to it.
    const allowedValues = mayBeRounded(json) ? [...written, ...(JSON.parse(json) as unknown[])] : written;
    const scalars = new Set(allowedValues);
    const objectsAndArrays = allowedValues.filter(isObjectOrArray);
    return (value) => {
      if (!isObjectOrArray(value)) return scalars.has(value);
      const keys = allowedKeys.get(objectsAndArrays) ?? new Set(objectsAndArrays.map((composite) => toKey(composite)));
      allowedKeys.set(objectsAndArrays, keys);
      return keys.has(toKey(value));
    };
  }

  // Puts a keyword before prefixItems: Ajv skips those after it if an array has fewer items. OpenAPI 3.0 has no prefixItems.
  const order = ajv.getKeyword('prefixItems') === false ? {} : { before: 'prefixItems' };
  // Ajv would keep the errors for every item that does not match, and there may be a million of them.
  replaceRule(ajv, 'contains', writeWithoutReasons, order);
  // Ajv compares each item with every other one, unless all have the same scalar type.
  const writeUnique: WriteRule = (context) => {
    if (context.schema === true) judgeBy(context, (items: readonly unknown[]) => areUnique(items, toKey));
  };
  replaceRule(ajv, 'uniqueItems', writeUnique, { ...order, error: { message: 'must NOT have duplicate items' } });
  // Ajv would iterate over all properties once for each pattern.
  replaceRule(ajv, 'patternProperties', (context) => {
    const { gen, data, keyword, allErrors } = context;
    const isValid = gen.name('valid');
    gen.var(isValid, true);
    gen.forIn('key', data, (dataProp) => {
      for (const schemaProp of Object.keys(context.schema as object)) {
        const pattern = gen.scopeValue('pattern', { ref: toRegExp(schemaProp) });
        gen.if(code`${allErrors ? true : isValid} && ${pattern}.test(${dataProp})`, () => {
          // For Ajv, 1 means a name, and not an index.
          context.subschema({ keyword, schemaProp, dataProp, dataPropType: 1 }, isValid);
        });
      }
      if (!allErrors) gen.if(code`!${isValid}`, () => gen.break());
    });
    context.ok(isValid);
  });
  addNumericKeywords(ajv);
  // Ajv compares a value with every allowed one, and fails for members named `constructor` or `valueOf`. OpenAPI 3.0 has no const.
  for (const keyword of ['enum', 'const'].filter((name) => ajv.getKeyword(name) !== false)) {
    const writeAllowed: WriteRule = (context) => {
      judgeBy(context, isOneOf((keyword === 'enum' ? context.schema : [context.schema]) as readonly unknown[]));
    };
    replaceRule(ajv, keyword, writeAllowed, { before: 'not' });
  }
  addUnevaluatedKeywords(ajv);
  const clearVerdicts = addOnceKeyword(ajv);
  const resetDefaults = limitDefaults(ajv);
  return (judge) => {
    try {
      return judge();
    } finally {
      clearVerdicts();
      resetDefaults();
      computeKey = undefined;
      if (allowedKeys.size > 0) allowedKeys = new Map();
    }
  };
}

// The limit of a message's defaults, in characters of JSON. To send that many itself, a client would need a 4 MB body.
const MAX_DEFAULTS_LENGTH = 4_000_000;

// Limits the defaults that Ajv fills in, since 1 MB of small items could grow by 500 MB. Fills in defaults with bigints itself.
function limitDefaults(ajv: Ajv): () => void {
  let totalLength = 0;
  const code = (context: KeywordCxt): void => {
    const { properties = {} } = context.parentSchema as ValidatorSchema;
    const defaults = Object.entries(properties).flatMap(([name, { 'x-default': exact, default: value = exact }]) =>
      value === undefined ? [] : [{ name, exact, addedLength: toExactJson({ [name]: value }).length }],
    );
    const judge = (value: Record<string, unknown>): boolean => {
      if (!isObjectOrArray(value) || Array.isArray(value)) return true;
      for (const { name, exact, addedLength } of defaults) {
        if (value[name] !== undefined) continue;
        totalLength += addedLength;
        if (exact !== undefined) value[name] = structuredClone(exact);
      }
      return totalLength <= MAX_DEFAULTS_LENGTH;
    };
    if (defaults.length > 0) judgeBy(context, judge);
  };
  const error = { message: 'must have more of its properties: a request gets at most 4 MB of defaults' };
  const definition = { keyword: 'default', implements: ['properties'], type: [], schemaType: [], error, code };
  // Ajv fills in defaults after the rules without a type.
  const group = ajv.RULES.rules.find(({ type }) => type === undefined);
  if (ajv.opts.useDefaults === true) group?.rules.push({ keyword: definition.keyword, definition });
  return () => (totalLength = 0);
}

type WriteRule = (context: KeywordCxt, writeRule: () => void) => void;

/** Replaces `type` for values that may be numbers, because Ajv's keyword rejects bigints. NUMERIC_NULLABLE replaces `nullable`. */
export const NUMERIC_TYPE = 'x-type';
export const NUMERIC_NULLABLE = 'x-nullable';

// Adds the keywords for numbers, in the order in which they apply. An int64 beyond 2^53 is a bigint, which Ajv's own keywords do not
// support. A double is compared with the limit rounded to a double.
function addNumericKeywords(ajv: Ajv): void {
  const code = codeOf(ajv);
  // Makes Ajv call a keyword for values of any type, since each keyword checks the value's type itself.
  const anyTypeDefinition = { type: [], schemaType: [], before: 'not' };
  const writeType: Readonly<Record<string, (data: Code) => Code>> = {
    integer: (data) => code`(typeof ${data} == "number" ? ${data} % 1 === 0 : typeof ${data} == "bigint")`,
    number: (data) => code`(typeof ${data} == "number" ? isFinite(${data}) : typeof ${data} == "bigint")`,
    null: (data) => code`${data} === null`,
    array: (data) => code`Array.isArray(${data})`,
    object: (data) => code`(${data} && typeof ${data} == "object" && !Array.isArray(${data}))`,
  };
  const judgeNumber = (data: Code, doubleCondition: Code, bigintCondition: Code): Code =>
    code`typeof ${data} == "number" ? ${doubleCondition} : typeof ${data} != "bigint" || ${bigintCondition}`;
  ajv.addKeyword({
    ...{ ...anyTypeDefinition, keyword: NUMERIC_TYPE },
    error: { message: ({ schema }) => `must be ${String(schema)}` },
    code(context) {
      const { data, parentSchema } = context;
      const types = [context.schema as string | string[], parentSchema[NUMERIC_NULLABLE] === true ? 'null' : []].flat();
      const checks = types.map((type) => writeType[type]?.(data) ?? code`typeof ${data} == ${type}`);
      context.pass(checks.reduce((condition, check) => code`${condition} || ${check}`));
    },
  });
  const writeLimit: Readonly<Record<string, readonly [sign: string, (data: Code, limit: Code | number) => Code]>> = {
    minimum: ['>=', (data, limit) => code`${data} >= ${limit}`],
    maximum: ['<=', (data, limit) => code`${data} <= ${limit}`],
    exclusiveMinimum: ['>', (data, limit) => code`${data} > ${limit}`],
    exclusiveMaximum: ['<', (data, limit) => code`${data} < ${limit}`],
  };
  for (const [keyword, [sign, write]] of Object.entries(writeLimit)) {
    const error = { message: ({ schema }: { readonly schema?: unknown }) => `must be ${sign} ${String(schema)}` };
    const writeBoth: WriteRule = (context) => {
      const { gen, data } = context;
      const schema = context.schema as bigint | number;
      const limit = typeof schema === 'bigint' ? gen.scopeValue('keyword', { ref: schema }) : schema;
      context.pass(judgeNumber(data, write(data, Number(schema)), write(data, limit)));
    };
    replaceRule(ajv, keyword, writeBoth, { ...anyTypeDefinition, error });
  }
  const writeFormat: WriteRule = (context, writeRule) => {
    const { data, gen } = context;
    const format = String(context.schema);
    if (!isIntegerFormat(format)) {
      gen.if(code`typeof ${data} == "string"`, writeRule);
      return;
    }
    const { minimum, maximum } = INTEGER_RANGES[format];
    const isOfFormat = gen.scopeValue('keyword', { ref: (value: bigint) => isIntegerOf(format, value) });
    const doubleCondition = code`${data} % 1 === 0 && ${data} >= ${Number(minimum)} && ${data} <= ${Number(maximum)}`;
    context.pass(judgeNumber(data, doubleCondition, code`${isOfFormat}(${data})`));
  };
  replaceRule(ajv, 'format', writeFormat, anyTypeDefinition);
  // Ajv divides doubles, so it does not consider 19.99 a multiple of 0.01.
  const writeMultiple: WriteRule = (context) => {
    const isMultiple = isMultipleOf(context.schema as bigint | number);
    judgeBy(context, (value) => !isNumeric(value) || isMultiple(value));
  };
  replaceRule(ajv, 'multipleOf', writeMultiple, anyTypeDefinition);
}

function isNumeric(value: unknown): value is bigint | number {
  return typeof value === 'number' || typeof value === 'bigint';
}

// Lets `write` generate a keyword's code. It can call `writeRule` for Ajv's own code.
function replaceRule(ajv: Ajv, keyword: string, write: WriteRule, changes: Partial<CodeKeywordDefinition> = {}): void {
  const definition = ajv.getKeyword(keyword) as CodeKeywordDefinition;
  ajv.removeKeyword(keyword).addKeyword({
    ...definition,
    keyword,
    ...changes,
    code: (context, type) => {
      write(context, () => {
        // Ajv's `format` needs a type, and is called only for strings.
        definition.code(context, type ?? 'string');
      });
    },
  });
}

// Generates a rule's code without the errors of its subschemas.
const writeWithoutReasons: WriteRule = (context, writeRule) => {
  const writeInner = context.subschema.bind(context);
  context.subschema = (applied, isValid) => {
    const inner = writeInner({ ...applied, createErrors: false, allErrors: false }, isValid);
    context.reset();
    return inner;
  };
  writeRule();
};

// Generates a direct call of a function. To call a keyword's `validate`, Ajv would create an object and a path each time.
function judgeBy(context: KeywordCxt, judge: (value: never) => boolean): void {
  const { gen, it, data } = context;
  context.pass(codeOf(it.self)`${gen.scopeValue('keyword', { ref: judge })}(${data})`);
}

// Each copy of Ajv accepts only code from its own template tag.
function codeOf(ajv: object): typeof _ {
  return (ajv.constructor as unknown as { readonly _: typeof _ })._;
}

// The powers of ten up to 10^59. A double has at most 17 digits, so larger powers do not affect divisibility.
const POWERS = Array.from({ length: 60 }, (_, zeros) => 10n ** BigInt(zeros));
const [LARGEST_POWER] = POWERS.slice(-1) as [bigint];

// Compares decimal numbers. A double counts as the shortest decimal that represents it.
function isMultipleOf(divisor: bigint | number): (value: bigint | number) => boolean {
  const [divisorDigits, divisorPower] = toDecimal(divisor);
  const scale = (digits: bigint, zeros: number): bigint => digits * (POWERS[Math.max(0, zeros)] ?? LARGEST_POWER);
  const isSafe = Number.isSafeInteger(divisor);
  return (value) => {
    if (isSafe && Number.isSafeInteger(value)) return Number(value) % Number(divisor) === 0;
    const [digits, power] = toDecimal(value);
    return scale(digits, power - divisorPower) % scale(divisorDigits, divisorPower - power) === 0n;
  };
}

// Returns 125 and -2 for `1.25`, for example. The sign does not matter.
function toDecimal(number: bigint | number): [digits: bigint, power: number] {
  if (typeof number === 'bigint') return [number, 0];
  if (!Number.isFinite(number)) return [0n, 0];
  const text = Math.abs(number).toExponential();
  const end = text.indexOf('e');
  const digits = text.slice(0, end).replace('.', '');
  return [BigInt(digits), Number(text.slice(end + 1)) + 1 - digits.length];
}

/**
 * Makes Ajv's mode `allErrors` safe (ajv.js.org/security.html). In that mode, Ajv applies slow rules even to values that exceed
 * `maxLength`, and keeps the errors of every alternative. Call this before Ajv compiles anything.
 */
export function limitRules(ajv: Ajv): void {
  const code = codeOf(ajv);
  // Within `not` and `if`, Ajv stops at the first error in any mode, so use its own code.
  const limitRule = (keyword: string, write: WriteRule): void => {
    replaceRule(ajv, keyword, (context, writeRule) => {
      if (context.it.allErrors === true) write(context, writeRule);
      else writeRule();
    });
  };

  for (const keyword of ['pattern', 'format']) {
    limitRule(keyword, ({ data, parentSchema, gen }, writeRule) => {
      const { maxLength } = parentSchema as ValidatorSchema;
      // maxLength counts characters, but `length` counts code units, and a character has one or two.
      if (maxLength === undefined) writeRule();
      else gen.if(code`typeof ${data} != "string" || ${data}.length <= ${2 * maxLength}`, writeRule);
    });
  }
  for (const keyword of ['anyOf', 'oneOf']) limitRule(keyword, writeWithoutReasons);
}
