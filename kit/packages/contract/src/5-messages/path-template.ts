// Parses the paths of a contract, such as `/pets/{petId}`.
import type { NormalizedDocument, OperationObject } from '../2-resolve/document';
import { DocumentError } from '../text/document-error';
import type { Parameter } from './parameters';
import { toRequestPath } from '../text/uri';

declare global {
  interface RegExpConstructor {
    /** Part of ECMAScript 2025, which TypeScript 5.9 does not declare yet. */
    escape(text: string): string;
  }
}

/** A segment of a path: fixed text, or a pattern with parameters. */
export type Segment = string | TemplateSegment;

export interface TemplateSegment {
  /** Matches the segment, with a capturing group for each parameter. */
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly fixedLength: number;
}

const PARAMETER = /\{([^{}]*)\}/g;

/** Splits a path into its segments. @example parseTemplate('/plants/{id}') */
export function parseTemplate(path: string): Segment[] {
  return path.split('/').map((segment) => {
    const names = listParameterNames(segment);
    if (names.length === 0) return toRequestPath(segment);
    const fixedLength = segment.replace(PARAMETER, '').length;
    return { pattern: toSegmentPattern(segment.split(PARAMETER)), names, fixedLength };
  });
}

function listParameterNames(path: string): string[] {
  return [...path.matchAll(PARAMETER)].map(([, name]) => String(name));
}

// For {name}.{format}, `textsAndNames` is ['', 'name', '.', 'format', ''], and the pattern is roughly ^(.+)\.(.+)$.
function toSegmentPattern(textsAndNames: readonly string[]): RegExp {
  const texts = textsAndNames.filter((_, index) => index % 2 === 0).map((text) => RegExp.escape(toRequestPath(text)));
  const [start = '', ...ends] = texts;
  const patterns = ends.map((end, index) => {
    // The last separator matches as late as possible, because a file name can contain dots but its extension cannot.
    if (index >= ends.length - 2) return `(.+)${end}`;
    // All separators before the last match as early as possible. The lookahead is atomic, so it prevents backtracking.
    return `(?=(.+?)${end})\\${String(index + 1)}${end}`;
  });
  // The end is checked first, because otherwise every possible split would be tried against it.
  const [end = ''] = ends.slice(-1);
  return new RegExp(`^${start}${end && `(?=.*${end}$)`}${patterns.join('')}$`, 's');
}

interface PathSource {
  readonly path: string;
  readonly method: string;
  readonly object: OperationObject;
  /** The path that is kept instead of this one, because both match the same requests. */
  readonly keptPath: string | undefined;
}

/** @throws DocumentError if the path's parameters are not exactly the declared ones, or if another path matches the same requests */
export function assertPathParameters(
  { paths }: NormalizedDocument,
  { path, method, object, keptPath }: PathSource,
  parameters: readonly Parameter[],
): void {
  if (!path.startsWith('/')) throw new DocumentError(paths, `the path ${path} must start with a slash`, path);
  const names = listParameterNames(path);
  const declared = parameters.filter(({ location }) => location === 'path').map(({ name }) => name);
  const undeclaredName = names.find((name) => !declared.includes(name));
  if (undeclaredName !== undefined) {
    throw new DocumentError(
      object,
      `the path parameter ${undeclaredName} is not declared: list it in parameters, with in: path`,
    );
  }
  const unusedName = declared.find((name) => !names.includes(name));
  if (unusedName !== undefined) {
    throw new DocumentError(
      object,
      `the path parameter ${unusedName} is not in the path: write {${unusedName}} into ${path}`,
    );
  }
  if (/[{}]/.test(path.replace(PARAMETER, ''))) {
    throw new DocumentError(paths, `${path} has an unmatched brace`, path);
  }
  if (path.includes('}{')) throw new DocumentError(paths, `${path} needs text between two parameters`, path);
  if (keptPath !== undefined) {
    throw new DocumentError(
      paths,
      `${method} ${path} matches the same requests as ${method} ${keptPath}: remove one of them`,
      path,
    );
  }
}

/** Returns the method and the path without parameter names. The key is equal for operations that match the same requests. */
export function toRequestKey({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${toRequestPath(path.replace(PARAMETER, '{}'))}`;
}
