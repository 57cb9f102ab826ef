// Renders refusals by the error catalogue of a contract.
import { ContractError } from '../document/mistake';
import { findReply } from '../operation/find-reply';
import { JSON_TYPE } from '../operation/media-type';
import { REFUSALS, type RefusalKind } from './refusal';
import type { Render } from './render';

/** One row of a contract's error catalogue, `x-error-catalogue`: the number in the reply, its status, and a text. */
export interface CatalogueRow {
  readonly number: number;
  readonly status: number;
  readonly meaning: string;
}

/** By the name of the error. */
export type Catalogue = Readonly<Record<string, CatalogueRow>>;

const OPTIONAL: ReadonlySet<string> = new Set<RefusalKind>(['FORBIDDEN', 'TOO_MANY_REQUESTS', 'NOT_BUILT']);
const NOT_IMPLEMENTED = 501;

/**
 * The rows that a catalogue must have: one for each refusal that the kit makes itself.
 *
 * @example const missing = CATALOGUE_KINDS.filter((kind) => !Object.hasOwn(errors, kind))
 */
export const CATALOGUE_KINDS = (Object.keys(REFUSALS) as RefusalKind[]).filter((kind) => !OPTIONAL.has(kind));

/**
 * Creates a renderer of `{ error, message }`: the number of the catalogue's row with the refusal's name, and a text.
 *
 * @throws ContractError when the catalogue lacks a row
 * @example createCatalogueRenderer(errors)(new Refusal('UNKNOWN_PATH'), undefined).body // { error: 40400, message: '...' }
 */
export function createCatalogueRenderer(catalogue: Catalogue): Render {
  const missing = CATALOGUE_KINDS.filter((kind) => !Object.hasOwn(catalogue, kind));
  if (missing.length > 0) throw new ContractError(`the error catalogue lacks ${missing.join(', ')}`);
  const notImplemented = Object.values(catalogue).find(({ status }) => status === NOT_IMPLEMENTED);

  return ({ kind, detail }, operation) => {
    // A handler that is not written yet (NOT_BUILT) is a 501 only where catalogue and operation both declare it.
    const row =
      kind === 'NOT_BUILT' && notImplemented && operation && findReply(operation, NOT_IMPLEMENTED)
        ? notImplemented
        : rowOf(kind);
    const { number, status, meaning } = row;
    return { status, type: JSON_TYPE, body: { error: number, message: detail ?? meaning } };
  };

  // The row of a refusal. A catalogue may lack FORBIDDEN, TOO_MANY_REQUESTS and NOT_BUILT: they have the row of another then.
  function rowOf(kind: RefusalKind): CatalogueRow {
    const fallback: RefusalKind = kind === 'NOT_BUILT' ? 'SERVICE_UNAVAILABLE' : 'MALFORMED_REQUEST';
    return catalogue[kind] ?? rowOf(fallback);
  }
}
