import {
  resolveReference,
  type Document,
  type OperationObject,
  type ParameterObject,
  type PathItem,
  type Reference,
} from '../document/document';
import { Mistake, type Mistakes } from '../document/mistake';
import { takesOtherNames } from './notation';
import { isIgnored, readParameter, type Parameter } from './parameter';

/** Parameters of an operation override those of its path. Those with mistakes, which are added to `mistakes`, are left out. */
export function readParameters(
  document: Document,
  item: PathItem,
  object: OperationObject,
  mistakes: Mistakes,
): Parameter[] {
  const own = readEach(document, object.parameters, mistakes);
  const ofPath = readEach(document, item.parameters, mistakes);
  for (const [list, parameters] of [
    [own, object.parameters],
    [ofPath, item.parameters],
  ] as const) {
    const repeated = list.filter((parameter, index) =>
      list.slice(0, index).some((earlier) => isSame(earlier, parameter)),
    );
    for (const { location, name } of repeated)
      mistakes.add(new Mistake(parameters ?? object, `the ${location} parameter ${name} is listed twice`));
  }
  const inherited = ofPath.filter((parameter) => !own.some((other) => isSame(other, parameter)));
  const all = [...own, ...inherited];
  // Only one parameter can be the object whose members are all other names of the query.
  const [first, second] = all.filter((parameter) => parameter.location === 'query' && takesOtherNames(parameter));
  if (first && second) {
    const message = `${first.name} and ${second.name} would both have all other names of the query: list the properties of one`;
    mistakes.add(new Mistake(second.schema, message));
  }
  return all;
}

function readEach(document: Document, nodes: PathItem['parameters'], mistakes: Mistakes): Parameter[] {
  return (nodes ?? []).flatMap((node) => mistakes.attempt(() => readUnlessIgnored(document, node)) ?? []);
}

function readUnlessIgnored(document: Document, node: ParameterObject | Reference): Parameter[] {
  return isIgnored(resolveReference<ParameterObject>(document, node)) ? [] : [readParameter(document, node)];
}

function isSame(one: Parameter, other: Parameter): boolean {
  if (one.location !== other.location) return false;
  // Names of headers are case-insensitive (RFC 9110 section 5.1).
  return one.location === 'header' ? one.name.toLowerCase() === other.name.toLowerCase() : one.name === other.name;
}
