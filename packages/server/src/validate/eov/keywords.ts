// The keywords that the kit adds to the Ajv of EOV or judges otherwise, and what bounds the work that a message makes.
import type { _, Ajv, CodeKeywordDefinition, KeywordCxt } from 'ajv';
import { areUnique, createValueKeys, type ToValueKey, type ValidatorSchema } from '@contract-kit/contract';
import { addOnce } from '../shared-schemas';
import { addUnevaluatedKeywords } from '../unevaluated';
import { KIT_KEYWORDS } from './copy-schemas';

/** Returns what a function does that judges one message: what is known of its values is forgotten then. */
export type JudgeOnce = <T>(judge: () => T) => T;

/** Adds the keywords to an Ajv, before it compiles anything. What is returned calls whatever calls its functions. */
export function addKeywords(ajv: Ajv): JudgeOnce {
  // The value keys of the message that is being validated.
  let identify: ToValueKey | undefined;

  // Ajv skips what comes after prefixItems for an array that is shorter. OpenAPI 3.0 has neither.
  const order = ajv.getKeyword('prefixItems') === false ? {} : { before: 'prefixItems' };
  const contains = ajv.getKeyword('contains') as CodeKeywordDefinition;
  ajv.removeKeyword('contains').addKeyword({ ...contains, ...order });
  // Ajv compares each item with each other one, unless all are of one simple type.
  ajv.removeKeyword('uniqueItems').addKeyword({
    ...order,
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    validate: (isWanted: boolean, items: readonly unknown[]) =>
      !isWanted || areUnique(items, (identify ??= createValueKeys())),
  });
  // Ajv divides doubles, by which 19.99 is no multiple of 0.01.
  const { error } = ajv.getKeyword('multipleOf') as Required<CodeKeywordDefinition>;
  ajv.removeKeyword('multipleOf').addKeyword({
    ...{ keyword: 'multipleOf', type: 'number', schemaType: 'number', error },
    validate: (divisor: number, value: number) => isMultiple(value, divisor),
  });
  // Ajv finds no object equal to another one that has a member `constructor`, and throws at a member `valueOf`.
  for (const keyword of KIT_KEYWORDS.values()) {
    ajv.addKeyword({
      keyword,
      error: { message: 'must be equal to one of the allowed values' },
      validate: (allowed: readonly unknown[], value: unknown) => {
        const identifyOne = (identify ??= createValueKeys());
        return allowed.some((one) => identifyOne(one) === identifyOne(value));
      },
    });
  }
  addUnevaluatedKeywords(ajv);
  const forget = addOnce(ajv);
  return (judge) => {
    try {
      return judge();
    } finally {
      forget();
      identify = undefined;
    }
  };
}

// As decimals: a double is what its shortest text says.
function isMultiple(value: number, divisor: number): boolean {
  const [digits, power] = toDecimal(value);
  const [divisorDigits, divisorPower] = toDecimal(divisor);
  const common = Math.min(power, divisorPower);
  return (digits * 10n ** BigInt(power - common)) % (divisorDigits * 10n ** BigInt(divisorPower - common)) === 0n;
}

// Such as 125 and -2 for `1.25` and `-1.25`: a multiple has any sign.
function toDecimal(number: number): [digits: bigint, power: number] {
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
  // The template tag of the same Ajv.
  const { _: code } = ajv.constructor as unknown as { readonly _: typeof _ };

  // Has `write` generate the code of a keyword instead of Ajv; it may call `writeRule` for Ajv's code.
  function replaceRule(keyword: string, write: (context: KeywordCxt, writeRule: () => void) => void): void {
    const definition = ajv.getKeyword(keyword) as CodeKeywordDefinition;
    ajv.removeKeyword(keyword).addKeyword({
      ...definition,
      code: (context, type) => {
        const writeRule = (): void => {
          definition.code(context, type);
        };
        // Below `not` and `if` Ajv stops at the first error, whatever its mode: the original code is right there.
        if (context.it.allErrors === true) write(context, writeRule);
        else writeRule();
      },
    });
  }

  // Rules that are slow for a large value are checked only if it is not longer than the `maxLength` beside them.
  for (const keyword of ['pattern', 'format']) {
    replaceRule(keyword, ({ data, parentSchema, gen }, writeRule) => {
      const { maxLength } = parentSchema as ValidatorSchema;
      // maxLength counts characters, and `length` code units: up to two for each character.
      if (maxLength === undefined) writeRule();
      else gen.if(code`${data}.length <= ${2 * maxLength}`, writeRule);
    });
  }
  // Removes the errors under the alternatives. Generated code has its errors in `vErrors`, and their count in `errors`.
  for (const keyword of ['anyOf', 'oneOf']) {
    replaceRule(keyword, ({ gen }, writeRule) => {
      const countBefore = gen.const('before', code`errors`);
      writeRule();
      // Keep the last one: that no alternative matches.
      gen.if(code`errors > ${countBefore}`, () => {
        gen.code(code`vErrors.splice(${countBefore}, errors - ${countBefore} - 1)`);
        gen.code(code`errors = vErrors.length`);
      });
    });
  }
}
