import { toFileName, type Operation } from '@contract-kit/server/contract';

/** The file of src/handlers/ that an operation has its handler in, such as `list-books.ts`. */
export function toHandlerFile({ id }: Pick<Operation, 'id'>): string {
  return `${toFileName(id)}.ts`;
}
