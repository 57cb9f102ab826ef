// Makes Ajv's mode `allErrors` cheap enough for what a client sends.

/** The part of Ajv that changes its rules (ajv.js.org/keywords.html#define-keyword-with-code-generation-function). */
interface Rules {
  readonly getKeyword: (keyword: string) => Definition;
  readonly removeKeyword: (keyword: string) => unknown;
  readonly addKeyword: (definition: Definition) => unknown;
}

interface Definition {
  readonly code: (context: Context, type?: string) => void;
}

/** What a rule of one schema writes into the function that is compiled. */
interface Context {
  readonly data: Code;
  readonly parentSchema: Readonly<Record<string, unknown>>;
  readonly it: { readonly allErrors?: boolean };
  readonly gen: {
    readonly const: (prefix: string, value: Code) => Code;
    readonly if: (condition: Code, then: () => void) => unknown;
    readonly code: (statement: Code) => unknown;
  };
}

/** A piece of code, which only the template tag of Ajv makes. */
type Code = object;
type Template = (texts: TemplateStringsArray, ...values: (Code | number)[]) => Code;

// Rules that are slow for a large value, each with the keyword that bounds the size of the value.
const SLOW_RULES = [
  ['pattern', 'maxLength'],
  ['format', 'maxLength'],
] as const;

/**
 * Ajv's mode `allErrors` checks each rule of a value, even a slow one that a bound before it made harmless, and keeps the
 * errors of every alternative (ajv.js.org/security.html). Here a slow rule is checked only within its bound, and what is
 * wrong under an alternative is left to the error that no alternative matches. Call it before Ajv compiles anything.
 */
export function limitRules(ajv: object): void {
  const rules = ajv as Rules;
  const { _: code } = ajv.constructor as unknown as { readonly _: Template };

  // Has `write` generate the code of a keyword instead of Ajv; it may call `writeRule` for Ajv's code.
  function replaceRule(keyword: string, write: (context: Context, writeRule: () => void) => void): void {
    const definition = rules.getKeyword(keyword);
    rules.removeKeyword(keyword);
    const replaced: Definition['code'] = (context, type) => {
      const writeRule = (): void => {
        definition.code(context, type);
      };
      // Below `not` and `if` Ajv stops at the first error, whatever its mode: the original code is right there.
      if (context.it.allErrors === true) write(context, writeRule);
      else writeRule();
    };
    rules.addKeyword({ ...definition, code: replaced });
  }

  // Checks `pattern`, say, only if the value is not longer than the `maxLength` beside it.
  for (const [keyword, bound] of SLOW_RULES) {
    replaceRule(keyword, ({ data, parentSchema, gen }, writeRule) => {
      const limit = parentSchema[bound];
      // maxLength counts characters, and `length` code units: up to two for each character.
      if (typeof limit === 'number') gen.if(code`${data}.length <= ${2 * limit}`, writeRule);
      else writeRule();
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
