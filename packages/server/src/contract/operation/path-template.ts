import type { Document, OperationObject } from '../document/document';
import { Mistake } from '../document/mistake';
import type { Parameter } from './parameter';
import { decodeUnreserved } from '../text/unreserved';

declare global {
  interface RegExpConstructor {
    /** ECMAScript 2025, which TypeScript 5.9 does not list yet. */
    escape(text: string): string;
  }
}

/** One segment of a path: fixed text, or a pattern with a group for each parameter in it. */
export type Segment = string | { readonly pattern: RegExp; readonly names: readonly string[] };

const NAME = /\{([^{}]*)\}/g;

/** Splits a path of the contract into segments. */
export function parseTemplate(path: string): Segment[] {
  return path.split('/').map((text) => {
    const names = [...text.matchAll(NAME)].map(([, name]) => String(name));
    return names.length === 0 ? decodeUnreserved(text) : { pattern: toPattern(text.split(NAME)), names };
  });
}

// Each parameter but the last ends at the first character of the text after it, so that matching is fast.
function toPattern(parts: readonly string[]): RegExp {
  const patterns = parts.map((part, index) => {
    if (index % 2 === 0) return RegExp.escape(decodeUnreserved(part));
    const next = String(parts[index + 1]);
    return index + 2 === parts.length ? '(.+)' : `([^${RegExp.escape(next.slice(0, 1))}]+)`;
  });
  return new RegExp(`^${patterns.join('')}$`, 's');
}

/**
 * Asserts that the parameters in a path are exactly the declared path parameters, and that no other path matches the
 * same requests.
 *
 * @throws Mistake
 */
export function assertPathParameters(
  path: string,
  parameters: readonly Parameter[],
  paths: Document['paths'],
  operation: OperationObject,
): void {
  if (!path.startsWith('/')) throw new Mistake(paths, `the path ${path} has to start with a slash`, path);
  const names = [...path.matchAll(NAME)].map(([, name]) => String(name));
  const declared = parameters.filter(({ location }) => location === 'path').map(({ name }) => name);
  const missing = names.find((name) => !declared.includes(name));
  if (missing !== undefined) {
    throw new Mistake(operation, `the path parameter ${missing} is not declared: list it in parameters, with in: path`);
  }
  const extra = declared.find((name) => !names.includes(name));
  if (extra !== undefined) {
    throw new Mistake(operation, `the path parameter ${extra} is not in the path: write {${extra}} into ${path}`);
  }
  if (path.includes('}{')) throw new Mistake(paths, `${path} has nothing between two parameters`, path);
  const twin = Object.keys(paths).find((other) => other !== path && withoutNames(other) === withoutNames(path));
  if (twin !== undefined && twin < path) {
    throw new Mistake(paths, `${path} matches just what ${twin} does: write their operations below one of them`, path);
  }
}

function withoutNames(path: string): string {
  return path.replace(NAME, '{}');
}
