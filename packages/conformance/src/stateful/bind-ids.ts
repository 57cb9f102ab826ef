// Binds the ids of an instance to the parameters of an operation on it.
import type { Parameter } from '../contract/model';
import type { Values } from '../values/variant';
import { toText, type Json } from '../wire/json';
import { isIfMatch, type Instance } from './instance';
import type { LinkedOperation } from './link-operation';
import type { Resource } from './resources';
import { evaluate } from './runtime-expression';

/**
 * Adds the ids and the entity tag of an instance to the values for a request; undefined when the value of a required
 * parameter is unknown.
 *
 * @param getShared gives an instance of a resource that is neither the instance itself nor one of its parents
 */
export async function bindIds(
  values: Values,
  { operation, origins }: LinkedOperation,
  instance: Instance,
  getShared: (resource: Resource) => Promise<Instance | undefined>,
): Promise<Values | undefined> {
  const places = new Map(values.given.places);
  for (const [parameter, origin] of origins) {
    const value =
      'resource' in origin
        ? (findAncestor(instance, origin.resource) ?? (await getShared(origin.resource)))?.id
        : evaluate(origin.expression, instance.exchange);
    if (value !== undefined && isSendable(parameter, value)) places.set(parameter.pointer, [value]);
    else if (parameter.isRequired) return undefined;
  }
  const ifMatch = operation.parameters.find(isIfMatch);
  if (ifMatch && instance.etag !== undefined) places.set(ifMatch.pointer, [instance.etag]);
  return { ...values, given: { ...values.given, places } };
}

function findAncestor(instance: Instance, resource: Resource): Instance | undefined {
  return [instance, ...instance.parents].find((candidate) => candidate.resource === resource);
}

/** Whether a value that a server chose can be sent: in a header, a line break in it would begin another header. */
function isSendable({ in: location }: Parameter, value: Json): boolean {
  return location === 'path' || location === 'query' || /^[ -~]*$/.test(toText(value));
}
