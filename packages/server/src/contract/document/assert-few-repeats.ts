// Refuses YAML whose aliases would make it huge.
import { EVENT_ID, YAMLException, type Event } from 'js-yaml';

/** In characters. Enough for a thousand operations that share replies of 500 characters. */
const MAX_REPEATED = 500_000;

const REASON = `the aliases repeat more than ${MAX_REPEATED.toLocaleString('en')} characters: write what repeats into components and refer to it`;

interface Collection {
  readonly anchor: string | undefined;
  size: number;
}

/**
 * Asserts that a YAML text is not much longer with its aliases written out. Validators and generators process it in
 * that form, and each level of nested aliases multiplies its length.
 *
 * @throws YAMLException at the alias that exceeds the limit, or that refers to a collection around it
 */
export function assertFewRepeats(source: string, events: readonly Event[]): void {
  const sizes = new Map<string | undefined, number>();
  const open: Collection[] = [];
  let repeated = 0;

  function close(anchor: string | undefined, size: number): void {
    sizes.set(anchor, size);
    const parent = open.at(-1);
    if (parent) parent.size += size;
  }

  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      // The end of the document has no collection.
      const collection = open.pop();
      if (collection) close(collection.anchor, collection.size);
      continue;
    }
    const anchor = 'anchorStart' in event ? source.slice(event.anchorStart, event.anchorEnd) || undefined : undefined;
    if (event.type === EVENT_ID.SCALAR) {
      close(anchor, 1 + event.valueEnd - event.valueStart);
    } else if (event.type === EVENT_ID.ALIAS) {
      const size = sizes.get(anchor) ?? 0;
      repeated += size;
      if (open.some((collection) => collection.anchor === anchor))
        fail(event.anchorStart, 'an alias stands for a collection around it');
      if (repeated > MAX_REPEATED) fail(event.anchorStart, REASON);
      close(undefined, size);
    } else if (event.type !== EVENT_ID.DOCUMENT) {
      open.push({ anchor, size: 1 });
    }
  }

  function fail(position: number, reason: string): never {
    return YAMLException.throwAt(source, position, reason);
  }
}
