import type { ErrorObject } from 'ajv';
import { describeInteger, isInt64Format, isIntegerFormat, toExactJson, toPointerKey } from '@contract-kit/contract';
import { shortenPointer, type RequestFault } from '../errors/refusal';

/**
 * Converts errors from EOV's Ajv. It is a generator, since there may be many more errors than are reported.
 *
 * @param root the message's name in error messages, such as `request`
 * @param prefix the message's pointer in the value that Ajv validated, such as `/body`
 */
export function* toFaults(errors: Iterable<ErrorObject>, root: string, prefix = ''): Generator<RequestFault> {
  for (const error of errors) {
    const { keyword: name, instancePath, params, message } = error;
    // The kit's `type` for numbers is called x-type.
    const keyword = name.replace(/^x-/, '');
    // An error of `if` says only that `then` or `else` failed. The errors before it say why.
    if (keyword === 'if') continue;
    const place = instancePath.slice(prefix.length);
    const { additionalProperty, unevaluatedProperty, allowedValues, format } = params as AjvParams;
    const undeclaredName = unevaluatedProperty ?? additionalProperty;
    const pointer = shortenPointer(pointerOf(error).slice(prefix.length));
    const subject = `${root}${shortenPointer(place)}`;
    if (format !== undefined && isIntegerFormat(format)) {
      const rule = isInt64Format(format) ? format : keyword;
      yield { pointer, rule, message: `${subject} ${describeInteger(format)}` };
    } else if (undeclaredName !== undefined) {
      yield { pointer, rule: keyword, message: `${subject} ${String(message)}: ${shortenPointer(undeclaredName)}` };
    } else if (keyword === 'enum' && allowedValues) {
      // The list in the message is shortened, since there may be thousands of values.
      const problem = `must be equal to one of the allowed values: ${listValues(allowedValues)}`;
      yield { pointer, rule: keyword, message: `${subject} ${problem}` };
    } else yield { pointer, rule: keyword, message: `${subject} ${String(message)}` };
  }
}

/** Returns the pointer to an error. For a missing or undeclared property, Ajv gives only the path of the object. */
export function pointerOf({ instancePath, params }: ErrorObject): string {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as AjvParams;
  const name = unevaluatedProperty ?? additionalProperty ?? missingProperty;
  return name === undefined ? instancePath : `${instancePath}/${toPointerKey(name)}`;
}

const MAX_VALUES = 50;

function listValues(values: readonly unknown[]): string {
  const texts = values.slice(0, MAX_VALUES).map((value) => (typeof value === 'string' ? value : toExactJson(value)));
  return [...texts, ...(values.length > MAX_VALUES ? ['...'] : [])].join(', ');
}

interface AjvParams {
  readonly missingProperty?: string;
  readonly additionalProperty?: string;
  readonly unevaluatedProperty?: string;
  readonly allowedValues?: readonly unknown[];
  readonly format?: string;
}
