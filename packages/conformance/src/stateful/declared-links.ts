import type { Model, Operation } from '../contract/model';
import { extendPointer } from '../contract/pointer';
import { resolve } from '../contract/read-contract';
import { isJsonObject, type Json, type JsonObject } from '../wire/json';

/** A link that the contract declares for a success reply (OpenAPI, Link Object). */
export interface DeclaredLink {
  readonly target: Operation;
  /** Runtime expressions or values, by the names of the target's parameters. */
  readonly parameters: ReadonlyMap<string, Json>;
}

/** The links in the success replies of an operation; links without a target operation are left out. */
export function declaredLinks({ contract, operations }: Model, from: Operation): DeclaredLink[] {
  const successes = [...from.replies].filter(([status]) => /^(?:2|default)/.test(status)).map(([, reply]) => reply);
  return successes.flatMap(({ pointer }) => {
    const { links } = resolve(contract, pointer).value;
    return Object.keys(isJsonObject(links) ? links : {}).flatMap((name) => {
      const none: JsonObject = {};
      const link = contract.untried.attempt(() => resolve(contract, extendPointer(pointer, 'links', name)).value, none);
      const target = operations.find(
        ({ id, pointer: at }) => id === link['operationId'] || at === link['operationRef'],
      );
      const parameters = isJsonObject(link['parameters']) ? link['parameters'] : {};
      // A name may have its location in front, such as `path.id`.
      const named = Object.entries(parameters).map(([key, value]): [string, Json] => [
        key.replace(/^(?:path|query|header|cookie)\./, ''),
        value,
      ]);
      return target ? [{ target, parameters: new Map(named) }] : [];
    });
  });
}
