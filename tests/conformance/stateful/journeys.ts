import type { Model, Operation, Parameter } from '../contract/model';
import { itemsOf, propertiesOf } from '../contract/schema';

/** An operation that creates, and those that read what it created. */
export interface Journey {
  readonly create: Operation;
  /** Reads one by the property that its path parameter stands for. */
  readonly read?: { readonly operation: Operation; readonly parameter: Parameter; readonly property: string };
  readonly list?: Operation;
}

/** The pairs that a contract has; none, where it has nothing to read. */
export function findJourneys({ operations }: Model): Journey[] {
  return operations
    .filter(({ method, body }) => method === 'POST' && body !== undefined)
    .flatMap((create) => {
      const reading = operations.filter(({ method }) => method === 'GET');
      const list = reading.find(({ path, replies }) => path === create.path && isList(replies.get('200')?.schema));
      const read = reading.flatMap((operation) => findRead(create, operation)).at(0);
      return read || list ? [{ create, ...(read && { read }), ...(list && { list }) }] : [];
    });
}

function findRead(create: Operation, operation: Operation): NonNullable<Journey['read']>[] {
  const rest = operation.path.startsWith(`${create.path}/`) ? operation.path.slice(create.path.length + 1) : '';
  const parameter = operation.parameters.find(({ name, in: place }) => place === 'path' && rest === `{${name}}`);
  if (!parameter) return [];
  const schemas = [...create.replies].flatMap(([status, { schema }]) =>
    status.startsWith('2') && schema ? [schema] : [],
  );
  const names = [...schemas, ...(create.body ? [create.body.schema] : [])].flatMap((schema) => [
    ...propertiesOf(schema).keys(),
  ]);
  const property =
    names.find((name) => name === parameter.name) ??
    names.find((name) => parameter.name.toLowerCase().endsWith(name.toLowerCase()));
  return property === undefined ? [] : [{ operation, parameter, property }];
}

function isList(schema: Parameter['schema'] | undefined): boolean {
  return schema !== undefined && itemsOf(schema) !== undefined;
}
