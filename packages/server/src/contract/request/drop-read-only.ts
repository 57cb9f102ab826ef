// Takes readOnly properties out of a request, or refuses it.
import { propertyShape, hasUnnamedProperties, itemShape, type Shape } from '../document/shape';
import { toFault, toFoundFault } from '../refusal/fault';
import { toDepthRefusal, toFaultRefusal } from '../refusal/refusal';

/** Whether a readOnly property that a client sends is taken out, or the request refused. */
export type ReadOnlyRule = 'drop' | 'refuse';

/** Only the server sets readOnly properties. @throws Refusal if the rule is `refuse` and one is there, or for deep nesting */
export function dropReadOnly(shape: Shape, value: unknown, rule: ReadOnlyRule): void {
  try {
    drop(shape, value, rule === 'refuse' ? refuse : undefined, '');
  } catch (cause) {
    throw cause instanceof RangeError ? toDepthRefusal() : cause;
  }

  function refuse(pointer: string): never {
    throw toFaultRefusal([toFault(shape, toFoundFault(pointer, 'readOnly', 'is readOnly'))]);
  }
}

// `shape.excluded` has the readOnly properties. `refuse` is called for the first one instead, with a pointer such as `/body/id`.
function drop(
  shape: Shape | undefined,
  value: unknown,
  refuse: ((pointer: string) => never) | undefined,
  pointer: string,
): void {
  if (!shape?.holdsExcluded || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      drop(itemShape(shape, index), item, refuse, `${pointer}/${String(index)}`);
    return;
  }
  const members = value as Record<string, unknown>;
  for (const name of shape.excluded) {
    if (!Object.hasOwn(members, name)) continue;
    refuse?.(`${pointer}/${name}`);
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- few of an object that may be large
    delete members[name];
  }
  // Only properties with a shape can have readOnly ones below: an object may have a million others.
  for (const name of hasUnnamedProperties(shape) ? Object.keys(members) : shape.properties.keys()) {
    if (Object.hasOwn(members, name)) drop(propertyShape(shape, name), members[name], refuse, `${pointer}/${name}`);
  }
}
