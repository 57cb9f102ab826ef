// Calls the functions that express-openapi-validator compiled.
import assert from 'node:assert';
import { ajvErrorsToValidatorError, augmentAjvErrors } from 'express-openapi-validator/dist/middlewares/util';
import { shortenPointer, type FoundFault } from '../refusal/fault';

/** Validates a value with a function that express-openapi-validator compiled. Returns undefined for a valid value. */
export type Judge = (value: unknown) => Iterable<FoundFault> | undefined;

/** The part of Ajv, the compiler inside express-openapi-validator, that is used here. */
export interface Ajv {
  readonly getSchema: (key: string) => Validate | undefined;
}

interface Validate {
  (value: unknown): boolean;
  /** The errors of the last call. */
  readonly errors: readonly AjvError[];
}

interface AjvError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
}

/** `pointer` is that of a schema, such as `#/components/schemas/m0`; `root` names the value in messages, such as `request`. */
export function toJudge(ajv: Ajv, pointer: string, root: string): Judge {
  const validate = ajv.getSchema(pointer);
  assert(validate, `express-openapi-validator compiled no ${pointer}`);
  return (value) => (validate(value) ? undefined : toFaults(validate.errors, root));
}

// A generator, since there may be many more errors than are reported.
function* toFaults(errors: readonly AjvError[], root: string): Generator<FoundFault> {
  for (const error of errors) {
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
