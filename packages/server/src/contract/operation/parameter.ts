// Reads one parameter of an operation.
import {
  resolveReference,
  type Document,
  type ParameterObject,
  type Reference,
  type Schema,
} from '../document/document';
import { assertName } from '../document/inherited-names';
import { Mistake } from '../document/mistake';
import { isLocation, readNotation, type Notation, type ParameterLocation } from './notation';

export interface Parameter extends Notation {
  /** As the contract spells it. */
  readonly name: string;
  readonly location: ParameterLocation;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

// OpenAPI, Parameter Object: definitions of these headers are ignored.
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization']);

/**
 * Whether OpenAPI ignores a parameter, since security, requestBody or responses declare that header.
 *
 * @example isIgnored({ name: 'Accept', in: 'header' }) // true
 */
export function isIgnored({ name, in: location }: ParameterObject): boolean {
  return location === 'header' && IGNORED_HEADERS.has(name.toLowerCase());
}

/** @throws Mistake when the kit cannot read the parameter */
export function readParameter(document: Document, node: ParameterObject | Reference): Parameter {
  const object = resolveReference<ParameterObject>(document, node);
  const { name, in: location, required = false } = object;
  if (!isLocation(location))
    throw new Mistake(object, `there are no parameters in ${location}, only in path, query, header and cookie`, 'in');
  if (location === 'path' && !required)
    throw new Mistake(object, `the path parameter ${name} has to say required: true`);
  const notation = readNotation(document, object, location);
  assertName(object, name, resolveReference(document, notation.schema));
  return { name, location, isRequired: required, ...notation };
}
