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

// What is slow, and the bound that a schema may have because of it.
const BOUNDS = [
  ['pattern', 'maxLength'],
  ['format', 'maxLength'],
  ['uniqueItems', 'maxItems'],
] as const;

/**
 * Ajv's mode `allErrors` checks each rule of a value, even a slow one that a bound before it made harmless, and keeps the
 * errors of every alternative (ajv.js.org/security.html). Here a slow rule is checked only within its bound, and what is
 * wrong under an alternative is left to the error that no alternative matches.
 *
 * @param ajv changed, before it compiles anything
 */
export function limitRules(ajv: object): void {
  const rules = ajv as Rules;
  const { _: code } = ajv.constructor as unknown as { readonly _: Template };

  function change(keyword: string, write: (context: Context, writeRule: () => void) => void): void {
    const definition = rules.getKeyword(keyword);
    rules.removeKeyword(keyword);
    const changed: Definition['code'] = (context, type) => {
      const writeRule = (): void => {
        definition.code(context, type);
      };
      // Below `not` and `if` Ajv stops at the first error, whatever its mode.
      if (context.it.allErrors === true) write(context, writeRule);
      else writeRule();
    };
    rules.addKeyword({ ...definition, code: changed });
  }

  for (const [keyword, bound] of BOUNDS) {
    change(keyword, ({ data, parentSchema, gen }, writeRule) => {
      const limit = parentSchema[bound];
      // A character has up to two code units.
      if (typeof limit === 'number') gen.if(code`${data}.length <= ${2 * limit}`, writeRule);
      else writeRule();
    });
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    change(keyword, ({ gen }, writeRule) => {
      const before = gen.const('before', code`errors`);
      writeRule();
      // The last one is that of the rule itself.
      gen.if(code`errors > ${before}`, () => {
        gen.code(code`vErrors.splice(${before}, errors - ${before} - 1)`);
        gen.code(code`errors = vErrors.length`);
      });
    });
  }
}
