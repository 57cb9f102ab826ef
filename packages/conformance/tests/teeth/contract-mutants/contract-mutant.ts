import type { JsonObject } from '../../../src/wire/json';
import type { Accepted, Seeded } from '../verdict';
import { edit, type Change, type Path } from './edit';

/** A contract that says something else than the server does. */
export interface ContractMutant extends Seeded {
  readonly root: JsonObject;
}

/** What a mutator does at one place of the document. */
export interface Mutation {
  readonly kind: string;
  /** What is special about it; empty where the kind says it all. */
  readonly detail?: string;
  readonly path: Path;
  readonly change: Change;
  readonly accepted?: Accepted | undefined;
}

export function toMutant(root: JsonObject, { kind, detail = '', path, change, accepted }: Mutation): ContractMutant {
  return { kind, name: `#/${path.join('/')} ${detail}`.trim(), accepted, root: edit(root, path, change) };
}
