import type { Operation } from './operation/operation';
import { parseTemplate, type Segment } from './operation/path-template';

/** The entries of one path, by method. */
export type Route<T> = ReadonlyMap<string, T>;

/** The route of a request's path. */
export interface Found<T> {
  /** Empty for an unknown path. */
  readonly route: Route<T>;
  /** The parameters in the path, as they were sent. */
  readonly texts: ReadonlyMap<string, string>;
}

export type FindRoute<T> = (path: string) => Found<T>;

// OpenAPI, path templating: a fixed segment takes precedence over one with parameters.
interface Node<T> {
  route: Map<string, T> | undefined;
  /** Whether the path that ends here has a parameter several times. */
  hasRepeats: boolean;
  readonly fixed: Map<string, Node<T>>;
  readonly open: Map<string, { readonly segment: Exclude<Segment, string>; readonly next: Node<T> }>;
}

/** @param prefix the path of the base URL, without a slash at the end */
export function createRoutes<T>(entries: readonly (readonly [Operation, T])[], prefix: string): FindRoute<T> {
  const root = createNode<T>();
  for (const [{ path, method }, entry] of entries) {
    const segments = parseTemplate(path);
    const end = segments.reduce(follow, root);
    end.route ??= new Map();
    end.route.set(method, entry);
    const names = segments.flatMap((segment) => (typeof segment === 'string' ? [] : segment.names));
    end.hasRepeats = new Set(names).size < names.length;
  }
  const nothing: Found<T> = { route: new Map(), texts: new Map() };
  return (path) => {
    if (!path.startsWith(prefix)) return nothing;
    const texts: [string, string][] = [];
    const route = find(root, path.slice(prefix.length).split('/'), 0, texts);
    return route ? { route, texts: new Map(texts) } : nothing;
  };
}

function createNode<T>(): Node<T> {
  return { route: undefined, hasRepeats: false, fixed: new Map(), open: new Map() };
}

function follow<T>(node: Node<T>, segment: Segment): Node<T> {
  if (typeof segment === 'string') {
    const next = node.fixed.get(segment) ?? createNode<T>();
    node.fixed.set(segment, next);
    return next;
  }
  const key = `${segment.pattern.source} ${segment.names.join()}`;
  const { next } = node.open.get(key) ?? { next: createNode<T>() };
  node.open.set(key, { segment, next });
  return next;
}

function find<T>(node: Node<T>, parts: readonly string[], at: number, texts: [string, string][]): Route<T> | undefined {
  const part = parts[at];
  if (part === undefined) return node.hasRepeats && hasContradiction(texts) ? undefined : node.route;
  const fixed = node.fixed.get(part);
  const route = fixed && find(fixed, parts, at + 1, texts);
  if (route) return route;
  for (const { segment, next } of node.open.values()) {
    const values = segment.pattern.exec(part)?.slice(1);
    if (!values) continue;
    const before = texts.length;
    texts.push(...values.map((value, place): [string, string] => [String(segment.names[place]), value]));
    const found = find(next, parts, at + 1, texts);
    if (found) return found;
    texts.length = before;
  }
  return undefined;
}

// A parameter has one value, wherever the path has it.
function hasContradiction(texts: readonly (readonly [string, string])[]): boolean {
  return texts.some(([name, value]) => texts.some(([other, another]) => other === name && another !== value));
}
