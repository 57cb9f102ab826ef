import type { Model, Operation, Parameter } from '../contract/model';
import { findJson } from '../contract/read-content';
import { itemsOf, propertiesOf } from '../contract/schema';

/** An operation that creates, and those that read what it created. */
export interface Journey {
  readonly create: Operation;
  /** Reads one by the property that its path parameter stands for. */
  readonly read?: { readonly operation: Operation; readonly parameter: Parameter; readonly property: string };
  /** Shows all. One with query parameters may show a page, or what fits a filter. */
  readonly list?: Operation;
}

/**
 * The pairs that a contract has; none, where it has nothing to read.
 *
 * @example for (const journey of findJourneys(suite.model)) await runJourney(tools, journey)
 */
export function findJourneys({ operations }: Model): Journey[] {
  return operations
    .filter(({ method, body }) => method === 'POST' && findJson(body?.contents ?? []) !== undefined)
    .flatMap((create) => {
      const reading = operations.filter(({ method }) => method === 'GET');
      const list = reading.find((operation) => operation.path === create.path && isList(operation));
      const read = reading.flatMap((operation) => findRead(create, operation)).at(0);
      return read || list ? [{ create, ...(read && { read }), ...(list && { list }) }] : [];
    });
}

function findRead(create: Operation, operation: Operation): NonNullable<Journey['read']>[] {
  const rest = operation.path.startsWith(`${create.path}/`) ? operation.path.slice(create.path.length + 1) : '';
  const parameter = operation.parameters.find(({ name, in: place }) => place === 'path' && rest === `{${name}}`);
  if (!parameter) return [];
  const successes = [...create.replies].flatMap(([status, { contents }]) => (status.startsWith('2') ? contents : []));
  const names = [...successes, ...(create.body?.contents ?? [])]
    .filter(({ kind }) => kind === 'json')
    .flatMap(({ schema }) => [...propertiesOf(schema).keys()]);
  const property =
    names.find((name) => name === parameter.name) ??
    names.find((name) => parameter.name.toLowerCase().endsWith(name.toLowerCase()));
  return property === undefined ? [] : [{ operation, parameter, property }];
}

function isList({ parameters, replies }: Operation): boolean {
  const content = findJson(replies.get('200')?.contents ?? []);
  const isWhole = parameters.every((parameter) => parameter.in !== 'query');
  return isWhole && content !== undefined && itemsOf(content.schema) !== undefined;
}
