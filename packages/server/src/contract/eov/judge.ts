// Calls the functions that express-openapi-validator compiled.
import assert from 'node:assert';
import { ajvErrorsToValidatorError, augmentAjvErrors } from 'express-openapi-validator/dist/middlewares/util';
import { shortenPointer, type FoundFault } from '../refusal/fault';

/** A function that express-openapi-validator compiled. Returns undefined for a valid value. */
export type Judge = (value: unknown) => Iterable<FoundFault> | undefined;

/** The part of Ajv, the compiler inside express-openapi-validator, that is used here. */
export interface Ajv {
  readonly getSchema: (key: string) => Validate | undefined;
}

interface Validate {
  (value: unknown): boolean;
  /** Of a value that is not valid. */
  readonly errors: readonly AjvError[];
}

interface AjvError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
}

/** @param root what the messages call the value */
export function toJudge(ajv: Ajv, key: string, root: string): Judge {
  const validate = ajv.getSchema(key);
  assert(validate, `express-openapi-validator compiled no ${key}`);
  return (value) => (validate(value) ? undefined : toFaults(validate.errors, root));
}

// One at a time: there may be many more than are told.
function* toFaults(errors: readonly AjvError[], root: string): Generator<FoundFault> {
  for (const error of errors) {
    const [{ instancePath, keyword, message }] = augmentAjvErrors([error as never]) as unknown as [AjvError];
    const [told] = ajvErrorsToValidatorError(0, [error as never]).errors;
    yield {
      pointer: shortenPointer(String(told?.path)),
      rule: keyword,
      message: `${root}${shortenPointer(instancePath)} ${String(message)}`,
    };
  }
}
