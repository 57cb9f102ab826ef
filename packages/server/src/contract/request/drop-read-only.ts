// Takes readOnly properties out of a request, or refuses it.
import { childOf, hasOthers, itemOf, type Shape } from '../document/shape';
import { toFault, toFound } from '../refusal/fault';
import { toDepthRefusal, toFaultRefusal } from '../refusal/refusal';

/** What becomes of a readOnly property that a client sends: it is taken out, or the request is refused. */
export type ReadOnlyRule = 'drop' | 'refuse';

/**
 * Takes the readOnly properties out of a request that is not validated yet: they are the server's alone.
 *
 * @param value changed
 * @throws Refusal when the rule is to refuse them, and there is one
 */
export function dropReadOnly(shape: Shape, value: unknown, rule: ReadOnlyRule): void {
  try {
    drop(shape, value, rule === 'refuse' ? refuse : undefined, '');
  } catch (cause) {
    throw cause instanceof RangeError ? toDepthRefusal() : cause;
  }

  function refuse(pointer: string): never {
    throw toFaultRefusal([toFault(shape, toFound(pointer, 'readOnly', 'is readOnly'))]);
  }
}

function drop(
  shape: Shape | undefined,
  value: unknown,
  refuse: ((pointer: string) => never) | undefined,
  at: string,
): void {
  if (!shape?.holdsExcluded || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) drop(itemOf(shape, index), item, refuse, `${at}/${String(index)}`);
    return;
  }
  const members = value as Record<string, unknown>;
  for (const name of shape.excluded) {
    if (!Object.hasOwn(members, name)) continue;
    refuse?.(`${at}/${name}`);
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- few of an object that may be large
    delete members[name];
  }
  for (const name of hasOthers(shape) ? Object.keys(members) : shape.properties.keys()) {
    if (Object.hasOwn(members, name)) drop(childOf(shape, name), members[name], refuse, `${at}/${name}`);
  }
}
