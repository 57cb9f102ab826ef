// Finds what OpenAPI 3.2 adds to 3.1 and the kit does not serve. All else of 3.2 is served as 3.1.
import { isData, isMapByName } from '../yaml/parse-yaml';
import { Mistake } from '../text/mistake';
import type { Document } from './document';
import { isObjectOrList } from './schema';

// New examples, tags, flows and names change nothing that is served.
const NOT_SERVED = new Set(
  'query additionalOperations itemSchema itemEncoding prefixEncoding mediaTypes defaultMapping'.split(' '),
);

/** Finds what is new in OpenAPI 3.2 and changes which messages are right. */
export function findNewIn32(document: Document): Mistake[] {
  return /^3\.2(?:\.|$)/.test(document.openapi) ? [...findNew(document, false)] : [];
}

function* findNew(node: object, areKeysNames: boolean): Generator<Mistake> {
  for (const [key, child] of Object.entries(node) as [string, unknown][]) {
    if (!areKeysNames && (key.startsWith('x-') || isData(key, child))) continue;
    if (!areKeysNames && NOT_SERVED.has(key))
      yield new Mistake(node, `${key} is new in OpenAPI 3.2, and not served: write the contract without it`, key);
    else if (isObjectOrList(child)) yield* findNew(child, !areKeysNames && isMapByName(key, child));
  }
}
