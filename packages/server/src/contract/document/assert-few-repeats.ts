// Refuses YAML whose aliases would make it huge.
import { EVENT_ID, YAMLException, type Event } from 'js-yaml';

/** In characters. Enough for a thousand operations that share replies of 500 characters. */
const MAX_REPEATED_CHARACTERS = 500_000;

const TOO_MANY_REPEATS = `the aliases repeat more than ${MAX_REPEATED_CHARACTERS.toLocaleString('en')} characters: write what repeats into components and refer to it`;

/** A mapping or a sequence whose end is not reached yet. */
interface OpenCollection {
  readonly anchor: string | undefined;
  /** In characters, with aliases written out. */
  size: number;
}

/**
 * Asserts that a YAML text is not much longer with its aliases written out: each `*name` replaced by the node with the
 * anchor `&name`. Validators and generators process it in that form, and nested aliases multiply its length.
 *
 * @throws YAMLException at the alias that exceeds the limit, or that refers to a collection around it
 */
export function assertFewRepeats(source: string, events: readonly Event[]): void {
  const sizeByAnchor = new Map<string | undefined, number>();
  const openCollections: OpenCollection[] = [];
  let repeatedCharacters = 0;

  for (const event of events) {
    const anchor = readAnchor(source, event);
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        break;
      // An empty node counts as one character, too.
      case EVENT_ID.SCALAR:
        endNode(anchor, 1 + event.valueEnd - event.valueStart);
        break;
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        openCollections.push({ anchor, size: 1 });
        break;
      case EVENT_ID.POP: {
        // The end of a collection, or of the document: then no collection is open.
        const collection = openCollections.pop();
        if (collection) endNode(collection.anchor, collection.size);
        break;
      }
      case EVENT_ID.ALIAS:
        addAlias(anchor, event.anchorStart);
        break;
    }
  }

  function endNode(anchor: string | undefined, size: number): void {
    sizeByAnchor.set(anchor, size);
    const parent = openCollections.at(-1);
    if (parent) parent.size += size;
  }

  // Counts an alias `*name` as if the node with the anchor `&name` were written there again.
  function addAlias(anchor: string | undefined, position: number): void {
    const size = sizeByAnchor.get(anchor) ?? 0;
    repeatedCharacters += size;
    // Written out, a collection inside itself would never end.
    if (openCollections.some((collection) => collection.anchor === anchor)) {
      YAMLException.throwAt(source, position, 'an alias stands for a collection around it');
    }
    if (repeatedCharacters > MAX_REPEATED_CHARACTERS) YAMLException.throwAt(source, position, TOO_MANY_REPEATS);
    endNode(undefined, size);
  }
}

/** The name after the & of a node, or after the * of an alias; undefined if the event has none. */
function readAnchor(source: string, event: Event): string | undefined {
  return 'anchorStart' in event ? source.slice(event.anchorStart, event.anchorEnd) || undefined : undefined;
}
