// Reads the paths of a contract, such as `/pets/{petId}`.
import type { Document, OperationObject } from '../document/document';
import { Mistake } from '../document/mistake';
import { pathsOf } from '../document/path-item';
import type { Parameter } from './parameter';
import { decodeUnreserved } from '../text/unreserved';

declare global {
  interface RegExpConstructor {
    /** ECMAScript 2025, which TypeScript 5.9 does not list yet. */
    escape(text: string): string;
  }
}

/** One segment of a path: fixed text, or one with parameters. */
export type Segment = string | OpenSegment;

/** A segment with parameters. */
export interface OpenSegment {
  /** With a group for each parameter. */
  readonly pattern: RegExp;
  readonly names: readonly string[];
  /** How many characters are fixed. */
  readonly fixedLength: number;
}

const NAME = /\{([^{}]*)\}/g;

/** Splits a path of the contract into segments. */
export function parseTemplate(path: string): Segment[] {
  return path.split('/').map((text) => {
    const names = [...text.matchAll(NAME)].map(([, name]) => String(name));
    if (names.length === 0) return decodeUnreserved(text);
    return { pattern: toPattern(text.split(NAME)), names, fixedLength: text.replace(NAME, '').length };
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

/** An operation, as the document has it. */
interface PathSource {
  readonly path: string;
  readonly method: string;
  readonly object: OperationObject;
  /** The path of the operation with the same requests that stays. */
  readonly twin: string | undefined;
}

/**
 * Asserts that the parameters in a path are exactly the declared path parameters, and that no other operation has the same
 * requests.
 *
 * @throws Mistake
 */
export function assertPathParameters(
  document: Document,
  { path, method, object, twin }: PathSource,
  parameters: readonly Parameter[],
): void {
  const paths = pathsOf(document);
  if (!path.startsWith('/')) throw new Mistake(paths, `the path ${path} has to start with a slash`, path);
  const names = [...path.matchAll(NAME)].map(([, name]) => String(name));
  const declared = parameters.filter(({ location }) => location === 'path').map(({ name }) => name);
  const missing = names.find((name) => !declared.includes(name));
  if (missing !== undefined) {
    throw new Mistake(object, `the path parameter ${missing} is not declared: list it in parameters, with in: path`);
  }
  const extra = declared.find((name) => !names.includes(name));
  if (extra !== undefined) {
    throw new Mistake(object, `the path parameter ${extra} is not in the path: write {${extra}} into ${path}`);
  }
  if (path.includes('}{')) throw new Mistake(paths, `${path} has nothing between two parameters`, path);
  if (twin !== undefined && twin !== path) {
    throw new Mistake(paths, `${method} ${path} matches just what ${method} ${twin} does: leave one of them out`, path);
  }
}

/** What two operations have in common that have the same requests. */
export function toRequestKey({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path.replace(NAME, '{}')}`;
}
