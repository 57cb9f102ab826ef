import {
  resolveReference,
  type Document,
  type OperationObject,
  type ParameterObject,
  type PathItem,
} from '../document/document';
import { Mistake, type Mistakes } from '../document/mistake';
import { takesOtherNames } from './notation';
import { isIgnored, readParameter, type Parameter } from './parameter';

/**
 * Reads the parameters of an operation. Its own override those of its path with the same name and location. Mistakes are
 * added to `mistakes`.
 */
export function readParameters(
  document: Document,
  item: PathItem,
  object: OperationObject,
  mistakes: Mistakes,
): Parameter[] {
  const [own, shared] = [object.parameters, item.parameters].map((nodes = []) =>
    nodes.flatMap(
      (node) =>
        mistakes.attempt(() => {
          const isRead = !isIgnored(resolveReference<ParameterObject>(document, node));
          return isRead ? [readParameter(document, node)] : [];
        }) ?? [],
    ),
  ) as [Parameter[], Parameter[]];
  for (const [index, parameter] of own.entries()) {
    mistakes.attempt(() => {
      if (own.slice(0, index).some((other) => isSame(other, parameter))) {
        throw new Mistake(
          object,
          `the ${parameter.location} parameter ${parameter.name} is listed twice`,
          'parameters',
        );
      }
    });
  }
  const all = [...own, ...shared.filter((parameter) => !own.some((other) => isSame(other, parameter)))];
  const [first, second] = all.filter((parameter) => parameter.location === 'query' && takesOtherNames(parameter));
  mistakes.attempt(() => {
    if (!first || !second) return;
    const message = `${first.name} and ${second.name} would both have all other names of the query: list the properties of one`;
    throw new Mistake(second.schema, message);
  });
  return all;
}

function isSame(one: Parameter, other: Parameter): boolean {
  return one.location === other.location && one.name === other.name;
}
