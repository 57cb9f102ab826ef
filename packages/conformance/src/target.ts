// The server under test, with what tests of the kit itself know of its inside.
import type { Meant } from './case';
import type { Server } from './exchange';
import type { Json, JsonObject } from './wire/json';

/** A server that cases are sent to. */
export interface Target extends Server {
  /** Whether the store has what an operation created; for tests with access to the store. */
  readonly keeps?: ((operation: string, created: JsonObject) => boolean) | undefined;
  /** Returns a value that changes with the store. */
  readonly version?: (() => unknown) | undefined;
  /** The value that the latest handler received for a part of its request; for tests with access to the handlers. */
  readonly received?: ((meant: Meant) => Json | undefined) | undefined;
  /** The number of stored things. */
  readonly count?: (() => number) | undefined;
  /** Operations without a handler: valid requests to them must have 501 or 503; everything else stays the same. */
  readonly unbuilt?: ReadonlySet<string>;
}
