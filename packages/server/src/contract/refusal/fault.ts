// The wrong fields of a request.
import { propertyShape, itemShape, type Shape } from '../document/shape';

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

export function shortenPointer(pointer: string): string {
  return pointer.length > MAX_POINTER ? `${pointer.slice(0, MAX_POINTER)}...` : pointer;
}

/** Adds the faults of fields that `listed` lacks; it has one fault for each field, and ten at most. */
export function addFaults(listed: readonly FoundFault[], faults: Iterable<FoundFault>): FoundFault[] {
  const byField = new Map(listed.map((fault) => [fault.pointer, fault]));
  const listedFields = new Set(byField.keys());
  for (const fault of faults) {
    if (byField.size === MAX_FAULTS && !byField.has(fault.pointer)) break;
    // Of several added faults of one field the last one stays: for anyOf it says that no alternative matches.
    if (!listedFields.has(fault.pointer)) byField.set(fault.pointer, fault);
  }
  return [...byField.values()];
}

/** Makes a fault that the kit found itself, such as `toFoundFault('/body/id', 'readOnly', 'is readOnly')`. */
export function toFoundFault(pointer: string, rule: string, problem: string): FoundFault {
  const shortened = shortenPointer(pointer);
  return { pointer: shortened, rule, message: `request${shortened} ${problem}` };
}

/** `shape` is that of the whole request. */
export function toFault(shape: Shape, found: FoundFault): Fault {
  return { ...found, place: toPlace(shape, found.pointer) };
}

// `/body/tags/0` becomes `/body/tags/*`: an index, or a name that the contract does not declare, is the client's.
function toPlace(root: Shape, pointer: string): string {
  let shape: Shape | undefined = root;
  const segments = pointer.split('/').map((segment, index) => {
    // A pointer begins with a slash.
    if (index === 0) return segment;
    // The escapes of JSON pointers (RFC 6901 section 4).
    const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    const declared: Shape | undefined = shape?.properties.get(name);
    const isDeclared = declared !== undefined || shape?.excluded.has(name) === true;
    shape = declared ?? propertyShape(shape, name) ?? itemShape(shape, Number(name));
    return isDeclared ? segment : '*';
  });
  return segments.join('/');
}
