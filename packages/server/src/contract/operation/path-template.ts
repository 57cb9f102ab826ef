// Reads the paths of a contract, such as `/pets/{petId}`.
import { pathsOf, type NormalizedDocument, type OperationObject } from '../schema/document';
import { Mistake } from '../text/mistake';
import type { Parameter } from './parameters';
import { toRequestPath } from '../text/uri';

declare global {
  interface RegExpConstructor {
    /** ECMAScript 2025, which TypeScript 5.9 does not list yet. */
    escape(text: string): string;
  }
}

/** One segment of a path: fixed text, or a pattern with parameters. */
export type Segment = string | OpenSegment;

/** A segment with parameters, such as `{name}.{format}`. */
export interface OpenSegment {
  /** With a group for each parameter. */
  readonly pattern: RegExp;
  readonly names: readonly string[];
  /** How many characters are fixed. */
  readonly fixedLength: number;
}

const PARAMETER = /\{([^{}]*)\}/g;

export function parseTemplate(path: string): Segment[] {
  return path.split('/').map((segment) => {
    const names = listNames(segment);
    if (names.length === 0) return toRequestPath(segment);
    // Of segments that match the same text, the one with the most fixed characters counts.
    const fixedLength = segment.replace(PARAMETER, '').length;
    return { pattern: toPattern(segment.split(PARAMETER)), names, fixedLength };
  });
}

function listNames(path: string): string[] {
  return [...path.matchAll(PARAMETER)].map(([, name]) => String(name));
}

// Such as `^([^.]+)\.(.+)$` of {name}.{format}. `parts`: alternately fixed text and names, ['', 'name', '.', 'format', ''].
function toPattern(parts: readonly string[]): RegExp {
  const patterns = parts.map((part, index) => {
    const isFixed = index % 2 === 0;
    if (isFixed) return RegExp.escape(toRequestPath(part));
    const isLastParameter = index === parts.length - 2;
    if (isLastParameter) return '(.+)';
    // A parameter ends at the first character of the text after it: that spares the pattern from backtracking.
    const end = toRequestPath(String(parts[index + 1])).slice(0, 1);
    return `([^${RegExp.escape(end)}]+)`;
  });
  return new RegExp(`^${patterns.join('')}$`, 's');
}

interface PathSource {
  readonly path: string;
  readonly method: string;
  readonly object: OperationObject;
  /** Of the paths that match the same requests, the one that stays. */
  readonly keptPath: string | undefined;
}

/** @throws Mistake unless a path has exactly the declared parameters, and no other operation matches the same requests */
export function assertPathParameters(
  document: NormalizedDocument,
  { path, method, object, keptPath }: PathSource,
  parameters: readonly Parameter[],
): void {
  const paths = pathsOf(document);
  if (!path.startsWith('/')) throw new Mistake(paths, `the path ${path} has to start with a slash`, path);
  const names = listNames(path);
  const declared = parameters.filter(({ location }) => location === 'path').map(({ name }) => name);
  const missing = names.find((name) => !declared.includes(name));
  if (missing !== undefined) {
    throw new Mistake(object, `the path parameter ${missing} is not declared: list it in parameters, with in: path`);
  }
  const extra = declared.find((name) => !names.includes(name));
  if (extra !== undefined) {
    throw new Mistake(object, `the path parameter ${extra} is not in the path: write {${extra}} into ${path}`);
  }
  if (/[{}]/.test(path.replace(PARAMETER, ''))) {
    throw new Mistake(paths, `${path} has a brace that is not one of a pair`, path);
  }
  if (path.includes('}{')) throw new Mistake(paths, `${path} has nothing between two parameters`, path);
  if (keptPath !== undefined && keptPath !== path) {
    throw new Mistake(
      paths,
      `${method} ${path} matches just what ${method} ${keptPath} does: leave one of them out`,
      path,
    );
  }
}

/** The method and the path without parameter names: equal for operations that match the same requests. */
export function toRequestKey({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${toRequestPath(path.replace(PARAMETER, '{}'))}`;
}
