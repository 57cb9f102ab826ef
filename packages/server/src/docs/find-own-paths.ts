// Finds the paths of the documentation that operations of the contract have.
import type { Operation } from '../contract/operation/operation';
import { createRoutes } from '../contract/routes';

const ROOT = '/';
// The last one is a sample of the assets, whose paths have a digest.
const FILES = ['/docs', '/docs/', '/openapi.yaml', '/openapi.json', '/docs/0000000000000000/page.css'];

/** Which paths the operations of a contract leave to its documentation. */
export interface OwnPaths {
  /** Whether there is a documentation page. */
  readonly hasDocs: boolean;
  /** Whether `/` redirects to it. */
  readonly hasRoot: boolean;
  /** The line for operators; undefined if no operation has a path of the documentation. */
  readonly notice: string | undefined;
}

/** Finds which paths of the documentation are those of operations, which come first. */
export function findOwnPaths(operations: readonly Operation[]): OwnPaths {
  const findRoute = createRoutes(
    operations.map((operation) => [operation, operation] as const),
    '',
  );
  const findOperation = (path: string): Operation | undefined => [...findRoute(path, 'GET').route.values()][0];
  const file = FILES.map(findOperation).find((operation) => operation !== undefined);
  const root = findOperation(ROOT);
  return {
    hasDocs: file === undefined,
    hasRoot: file === undefined && root === undefined,
    notice: toNotice(file, root),
  };
}

/**
 * Logs which paths of the documentation operations have.
 *
 * @returns whether there is a documentation page
 */
export function logOwnPaths(operations: readonly Operation[], log: { info(message: string): void }): boolean {
  const { hasDocs, notice } = findOwnPaths(operations);
  if (notice !== undefined) log.info(notice);
  return hasDocs;
}

function toNotice(file: Operation | undefined, root: Operation | undefined): string | undefined {
  if (file) return `${file.path} of the contract comes first: there is no documentation page`;
  return root && `${root.path} of the contract comes first: it does not lead browsers to the documentation page`;
}
