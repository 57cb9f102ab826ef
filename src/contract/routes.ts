import type { Operation } from './operation';

/** What there is at one path: something by method. */
export type Route<T> = ReadonlyMap<string, T>;

/** Finds the route of a path as it stands in a request; an empty one where there is none. */
export type FindRoute<T> = (path: string) => Route<T>;

/** @param prefix the path of the base URL, without a slash at the end */
export function createRoutes<T>(entries: readonly (readonly [Operation, T])[], prefix: string): FindRoute<T> {
  const routes = new Map<string, Map<string, T>>();
  for (const [{ path, method }, entry] of entries) {
    const route = routes.get(prefix + path) ?? new Map<string, T>();
    routes.set(prefix + path, route.set(method, entry));
  }
  const none: Route<T> = new Map();
  return (path) => routes.get(path) ?? none;
}
