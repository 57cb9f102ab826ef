// How a renderer fails.
import type { RenderedRefusal } from './render';

/** A `renderError` that failed, and the status that its refusal has all the same. */
export class RenderFailure extends Error {
  readonly status: number;

  constructor(status: number, cause: unknown) {
    super(String(cause), { cause });
    this.status = status;
  }
}

/** @throws Error for no reply or no body, or a promise of one */
export function assertRendered(rendered: RenderedRefusal): void {
  assertMade(rendered);
  if (rendered.type !== undefined) assertMade(rendered.body);
}

/** @throws Error for what a renderer without types may return: undefined, or a promise, whose rejection nobody would handle. */
export function assertMade(value: unknown): void {
  if (value === undefined) throw new Error('it returned undefined');
  if (typeof value !== 'object' || value === null || !('then' in value) || typeof value.then !== 'function') return;
  Promise.resolve(value).catch(() => undefined);
  throw new Error('it returned a promise');
}
