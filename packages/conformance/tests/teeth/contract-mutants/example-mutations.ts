import { isJsonObject, type JsonObject } from '../../../src/wire/json';
import type { Mutation } from './contract-mutant';
import { objectAt, without, type Path } from './edit';
import { bodyPaths, replyPaths } from './places';

export const EXAMPLES = 'example broken';

/** What can be wrong with the examples: that they do not fit what they are examples of. */
export function exampleMutations(root: JsonObject): Mutation[] {
  return [...bodyPaths(root), ...replyPaths(root)].flatMap((path) => {
    const content = [...path, 'content'];
    return Object.keys(objectAt(root, content)).flatMap((type) => {
      const examples = [...content, type, 'examples'];
      return Object.keys(objectAt(root, examples)).flatMap((name) => ofExample(root, [...examples, name, 'value']));
    });
  });
}

function ofExample(root: JsonObject, path: Path): Mutation[] {
  const value = objectAt(root, path);
  const [name] = Object.keys(value);
  if (name === undefined || !isJsonObject(value)) return [];
  return [
    { kind: EXAMPLES, detail: `without ${name}`, path, change: () => without(value, name) },
    { kind: EXAMPLES, detail: `another type of ${name}`, path, change: () => ({ ...value, [name]: [] }) },
  ];
}
