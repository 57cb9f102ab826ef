// Finds the operation of a path and a method.
import type { Operation } from './operation/operation';
import { parseTemplate, type OpenSegment, type Segment } from './operation/path-template';
import { decodeUnreserved } from './text/unreserved';

/** The entries of one path, by method. */
export type Route<T> = ReadonlyMap<string, T>;

/** The route of a request's path. */
export interface Found<T> {
  /** Empty for an unknown path. */
  readonly route: Route<T>;
  /** The parameters in the path, as they were sent. */
  readonly texts: ReadonlyMap<string, string>;
}

export type FindRoute<T> = (path: string, method: string) => Found<T>;

// A node of the tree of paths, one level for each segment. OpenAPI, path templating: a fixed segment takes precedence over one
// with parameters. Of two paths with parameters, the first segment in which they differ decides: the one with more fixed text
// is tried first.
interface Node<T> {
  readonly route: Map<string, T>;
  /** The names of the parameters in the path, by method: templates that differ in names only are one path. */
  readonly names: Map<string, readonly string[]>;
  readonly fixed: Map<string, Node<T>>;
  readonly open: { readonly segment: OpenSegment; readonly next: Node<T> }[];
}

/**
 * Creates the function that finds the operation of a path.
 *
 * @param prefix the path of the base URL, without a slash at the end
 */
export function createRoutes<T>(entries: readonly (readonly [Operation, T])[], prefix: string): FindRoute<T> {
  const root = createNode<T>();
  const nothing: Found<T> = { route: new Map(), texts: new Map() };
  // Paths without parameters, which take precedence over all others.
  const fixed = new Map<string, Found<T>>();
  for (const [{ path, method }, entry] of entries) {
    const segments = parseTemplate(path);
    const end = segments.reduce(addChild, root);
    end.route.set(method, entry);
    const names = segments.flatMap((segment) => (typeof segment === 'string' ? [] : segment.names));
    end.names.set(method, names);
    if (names.length === 0) fixed.set(prefix + decodeUnreserved(path), { ...nothing, route: end.route });
  }
  return (path, method) => {
    const known = fixed.get(path);
    if (known) return known;
    if (!path.startsWith(prefix)) return nothing;
    const values: string[] = [];
    const end = find(root, path.slice(prefix.length).split('/'), 0, values);
    if (!end) return nothing;
    const pairs = (end.names.get(method) ?? []).map((name, place) => [name, String(values[place])] as const);
    const texts = new Map(pairs);
    // A name that a path has twice must have the same text both times.
    return pairs.every(([name, text]) => texts.get(name) === text) ? { route: end.route, texts } : nothing;
  };
}

function createNode<T>(): Node<T> {
  return { route: new Map(), names: new Map(), fixed: new Map(), open: [] };
}

/** Returns the child of a node for a segment, which it adds if it is new. */
function addChild<T>(node: Node<T>, segment: Segment): Node<T> {
  if (typeof segment === 'string') {
    const next = node.fixed.get(segment) ?? createNode<T>();
    node.fixed.set(segment, next);
    return next;
  }
  const known = node.open.find((one) => one.segment.pattern.source === segment.pattern.source);
  if (known) return known.next;
  const next = createNode<T>();
  node.open.push({ segment, next });
  node.open.sort((one, other) => other.segment.fixedLength - one.segment.fixedLength);
  return next;
}

// Finds the node of a path, from its segment `at` on; `values` gets the texts of the parameters.
function find<T>(node: Node<T>, parts: readonly string[], at: number, values: string[]): Node<T> | undefined {
  const part = parts[at];
  if (part === undefined) return node.route.size > 0 ? node : undefined;
  const fixed = node.fixed.get(part);
  const end = fixed && find(fixed, parts, at + 1, values);
  if (end) return end;
  for (const { segment, next } of node.open) {
    const found = segment.pattern.exec(part)?.slice(1);
    if (!found) continue;
    const before = values.length;
    values.push(...found);
    const below = find(next, parts, at + 1, values);
    if (below) return below;
    values.length = before;
  }
  return undefined;
}
