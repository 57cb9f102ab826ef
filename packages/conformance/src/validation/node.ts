// One value before one schema, as the checks of keywords see it.
import type { Dialect } from '../contract/dialect';
import type { Json, JsonObject } from '../wire/json';
import type { FormatCheck } from './formats';

/** A rule that a value breaks. */
export interface Problem {
  /** The JSON pointer of the part that is wrong, within the value. */
  readonly at: string;
  readonly keyword: string;
  /** Such as `/id breaks maximum 100`. */
  readonly text: string;
}

/** What is the same for all schemas of a call. */
export interface Scope {
  readonly root: JsonObject;
  readonly dialect: Dialect;
  /** What references lead to, once they were followed. */
  readonly targets: Map<string, Json>;
  /** The keywords that count in a schema object, once that was read. */
  readonly keywords: WeakMap<JsonObject, readonly string[]>;
  readonly formats: ReadonlyMap<string, FormatCheck>;
  /** What is wrong with parts of the value: each alternative that contains itself would judge them anew. */
  readonly judged: WeakMap<object, Map<JsonObject, Problem[]>>;
  /** The names of properties that need not be there, although they are in `required`. */
  readonly optional: ReadonlySet<string>;
  /** The pointer of the outermost schema, for what cannot be tried. */
  readonly pointer: string;
}

export interface Node {
  readonly scope: Scope;
  readonly schema: Json;
  readonly value: Json;
  readonly path: Path | undefined;
  /** The names or indexes that the schema evaluates, where `unevaluatedProperties` or `unevaluatedItems` needs them. */
  readonly seen: Set<string | number> | undefined;
  /** How many schemas in a row were applied to this value. */
  readonly hops: number;
}

/** The way from the outermost value to a part of it: written as a pointer only when something is wrong. */
export interface Path {
  readonly parent: Path | undefined;
  readonly key: string | number;
}

export function createProblem({ path }: Pick<Node, 'path'>, keyword: string, text: string): Problem {
  const at = writePath(path);
  return { at, keyword, text: `${at === '' ? 'the value' : at} ${text} (${keyword})` };
}

function writePath(path: Path | undefined): string {
  const keys: string[] = [];
  for (let step = path; step; step = step.parent)
    keys.unshift(`/${String(step.key).replaceAll('~', '~0').replaceAll('/', '~1')}`);
  return keys.join('');
}
