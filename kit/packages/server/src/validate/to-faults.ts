// Translates the errors of EOV's Ajv into faults: a place, a rule and a text for each.
import type { ErrorObject } from 'ajv';
import { describeInteger, isInt64Format, isIntegerFormat, toExactJson, toPointerKey } from '@contract-kit/contract';
import { shortenPointer, type RequestFault } from '../errors/refusal';

/**
 * A generator, since there may be many more errors than are reported.
 *
 * @param root names the message in texts, such as `request`
 * @param prefix the pointer of the message in what Ajv judged, such as `/body`
 */
export function* toFaults(errors: Iterable<ErrorObject>, root: string, prefix = ''): Generator<RequestFault> {
  for (const error of errors) {
    const { keyword: name, instancePath, params, message } = error;
    // The kit's own `type` for numbers is called x-type.
    const keyword = name.replace(/^x-/, '');
    // An error of `if` only says that `then` or `else` failed: the errors before it say why.
    if (keyword === 'if') continue;
    const place = instancePath.slice(prefix.length);
    const { additionalProperty, unevaluatedProperty, allowedValues, format } = params as AjvParams;
    const undeclared = unevaluatedProperty ?? additionalProperty;
    const pointer = shortenPointer(pointerOf(error).slice(prefix.length));
    const told = `${root}${shortenPointer(place)}`;
    if (format !== undefined && isIntegerFormat(format)) {
      yield { pointer, rule: isInt64Format(format) ? format : keyword, message: `${told} ${describeInteger(format)}` };
    } else if (undeclared !== undefined) {
      yield { pointer, rule: keyword, message: `${told} ${String(message)}: ${shortenPointer(undeclared)}` };
    } else if (keyword === 'enum' && allowedValues) {
      // EOV's message lists all of them, of which an enum may have thousands.
      const problem = `must be equal to one of the allowed values: ${listValues(allowedValues)}`;
      yield { pointer, rule: keyword, message: `${told} ${problem}` };
    } else yield { pointer, rule: keyword, message: `${told} ${String(message)}` };
  }
}

/** The pointer of a missing or undeclared property includes its name; Ajv's path is that of the object. */
export function pointerOf({ instancePath, params }: ErrorObject): string {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as AjvParams;
  const name = unevaluatedProperty ?? additionalProperty ?? missingProperty;
  return name === undefined ? instancePath : `${instancePath}/${toPointerKey(name)}`;
}

const MOST_VALUES = 50;

function listValues(values: readonly unknown[]): string {
  const shown = values.slice(0, MOST_VALUES).map((value) => (typeof value === 'string' ? value : toExactJson(value)));
  return [...shown, ...(values.length > MOST_VALUES ? ['...'] : [])].join(', ');
}

interface AjvParams {
  readonly missingProperty?: string;
  readonly additionalProperty?: string;
  readonly unevaluatedProperty?: string;
  readonly allowedValues?: readonly unknown[];
  readonly format?: string;
}
