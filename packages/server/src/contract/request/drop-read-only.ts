// Takes readOnly properties out of a request, or refuses it.
import { childOf, hasOthers, itemOf, type Shape } from '../document/shape';
import { Refusal, toDepthRefusal } from '../refusal/refusal';

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
    drop(shape, value, rule, 'request');
  } catch (cause) {
    throw cause instanceof RangeError ? toDepthRefusal() : cause;
  }
}

function drop(shape: Shape | undefined, value: unknown, rule: ReadOnlyRule, at: string): void {
  if (!shape?.holdsExcluded || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) drop(itemOf(shape, index), item, rule, `${at}/${String(index)}`);
    return;
  }
  const members = value as Record<string, unknown>;
  for (const name of shape.excluded) {
    if (!Object.hasOwn(members, name)) continue;
    if (rule === 'refuse') {
      const kind = at.startsWith('request/body') ? 'INVALID_BODY' : 'INVALID_PARAMETER';
      throw new Refusal(kind, `${at}/${name} is readOnly`);
    }
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- few of an object that may be large
    delete members[name];
  }
  for (const name of hasOthers(shape) ? Object.keys(members) : shape.properties.keys()) {
    if (Object.hasOwn(members, name)) drop(childOf(shape, name), members[name], rule, `${at}/${name}`);
  }
}
