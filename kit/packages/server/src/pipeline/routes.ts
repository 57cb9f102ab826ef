import {
  decodeUnreserved,
  parseTemplate,
  toRequestPath,
  type Operation,
  type Segment,
  type TemplateSegment,
} from '@contract-kit/contract';

/** The entries of one path, keyed by method. */
type Route<T> = ReadonlyMap<string, T>;

interface RouteMatch<T> {
  /** Empty for an unknown path. */
  readonly route: Route<T>;
  /** The path parameters, as they were sent. */
  readonly texts: ReadonlyMap<string, string>;
}

type FindRoute<T> = (path: string, method: string) => RouteMatch<T>;

// A node of the tree of paths, which has one level for each segment. OpenAPI, path templating: a fixed segment takes precedence
// over one with parameters. Among segments with parameters, the one with more fixed text is tried first.
interface Node<T> {
  readonly route: Map<string, T>;
  /** The names of the path parameters, keyed by method, since templates that differ only in these names are one path. */
  readonly names: Map<string, readonly string[]>;
  readonly fixed: Map<string, Node<T>>;
  readonly withParameters: { readonly segment: TemplateSegment; readonly next: Node<T> }[];
}

/**
 * Creates the function that finds `/plants/{id}` for `/plants/7`; HEAD finds the operation of GET. `prefix` precedes each path, and
 * does not end with a slash; it defaults to the path of the operation's server.
 */
export function createRoutes<T>(
  entries: readonly (readonly [Operation, T])[],
  prefix: string | undefined,
): FindRoute<T> {
  const root = createNode<T>();
  const notFound: RouteMatch<T> = { route: new Map(), texts: new Map() };
  const fixedPaths = new Map<string, RouteMatch<T>>();
  for (const [{ path: template, serverPath, method }, entry] of entries) {
    const path = (prefix ?? serverPath) + template;
    const segments = parseTemplate(path);
    const lastNode = segments.reduce(addChild, root);
    const names = segments.flatMap((segment) => (typeof segment === 'string' ? [] : segment.names));
    // RFC 9110 section 9.1: a resource with GET also has HEAD. The contract may declare HEAD itself.
    for (const servedMethod of method === 'GET' && !lastNode.route.has('HEAD') ? ['GET', 'HEAD'] : [method]) {
      lastNode.route.set(servedMethod, entry);
      lastNode.names.set(servedMethod, names);
    }
    if (names.length === 0) fixedPaths.set(toRequestPath(path), { ...notFound, route: lastNode.route });
  }
  return (path, method) => {
    const fixedRoute = fixedPaths.get(path);
    if (fixedRoute) return fixedRoute;
    const values: string[] = [];
    const lastNode = findNode(root, path.split('/'), 0, values);
    if (!lastNode) return notFound;
    const pairs = (lastNode.names.get(method) ?? []).map((name, index) => [name, String(values[index])] as const);
    const texts = new Map(pairs);
    // If a name occurs twice in a template, the texts of both must be the same.
    return pairs.every(([name, text]) => texts.get(name) === text) ? { route: lastNode.route, texts } : notFound;
  };
}

/** Matches the paths that Express may route like the contract's path, since Express ignores case and trailing slashes. */
export function toLoosePattern(path: string): RegExp {
  // Several parameters in a segment count as one, so that the pattern does not backtrack.
  const parts = path.replace(/\/+$/, '').split(/\{[^/]*\}/);
  return new RegExp(`^${parts.map((part) => RegExp.escape(toRequestPath(part))).join('[^/]+')}/*$`, 'i');
}

function createNode<T>(): Node<T> {
  return { route: new Map(), names: new Map(), fixed: new Map(), withParameters: [] };
}

function addChild<T>(node: Node<T>, segment: Segment): Node<T> {
  if (typeof segment === 'string') {
    const next = node.fixed.get(segment) ?? createNode<T>();
    node.fixed.set(segment, next);
    return next;
  }
  // {id}.json and {name}.json have the same pattern, and are one segment.
  const match = node.withParameters.find(({ segment: { pattern } }) => pattern.source === segment.pattern.source);
  if (match) return match.next;
  const next = createNode<T>();
  node.withParameters.push({ segment, next });
  node.withParameters.sort((left, right) => right.segment.fixedLength - left.segment.fixedLength);
  return next;
}

// Finds the node of a path, and backtracks if a branch has no match. `values` collects the values of the parameters.
function findNode<T>(node: Node<T>, segments: readonly string[], index: number, values: string[]): Node<T> | undefined {
  const text = segments[index];
  if (text === undefined) return node.route.size > 0 ? node : undefined;
  const fixed = node.fixed.get(text);
  const last = fixed && findNode(fixed, segments, index + 1, values);
  if (last) return last;
  for (const { segment, next } of node.withParameters) {
    const capturedTexts = segment.pattern.exec(text)?.slice(1);
    if (!capturedTexts) continue;
    const countBefore = values.length;
    values.push(...capturedTexts);
    const descendant = findNode(next, segments, index + 1, values);
    if (descendant) return descendant;
    values.length = countBefore;
  }
  return undefined;
}

/** Returns the path of a target such as /pets?limit=1. Unreserved characters are decoded, since /%70ets is the same as /pets. */
export function toPath(target: string): string {
  const query = target.indexOf('?');
  return decodeUnreserved(query === -1 ? target : target.slice(0, query));
}

/** Returns the query of a target without its question mark. */
export function toQuery(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? '' : target.slice(query + 1);
}
