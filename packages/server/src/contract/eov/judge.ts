// Calls the functions that express-openapi-validator compiled.
import assert from 'node:assert';
import { ajvErrorsToValidatorError, augmentAjvErrors } from 'express-openapi-validator/dist/middlewares/util';
import type { Schema } from '../document/schema';
import { areUnique, createIdentify, type Identify } from '../json/unique-items';
import { shortenPointer, type FoundFault } from '../refusal/fault';
import { createStepLimit, type Steps } from './step-limit';
import { OF_OBJECTS } from './copy-schemas';
import { unevaluatedKeywords, type Compiler } from './unevaluated';

/** Validates a value with a function that express-openapi-validator compiled. Returns undefined for a valid value. */
export type Judge = (value: unknown) => Iterable<FoundFault> | undefined;

/** The part of Ajv, the compiler inside express-openapi-validator, that is used here. */
interface Ajv extends Compiler {
  readonly opts: { unevaluated?: boolean };
  readonly getSchema: (key: string) => Validate | undefined;
  /** The definition of a keyword; false if there is none. */
  readonly getKeyword: (keyword: string) => object | boolean;
  readonly removeKeyword: (keyword: string) => unknown;
  readonly addKeyword: (definition: object) => unknown;
}

/** An Ajv that judges no message in more steps than its size deserves. */
export interface Validators {
  readonly ajv: Ajv;
  /** Calls a function of this Ajv. @throws TooManySteps */
  readonly isValid: (validate: Validate, value: unknown) => boolean;
}

interface Validate {
  (value: unknown): boolean;
  readonly schema: Schema;
  /** The errors of the last call. */
  readonly errors: readonly AjvError[];
}

interface AjvError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
}

/** Adds to an Ajv of express-openapi-validator what bounds its work. Call it before Ajv compiles anything. */
export function toValidators(created: object, steps: Steps): Validators {
  const ajv = created as Ajv;
  const limit = createStepLimit(steps);
  // Of the message that is judged now.
  let identify: Identify | undefined;
  ajv.addKeyword(limit.keyword);
  // Ajv skips what comes after prefixItems for an array that is shorter. OpenAPI 3.0 has neither.
  const order = ajv.getKeyword('prefixItems') === false ? {} : { before: 'prefixItems' };
  const contains = ajv.getKeyword('contains');
  if (typeof contains === 'object') {
    ajv.removeKeyword('contains');
    ajv.addKeyword({ ...contains, ...order });
  }
  // Ajv compares each item with each other one, unless all are of one simple type.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    ...order,
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    validate: (isWanted: boolean, items: readonly unknown[]) =>
      !isWanted || areUnique(items, (identify ??= createIdentify())),
  });
  // Ajv finds no object equal to another one that has a member `constructor`, and throws at a member `valueOf`.
  for (const keyword of OF_OBJECTS.values()) {
    ajv.addKeyword({
      keyword,
      error: { message: 'must be equal to one of the allowed values' },
      validate: (allowed: readonly unknown[], value: unknown) => {
        const identifyOne = (identify ??= createIdentify());
        return allowed.some((one) => identifyOne(one) === identifyOne(value));
      },
    });
  }
  // Ajv's notes for its own two keywords are wrong, and throw for some values below dependentSchemas beside patternProperties.
  ajv.opts.unevaluated = false;
  for (const definition of unevaluatedKeywords(ajv)) {
    ajv.removeKeyword(definition.keyword);
    ajv.addKeyword(definition);
  }
  return {
    ajv,
    isValid: (validate, value) => {
      try {
        return limit.judge(validate, value);
      } finally {
        identify = undefined;
      }
    },
  };
}

/** `pointer` is that of a schema, such as `#/components/schemas/m0`; `root` names the value in messages, such as `request`. */
export function toJudge({ ajv, isValid }: Validators, pointer: string, root: string): Judge {
  const validate = ajv.getSchema(pointer);
  assert(validate, `express-openapi-validator compiled no ${pointer}`);
  return (value) => (isValid(validate, value) ? undefined : toFaults(validate.errors, root));
}

// A generator, since there may be many more errors than are reported.
function* toFaults(errors: readonly AjvError[], root: string): Generator<FoundFault> {
  for (const error of errors) {
    // That the value does not match `then`, or `else`: the errors before it say why.
    if (error.keyword === 'if') continue;
    // Both functions are those of express-openapi-validator: the first adds the allowed values to messages about enum.
    const [{ instancePath, keyword, message }] = augmentAjvErrors([error as never]) as unknown as [AjvError];
    // Of a missing or undeclared property it tells the path; Ajv's `instancePath` is that of the object.
    const [withPath] = ajvErrorsToValidatorError(0, [error as never]).errors;
    yield {
      pointer: shortenPointer(String(withPath?.path)),
      rule: keyword,
      message: `${root}${shortenPointer(instancePath)} ${String(message)}`,
    };
  }
}
