// Limits what it costs to validate what a client sends.
import { subschemas, type Schema } from '../../contract/schema/schema';
import { TooManySteps } from '../validator';

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

/** The keyword that counts a step each time that its schema judges a value. */
const STEP = 'x-step';

type Schemas = Readonly<Record<string, Schema>>;

/** How many steps a message may take. A step takes some microseconds. */
export interface Steps {
  readonly atLeast: number;
  /** More for each value in the message: without alternatives, each value takes one step in a schema that is recursive. */
  readonly perValue: number;
}

interface StepLimit {
  /** Ajv's definition of the keyword; it has to be among the first, for a rule that fails leaves out those after it. */
  readonly keyword: object;
  /** Calls a function that Ajv compiled. @throws TooManySteps */
  readonly judge: (validate: (value: unknown) => boolean, value: unknown) => boolean;
}

export function createStepLimit({ atLeast, perValue }: Steps): StepLimit {
  let steps = 0;
  let limit = 0;
  let judged: unknown;

  // The values are counted only for a message that has taken many steps.
  function extendLimit(): void {
    limit = atLeast + perValue * countValues(judged);
    if (steps > limit) throw new TooManySteps('the value takes too many steps to validate');
  }

  function count(): boolean {
    steps += 1;
    if (steps > limit) extendLimit();
    return true;
  }

  return {
    keyword: { keyword: STEP, before: 'not', errors: false, validate: count },
    judge: (validate, value) => {
      [steps, limit, judged] = [0, atLeast, value];
      try {
        return validate(value);
      } finally {
        judged = undefined;
      }
    },
  };
}

/** Adds the keyword to the schemas that lead back to themselves. */
export function countSteps(schemas: Schemas): Schemas {
  const recursive = findRecursive(schemas);
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, recursive.has(name) ? { [STEP]: true, ...schema } : schema]),
  );
}

/** The names of the schemas on circles of references, and of those between two circles. */
function findRecursive(schemas: Schemas): ReadonlySet<string> {
  let left = new Map(Object.entries(schemas).map(([name, schema]) => [name, referencesOf(schema)]));
  for (let size = -1; size !== left.size;) {
    size = left.size;
    const referredTo = new Set([...left.values()].flat());
    const known = left;
    left = new Map([...left].filter(([name, to]) => referredTo.has(name) && to.some((other) => known.has(other))));
  }
  return new Set(left.keys());
}

function referencesOf(schema: Schema): string[] {
  if (schema.$ref !== undefined) return [schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)];
  return subschemas(schema).flatMap(referencesOf);
}

function countValues(root: unknown): number {
  const values = [root];
  // The loop goes on with the members that are added during it.
  for (const value of values) {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) continue;
    for (const member of Object.values(value) as unknown[]) values.push(member);
  }
  return values.length;
}
