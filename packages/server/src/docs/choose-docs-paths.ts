// Chooses the paths at which the documentation is served: an operation of the contract may have the same path.
import type { Operation } from '../contract/operation/operation';
import { createRoutes } from '../pipeline/routes';

const ROOT = '/';
// The last one is a sample of the scripts and style sheets, whose paths have a digest.
const FILE_PATHS = ['/docs', '/docs/', '/openapi.yaml', '/openapi.json', '/docs/0000000000000000/page.css'];

export interface DocsPaths {
  /** Whether there is a documentation page, with its other files. */
  readonly servesFiles: boolean;
  readonly redirectsRoot: boolean;
  /** The line for operators; undefined if no operation has a path of the documentation. */
  readonly notice: string | undefined;
}

/** Operations come first: if one has the path of a file, no file is served; if one has `/`, it does not redirect. */
export function chooseDocsPaths(operations: readonly Operation[]): DocsPaths {
  const findRoute = createRoutes(
    operations.map((operation) => [operation, operation] as const),
    '',
  );
  // Any operation at a path, whatever its method.
  const findOperation = (path: string): Operation | undefined => [...findRoute(path, 'GET').route.values()][0];
  const atFile = FILE_PATHS.map(findOperation).find((operation) => operation !== undefined);
  const atRoot = findOperation(ROOT);
  return {
    servesFiles: atFile === undefined,
    redirectsRoot: atFile === undefined && atRoot === undefined,
    notice: toNotice(atFile, atRoot),
  };
}

/** Logs it if an operation has a path of the documentation. Returns whether there is a documentation page. */
export function logDocsPaths(operations: readonly Operation[], log: { info(message: string): void }): boolean {
  const { servesFiles, notice } = chooseDocsPaths(operations);
  if (notice !== undefined) log.info(notice);
  return servesFiles;
}

function toNotice(atFile: Operation | undefined, atRoot: Operation | undefined): string | undefined {
  if (atFile) return `${atFile.path} of the contract comes first: there is no documentation page`;
  return atRoot && `${atRoot.path} of the contract comes first: it does not lead browsers to the documentation page`;
}
