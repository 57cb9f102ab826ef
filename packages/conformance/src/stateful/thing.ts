// Something that the run created, with its id.
import type { Parameter } from '../contract/model';
import type { Json } from '../wire/json';
import type { Body } from './bodies';
import type { Resource } from './resources';
import type { Exchanged } from './runtime-expression';

/** One of a resource, which is there. */
export interface Thing {
  readonly resource: Resource;
  readonly id: Json;
  /** Those whose ids stand before its own in its path. */
  readonly parents: readonly Thing[];
  /** The exchange that made it, or that showed it. */
  readonly exchange: Exchanged;
  /** Whether this run made it: others are only read. */
  readonly isOurs: boolean;
  /** What its maker sent. */
  readonly body: Body | undefined;
  /** What `If-Match` has to say. */
  readonly tag: string | undefined;
}

/** Whether a parameter is the header that says which version is meant (RFC 9110 section 13.1.1). */
export function isIfMatch({ in: place, name }: Parameter): boolean {
  return place === 'header' && name.toLowerCase() === 'if-match';
}
