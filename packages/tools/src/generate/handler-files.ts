import { Script } from 'node:vm';
import { Mistake, type Operation } from '@contract-kit/server/contract';

// What a file of src/handlers/ has in its scope already, as a module of Node, as a stub and as the table.
const TAKEN = 'exports, require, module, __filename, __dirname, undefined, Handler, Handlers, handlers, notBuilt';

// Linux takes 255, and a name gets endings: those of tests, of what is compiled, of temporary files.
const MAX_FILE_BYTES = 200;
const TOO_LONG = `is too long for the name of a file, which has at most ${String(MAX_FILE_BYTES)} bytes: write another`;

/** The file of src/handlers/ that an operation has its handler in, such as `list-books.ts`. */
export function toHandlerFile({ id }: Pick<Operation, 'id'>): string {
  return `${toWords(id).join('-').toLowerCase() || id}.ts`;
}

/** Every operationId that cannot be the name of a constant, or of a file of its own. */
export function findNameMistakes(operations: readonly Operation[]): Mistake[] {
  const owners = new Map([['index.ts', 'the table of handlers']]);
  return operations.flatMap((operation) => {
    const { id, object } = operation;
    const file = toHandlerFile(operation);
    const owner = owners.get(file) ?? id;
    owners.set(file, owner);
    const problems = [
      ...(Buffer.byteLength(file) <= MAX_FILE_BYTES ? [] : [TOO_LONG]),
      ...(isName(id) ? [] : [`is the name of its handler, a constant in TypeScript: ${suggest(id)}`]),
      ...(owner === id ? [] : [`has the file src/handlers/${file}, and so has ${owner}: write another`]),
    ];
    return problems.map((problem) => new Mistake(object, `the operationId ${id} ${problem}`, 'operationId'));
  });
}

function suggest(id: string): string {
  const [first = '', ...rest] = toWords(id).map((word) => word.toLowerCase());
  const name = [first, ...rest.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))].join('');
  return isName(name) ? `write ${name}` : 'write one';
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

function toWords(id: string): string[] {
  return id
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1-$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1-$2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
