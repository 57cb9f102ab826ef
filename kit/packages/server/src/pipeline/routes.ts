// Finds the operation of a path and a method.
import {
  decodeUnreserved,
  parseTemplate,
  toRequestPath,
  type Operation,
  type Segment,
  type TemplateSegment,
} from '@contract-kit/contract';

/** The entries of one path, by method: what `createRoutes` was given for its operations. */
type Route<T> = ReadonlyMap<string, T>;

/** The route of a request's path. */
interface Found<T> {
  /** The operations of the path by method; empty for an unknown path. */
  readonly route: Route<T>;
  /** The parameters in the path, as they were sent. */
  readonly texts: ReadonlyMap<string, string>;
}

type FindRoute<T> = (path: string, method: string) => Found<T>;

// A node of the tree of paths, one level for each segment. OpenAPI, path templating: a fixed segment takes precedence over one
// with parameters. Of two paths with parameters, the first segment in which they differ decides: the one with more fixed text
// is tried first.
interface Node<T> {
  /** The operations whose path ends here; empty if none does. */
  readonly route: Map<string, T>;
  /** The names of the parameters in the path, by method: templates that differ in names only are one path. */
  readonly names: Map<string, readonly string[]>;
  readonly fixed: Map<string, Node<T>>;
  /** The next nodes after a segment with parameters: those with more fixed text first. */
  readonly withParameters: { readonly segment: TemplateSegment; readonly next: Node<T> }[];
}

/**
 * Creates the function that finds `/plants/{id}` for `/plants/7`; HEAD finds the operation of GET. `prefix` precedes
 * each path, without a slash at the end; where it is undefined, the path of the operation's server does.
 */
export function createRoutes<T>(
  entries: readonly (readonly [Operation, T])[],
  prefix: string | undefined,
): FindRoute<T> {
  const root = createNode<T>();
  const notFound: Found<T> = { route: new Map(), texts: new Map() };
  // Paths without parameters, which take precedence over all others.
  const fixedPaths = new Map<string, Found<T>>();
  for (const [{ path: template, serverPath, method }, entry] of entries) {
    const path = (prefix ?? serverPath) + template;
    const segments = parseTemplate(path);
    const last = segments.reduce(addChild, root);
    const names = segments.flatMap((segment) => (typeof segment === 'string' ? [] : segment.names));
    // RFC 9110 section 9.1: what has GET has HEAD. One that the contract declares takes its place.
    for (const served of method === 'GET' && !last.route.has('HEAD') ? ['GET', 'HEAD'] : [method]) {
      last.route.set(served, entry);
      last.names.set(served, names);
    }
    if (names.length === 0) fixedPaths.set(toRequestPath(path), { ...notFound, route: last.route });
  }
  return (path, method) => {
    const fixed = fixedPaths.get(path);
    if (fixed) return fixed;
    const values: string[] = [];
    const last = findNode(root, path.split('/'), 0, values);
    if (!last) return notFound;
    const pairs = (last.names.get(method) ?? []).map((name, index) => [name, String(values[index])] as const);
    const texts = new Map(pairs);
    // A name that a path has twice must have the same text both times.
    return pairs.every(([name, text]) => texts.get(name) === text) ? { route: last.route, texts } : notFound;
  };
}

/** Creates the function that spells a path as the contract does, where Express takes another case, and a slash at the end. */
export function createRespell(operations: readonly Operation[], prefix: string | undefined): (path: string) => string {
  const segments = operations.flatMap(({ path, serverPath }) => ((prefix ?? serverPath) + path).split('/'));
  const spellings = new Map(segments.map((segment) => [segment.toLowerCase(), segment]));
  // The text beside parameters, as in {name}.json.
  const parts = segments.filter((segment) => segment.includes('{')).flatMap((segment) => segment.split(/\{[^}]*\}/));
  const patterns = [...new Set(parts)].map((part) => [new RegExp(RegExp.escape(part), 'gi'), () => part] as const);
  const respell = (segment: string): string =>
    spellings.get(segment.toLowerCase()) ?? patterns.reduce((text, pattern) => text.replace(...pattern), segment);
  return (path) => path.replace(/(?<=.)\/$/, '').replaceAll(/[^/]+/g, respell);
}

function createNode<T>(): Node<T> {
  return { route: new Map(), names: new Map(), fixed: new Map(), withParameters: [] };
}

/** Returns the child of a node for a segment, which it adds if it is new. */
function addChild<T>(node: Node<T>, segment: Segment): Node<T> {
  if (typeof segment === 'string') {
    const next = node.fixed.get(segment) ?? createNode<T>();
    node.fixed.set(segment, next);
    return next;
  }
  // The pattern has no names of parameters: {id}.json and {name}.json are one segment.
  const known = node.withParameters.find((candidate) => candidate.segment.pattern.source === segment.pattern.source);
  if (known) return known.next;
  const next = createNode<T>();
  node.withParameters.push({ segment, next });
  node.withParameters.sort((one, other) => other.segment.fixedLength - one.segment.fixedLength);
  return next;
}

// Finds the node at which a path ends; where a branch of the tree does not go on, it tries the next one. `segments` are decided
// from `index` on, and `values` gets the texts of the parameters.
function findNode<T>(node: Node<T>, segments: readonly string[], index: number, values: string[]): Node<T> | undefined {
  const text = segments[index];
  if (text === undefined) return node.route.size > 0 ? node : undefined;
  const fixed = node.fixed.get(text);
  const last = fixed && findNode(fixed, segments, index + 1, values);
  if (last) return last;
  for (const { segment, next } of node.withParameters) {
    const found = segment.pattern.exec(text)?.slice(1);
    if (!found) continue;
    const countBefore = values.length;
    values.push(...found);
    const below = findNode(next, segments, index + 1, values);
    if (below) return below;
    values.length = countBefore;
  }
  return undefined;
}

/** The path of a target such as /pets?limit=1. Unreserved characters are decoded, as /%70ets is the same path as /pets. */
export function toPath(target: string): string {
  const query = target.indexOf('?');
  return decodeUnreserved(query === -1 ? target : target.slice(0, query));
}

/** The query of a target such as /pets?limit=1, without its question mark; empty if there is none. */
export function toQuery(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? '' : target.slice(query + 1);
}
