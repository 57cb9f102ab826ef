// The wrong fields of a request.
import { childOf, itemOf, type Shape } from '../document/shape';

/** A field of a request that breaks a rule; never its value. */
export interface FoundFault {
  /** A JSON pointer (RFC 6901) into the request, such as `/body/tags/0`. The client may have chosen names in it. */
  readonly pointer: string;
  /** The keyword of the schema, such as `maxLength`, or the kit's own word for a rule. */
  readonly rule: string;
  /** Such as `request/body/tags/0 must be string`. */
  readonly message: string;
}

/** A field of a request that breaks a rule, with its place in the contract. */
export interface Fault extends FoundFault {
  /** The pointer without what the client chose: `*` stands for an index, and for a name that the contract does not declare. */
  readonly place: string;
}

/** How many wrong fields a reply tells. */
export const MAX_FAULTS = 10;

// A client may choose names as long as its body, and several faults may be below one of them.
const MAX_POINTER = 200;

/** A pointer as it is told: a long one is cut. */
export function shortenPointer(pointer: string): string {
  return pointer.length > MAX_POINTER ? `${pointer.slice(0, MAX_POINTER)}...` : pointer;
}

/** Adds faults of other fields to those that are listed, up to ten. */
export function addFields(listed: readonly FoundFault[], faults: Iterable<FoundFault>): FoundFault[] {
  const fields = new Map(listed.map((fault) => [fault.pointer, fault]));
  const known = new Set(fields.keys());
  for (const fault of faults) {
    if (fields.size === MAX_FAULTS && !fields.has(fault.pointer)) break;
    // The last one says the most: that no alternative matches, after what is wrong under each.
    if (!known.has(fault.pointer)) fields.set(fault.pointer, fault);
  }
  return [...fields.values()];
}

/**
 * A fault that the kit found itself.
 *
 * @param problem what the field must be, or is
 */
export function toFound(pointer: string, rule: string, problem: string): FoundFault {
  const told = shortenPointer(pointer);
  return { pointer: told, rule, message: `request${told} ${problem}` };
}

/** @param shape of the request */
export function toFault(shape: Shape, found: FoundFault): Fault {
  return { ...found, place: toPlace(shape, found.pointer) };
}

function toPlace(root: Shape, pointer: string): string {
  let shape: Shape | undefined = root;
  const names = pointer.split('/').map((segment, index) => {
    if (index === 0) return segment;
    const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    const declared: Shape | undefined = shape?.properties.get(name);
    const isDeclared = declared !== undefined || shape?.excluded.has(name) === true;
    shape = declared ?? childOf(shape, name) ?? itemOf(shape, Number(name));
    return isDeclared ? segment : '*';
  });
  return names.join('/');
}
