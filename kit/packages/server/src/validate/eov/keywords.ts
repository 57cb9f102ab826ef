// The keywords that the kit adds to the Ajv of EOV or judges otherwise, and what bounds the work that a message makes.
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
import { addOnce } from '../shared-schemas';
import { addUnevaluatedKeywords } from '../unevaluated';

/** Returns what a function does that judges one message: what is known of its values is forgotten then. */
export type JudgeOnce = <T>(judge: () => T) => T;

/** Adds the keywords to an Ajv, before it compiles anything. What is returned calls whatever calls its functions. */
export function addKeywords(ajv: Ajv): JudgeOnce {
  const code = codeOf(ajv);
  // The value keys of the message that is being validated, also of the objects and lists that an enum of its schema allows.
  let identify: ToValueKey | undefined;
  let allowedKeys = new Map<readonly unknown[], ReadonlySet<string>>();
  const toKey: ToValueKey = (value) => (identify ??= createValueKeys())(value);

  function isOneOf(written: readonly unknown[]): (value: unknown) => boolean {
    const json = toExactJson(written);
    // A double is also equal to a bigint that is rounded to it.
    const allowed = mayBeRounded(json) ? [...written, ...(JSON.parse(json) as unknown[])] : written;
    const simple = new Set(allowed);
    const others = allowed.filter(isObjectOrArray);
    return (value) => {
      if (!isObjectOrArray(value)) return simple.has(value);
      const keys = allowedKeys.get(others) ?? new Set(others.map((one) => toKey(one)));
      allowedKeys.set(others, keys);
      return keys.has(toKey(value));
    };
  }

  // Ajv skips what comes after prefixItems for an array that is shorter. OpenAPI 3.0 has neither.
  const order = ajv.getKeyword('prefixItems') === false ? {} : { before: 'prefixItems' };
  // Ajv would keep what is wrong with each item that does not match, of which there may be a million.
  replaceRule(ajv, 'contains', writeWithoutReasons, order);
  // Ajv compares each item with each other one, unless all are of one simple type.
  const writeUnique: WriteRule = (context) => {
    if (context.schema === true) judgeBy(context, (items: readonly unknown[]) => areUnique(items, toKey));
  };
  replaceRule(ajv, 'uniqueItems', writeUnique, { ...order, error: { message: 'must NOT have duplicate items' } });
  // Ajv goes through all properties once for each pattern.
  replaceRule(ajv, 'patternProperties', (context) => {
    const { gen, data, keyword, allErrors } = context;
    const isValid = gen.name('valid');
    gen.var(isValid, true);
    gen.forIn('key', data, (dataProp) => {
      for (const schemaProp of Object.keys(context.schema as object)) {
        const pattern = gen.scopeValue('pattern', { ref: toRegExp(schemaProp) });
        gen.if(code`${allErrors ? true : isValid} && ${pattern}.test(${dataProp})`, () => {
          // 1: a name, not an index.
          context.subschema({ keyword, schemaProp, dataProp, dataPropType: 1 }, isValid);
        });
      }
      if (!allErrors) gen.if(code`!${isValid}`, () => gen.break());
    });
    context.ok(isValid);
  });
  addNumericKeywords(ajv);
  // Ajv compares a value with each allowed one. It finds no object equal to another one that has a member `constructor`, and
  // throws at a member `valueOf`. OpenAPI 3.0 has no const.
  for (const keyword of ['enum', 'const'].filter((name) => ajv.getKeyword(name) !== false)) {
    const writeAllowed: WriteRule = (context) => {
      judgeBy(context, isOneOf((keyword === 'enum' ? context.schema : [context.schema]) as readonly unknown[]));
    };
    replaceRule(ajv, keyword, writeAllowed, { before: 'not' });
  }
  addUnevaluatedKeywords(ajv);
  const forget = addOnce(ajv);
  const forgetDefaults = limitDefaults(ajv);
  return (judge) => {
    try {
      return judge();
    } finally {
      forget();
      forgetDefaults();
      identify = undefined;
      if (allowedKeys.size > 0) allowedKeys = new Map();
    }
  };
}

// As JSON: a client that sends them itself needs a body of 4 MB.
const MOST_DEFAULTS = 4_000_000;

/**
 * Has an Ajv refuse what lacks too many defaults: 1 MB of small items may lack 500 MB. What is returned forgets the count. Those
 * with bigints are filled in here.
 */
function limitDefaults(ajv: Ajv): () => void {
  let length = 0;
  const code = (context: KeywordCxt): void => {
    const { properties = {} } = context.parentSchema as ValidatorSchema;
    const defaults = Object.entries(properties).flatMap(([name, { 'x-default': exact, default: value = exact }]) =>
      value === undefined ? [] : [{ name, exact, more: toExactJson({ [name]: value }).length }],
    );
    const judge = (value: Record<string, unknown>): boolean => {
      if (!isObjectOrArray(value) || Array.isArray(value)) return true;
      for (const { name, exact, more } of defaults) {
        if (value[name] !== undefined) continue;
        length += more;
        if (exact !== undefined) value[name] = structuredClone(exact);
      }
      return length <= MOST_DEFAULTS;
    };
    if (defaults.length > 0) judgeBy(context, judge);
  };
  const error = { message: 'must have more of its properties: a request gets at most 4 MB of defaults' };
  const definition = { keyword: 'default', implements: ['properties'], type: [], schemaType: [], error, code };
  // Ajv fills in defaults after the rules for values of any type.
  const group = ajv.RULES.rules.find(({ type }) => type === undefined);
  if (ajv.opts.useDefaults === true) group?.rules.push({ keyword: definition.keyword, definition });
  return () => (length = 0);
}

type WriteRule = (context: KeywordCxt, writeRule: () => void) => void;

/** The names of `type`, and of OpenAPI 3.0's `nullable` beside it, for values that may be numbers: Ajv's own refuse a bigint. */
export const NUMERIC_TYPE = 'x-type';
export const NUMERIC_NULLABLE = 'x-nullable';

/**
 * Adds the keywords of numbers, in the order in which they are judged. An int64 beyond 2^53 is a bigint, and any schema may apply to
 * it, but Ajv's own keywords know only doubles. A double is compared with a limit that is rounded to a double, too.
 */
function addNumericKeywords(ajv: Ajv): void {
  const code = codeOf(ajv);
  // Each of them says itself which values it is for.
  const ofAnyType = { type: [], schemaType: [], before: 'not' };
  const writeType: Readonly<Record<string, (data: Code) => Code>> = {
    integer: (data) => code`(typeof ${data} == "number" ? ${data} % 1 === 0 : typeof ${data} == "bigint")`,
    number: (data) => code`(typeof ${data} == "number" ? isFinite(${data}) : typeof ${data} == "bigint")`,
    null: (data) => code`${data} === null`,
    array: (data) => code`Array.isArray(${data})`,
    object: (data) => code`(${data} && typeof ${data} == "object" && !Array.isArray(${data}))`,
  };
  const judgeNumber = (data: Code, ofDouble: Code, ofBigint: Code): Code =>
    code`typeof ${data} == "number" ? ${ofDouble} : typeof ${data} != "bigint" || ${ofBigint}`;
  ajv.addKeyword({
    ...{ ...ofAnyType, keyword: NUMERIC_TYPE },
    error: { message: ({ schema }) => `must be ${String(schema)}` },
    code(context) {
      const { data, parentSchema } = context;
      const types = [context.schema as string | string[], parentSchema[NUMERIC_NULLABLE] === true ? 'null' : []].flat();
      const checks = types.map((type) => writeType[type]?.(data) ?? code`typeof ${data} == ${type}`);
      context.pass(checks.reduce((one, other) => code`${one} || ${other}`));
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
    replaceRule(ajv, keyword, writeBoth, { ...ofAnyType, error });
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
    const ofDouble = code`${data} % 1 === 0 && ${data} >= ${Number(minimum)} && ${data} <= ${Number(maximum)}`;
    context.pass(judgeNumber(data, ofDouble, code`${isOfFormat}(${data})`));
  };
  replaceRule(ajv, 'format', writeFormat, ofAnyType);
  // Ajv divides doubles, by which 19.99 is no multiple of 0.01.
  const writeMultiple: WriteRule = (context) => {
    const isMultiple = isMultipleOf(context.schema as bigint | number);
    judgeBy(context, (value) => !isNumeric(value) || isMultiple(value));
  };
  replaceRule(ajv, 'multipleOf', writeMultiple, ofAnyType);
}

function isNumeric(value: unknown): value is bigint | number {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Has `write` generate the code of a keyword instead of Ajv; it may call `writeRule` for Ajv's code. */
function replaceRule(ajv: Ajv, keyword: string, write: WriteRule, changes: Partial<CodeKeywordDefinition> = {}): void {
  const definition = ajv.getKeyword(keyword) as CodeKeywordDefinition;
  ajv.removeKeyword(keyword).addKeyword({
    ...definition,
    keyword,
    ...changes,
    code: (context, type) => {
      write(context, () => {
        // Ajv's format asks for the type: this is for strings only.
        definition.code(context, type ?? 'string');
      });
    },
  });
}

/** Writes the code of a rule that forgets what is wrong under it. */
const writeWithoutReasons: WriteRule = (context, writeRule) => {
  const writeInner = context.subschema.bind(context);
  context.subschema = (applied, isValid) => {
    const inner = writeInner({ ...applied, createErrors: false, allErrors: false }, isValid);
    context.reset();
    return inner;
  };
  writeRule();
};

// Writes a call of a function, without the object and the path that Ajv makes for each call of a function that it is given.
function judgeBy(context: KeywordCxt, judge: (value: never) => boolean): void {
  const { gen, it, data } = context;
  context.pass(codeOf(it.self)`${gen.scopeValue('keyword', { ref: judge })}(${data})`);
}

/** The template tag for code of the same Ajv. */
function codeOf(ajv: object): typeof _ {
  return (ajv.constructor as unknown as { readonly _: typeof _ })._;
}

// The powers of ten. A double has 17 digits, so that further zeros behind them do not change what divides them.
const POWERS = Array.from({ length: 60 }, (_, zeros) => 10n ** BigInt(zeros));
const [LARGEST_POWER] = POWERS.slice(-1) as [bigint];

// As decimals: a double is what its shortest text says.
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

// Such as 125 and -2 for `1.25` and `-1.25`: a multiple has any sign.
function toDecimal(number: bigint | number): [digits: bigint, power: number] {
  if (typeof number === 'bigint') return [number, 0];
  // Its type is wrong already.
  if (!Number.isFinite(number)) return [0n, 0];
  const text = Math.abs(number).toExponential();
  const end = text.indexOf('e');
  const digits = text.slice(0, end).replace('.', '');
  return [BigInt(digits), Number(text.slice(end + 1)) + 1 - digits.length];
}

/**
 * Ajv's mode `allErrors` checks each rule of a value, even a slow one that a bound before it made harmless, and keeps the
 * errors of every alternative (ajv.js.org/security.html). Here a slow rule is checked only within its bound, and what is
 * wrong under an alternative is left to the error that no alternative matches. Call it before Ajv compiles anything.
 */
export function limitRules(ajv: Ajv): void {
  const code = codeOf(ajv);
  // Below `not` and `if` Ajv stops at the first error, whatever its mode: the original code is right there.
  const limitRule = (keyword: string, write: WriteRule): void => {
    replaceRule(ajv, keyword, (context, writeRule) => {
      if (context.it.allErrors === true) write(context, writeRule);
      else writeRule();
    });
  };

  // Rules that are slow for a large value are checked only if it is not longer than the `maxLength` beside them.
  for (const keyword of ['pattern', 'format']) {
    limitRule(keyword, ({ data, parentSchema, gen }, writeRule) => {
      const { maxLength } = parentSchema as ValidatorSchema;
      // maxLength counts characters, and `length` code units: up to two for each character.
      if (maxLength === undefined) writeRule();
      else gen.if(code`typeof ${data} != "string" || ${data}.length <= ${2 * maxLength}`, writeRule);
    });
  }
  for (const keyword of ['anyOf', 'oneOf']) limitRule(keyword, writeWithoutReasons);
}
