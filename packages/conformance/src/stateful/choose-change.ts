// Chooses a body that changes an instance.
import { isSame, type Json } from '../wire/json';
import { createSingleMemberBodies, createValidBodies, type Body } from './bodies';
import { idsChosenIn } from './find-id';
import type { Journey, TrackedInstance } from './journey';
import type { LinkedOperation } from './link-operation';
import { unwrapEnvelope } from './representation';

/**
 * Chooses a body for PUT or PATCH that changes at least one property, and has the id of the instance if it has any. If
 * no body changes anything, it is the first one.
 */
export function chooseChange(
  { tools, lifecycle }: Journey,
  { instance, expected }: TrackedInstance,
  { operation }: LinkedOperation,
  bodyNumber: number,
): Body | undefined {
  const { writable, resource } = lifecycle;
  const wholeBodies = createValidBodies(tools.values, operation);
  // A patch must keep what it does not name: prefer patches with one property.
  const patches = operation.method === 'PATCH' ? createSingleMemberBodies(tools.values, wholeBodies) : [];
  const bodies = (patches.length > 0 ? patches : wholeBodies).filter(({ value }) =>
    idsChosenIn(value, resource.idExpressions).every((id) => isSame(id, instance.id)),
  );
  const membersOf = ({ value }: Body): [string, Json][] => Object.entries(unwrapEnvelope(value, writable));
  const changes = bodies
    .filter((body) => membersOf(body).some(([name, member]) => !isSame(expected?.[name], member)))
    // Bodies with the fewest properties first: PUT removes what they leave out.
    .toSorted((one, other) => membersOf(one).length - membersOf(other).length);
  return changes.length > 0 ? changes[bodyNumber % changes.length] : bodies[0];
}
