import { Script } from 'node:vm';
import type { Operation } from '../../src/contract/operation';

// What a file of src/handlers/ has in its scope already, as a module of Node and as a stub.
const TAKEN = 'exports, require, module, __filename, __dirname, undefined, Handler, notBuilt';

/**
 * The file of src/handlers/ that each operation has its handler in: its operationId in kebab case.
 *
 * @param file the path of the contract, for the messages
 * @returns names such as `list-books.ts` by operationId
 * @throws Error that lists every operationId that cannot be the name of a constant, or of a file of its own
 */
export function toHandlerFiles(operations: readonly Pick<Operation, 'id'>[], file: string): Map<string, string> {
  const owners = new Map([['index.ts', 'the table of handlers']]);
  const files = new Map<string, string>();
  const problems = operations.flatMap(({ id }) => {
    if (!isName(id)) return `the operationId ${id} cannot be the name of a handler, a constant in TypeScript`;
    const name = `${toKebabCase(id)}.ts`;
    const owner = owners.get(name);
    if (owner !== undefined) return `the operationId ${id} has the file src/handlers/${name}, and so has ${owner}`;
    owners.set(name, id);
    files.set(id, name);
    return [];
  });
  if (problems.length > 0) throw new Error(problems.map((problem) => `${file}: ${problem}`).join('\n'));
  return files;
}

function isName(id: string): boolean {
  if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(id)) return false;
  try {
    // Compiled, never run: this knows the words that the language keeps for itself.
    new Script(`(async function (${TAKEN}) { 'use strict'; const ${id} = 0; })`);
    return true;
  } catch {
    return false;
  }
}

function toKebabCase(id: string): string {
  return id
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1-$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1-$2')
    .replace(/(?<=[^_$])[_$]+(?=[^_$])/g, '-')
    .toLowerCase();
}
