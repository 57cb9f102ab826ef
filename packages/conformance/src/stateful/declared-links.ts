// Reads the links that a contract declares from one operation to another.
import type { Model, Operation } from '../contract/model';
import { extendPointer } from '../contract/pointer';
import { resolve } from '../contract/read-contract';
import { objectOrEmpty, type Json, type JsonObject } from '../wire/json';

/** A link that the contract declares for a success reply (OpenAPI, Link Object). */
export interface DeclaredLink {
  readonly target: Operation;
  /** Runtime expressions or values, by the names of the target's parameters. */
  readonly parameters: ReadonlyMap<string, Json>;
}

/** The links of the success replies of an operation, except those to unknown operations. */
export function declaredLinks(model: Model, from: Operation): DeclaredLink[] {
  const { contract } = model;
  const successes = [...from.replies].filter(([status]) => /^(?:2|default)/.test(status)).map(([, reply]) => reply);
  return successes.flatMap(({ pointer }) => {
    const { links } = resolve(contract, pointer).value;
    return Object.keys(objectOrEmpty(links)).flatMap((name) => {
      const noLink: JsonObject = {};
      // A link behind a $ref that leads nowhere is listed as untried.
      const link = contract.untried.attempt(
        () => resolve(contract, extendPointer(pointer, 'links', name)).value,
        noLink,
      );
      return readLink(model, link);
    });
  });
}

function readLink({ operations }: Model, link: JsonObject): DeclaredLink[] {
  const target = operations.find(({ id, pointer }) => id === link['operationId'] || pointer === link['operationRef']);
  const parameters = Object.entries(objectOrEmpty(link['parameters'])).map(([key, value]): [string, Json] => {
    // The name of a parameter may have its location in front, such as `path.id`.
    const name = key.replace(/^(?:path|query|header|cookie)\./, '');
    return [name, value];
  });
  return target ? [{ target, parameters: new Map(parameters) }] : [];
}
