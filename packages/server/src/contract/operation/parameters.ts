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
  const own = readEach(document, mistakes, object.parameters);
  const ofPath = readEach(document, mistakes, item.parameters);
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

function readEach(document: Document, mistakes: Mistakes, nodes: PathItem['parameters'] = []): Parameter[] {
  const read = nodes.flatMap((node) => mistakes.attempt(() => readUnlessIgnored(document, node)) ?? []);
  for (const [index, parameter] of read.entries()) {
    const isRepeated = read.slice(0, index).some((earlier) => isSame(earlier, parameter));
    if (!isRepeated) continue;
    mistakes.add(new Mistake(nodes, `the ${parameter.location} parameter ${parameter.name} is listed twice`));
  }
  return read;
}

function readUnlessIgnored(document: Document, node: ParameterObject | Reference): Parameter[] {
  return isIgnored(resolveReference<ParameterObject>(document, node)) ? [] : [readParameter(document, node)];
}

function isSame(one: Parameter, other: Parameter): boolean {
  if (one.location !== other.location) return false;
  // Names of headers are case-insensitive (RFC 9110 section 5.1).
  return one.location === 'header' ? one.name.toLowerCase() === other.name.toLowerCase() : one.name === other.name;
}
