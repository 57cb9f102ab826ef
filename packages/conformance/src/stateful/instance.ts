// One instance of a resource, with its id.
import type { Parameter } from '../contract/model';
import type { Json } from '../wire/json';
import type { Body } from './bodies';
import type { Resource } from './resources';
import type { Exchanged } from './runtime-expression';

export interface Instance {
  readonly resource: Resource;
  readonly id: Json;
  /** The instances whose ids precede its own in its path. */
  readonly parents: readonly Instance[];
  /** The request and reply that created it or listed it. */
  readonly exchange: Exchanged;
  /** Whether this run created it: others are only read. */
  readonly isOurs: boolean;
  /** The body that created it. */
  readonly body: Body | undefined;
  readonly etag: string | undefined;
}

/** Whether a parameter is the header If-Match (RFC 9110 section 13.1.1). */
export function isIfMatch({ in: place, name }: Parameter): boolean {
  return place === 'header' && name.toLowerCase() === 'if-match';
}
