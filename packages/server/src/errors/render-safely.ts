// Makes what is sent of a refusal, whatever its renderer does.
import { toExactJson } from '../contract/json/exact-json';
import { isJson, parseMediaType } from '../contract/operation/media-type';
import { assertMade, assertRendered, RenderFailure, type RenderedRefusal } from './render';
import { PROBLEM_TYPE, toProblem } from './create-renderer';
import { Refusal, REFUSALS } from './refusal';

/** A refusal as it is sent and reported. */
export interface ReadyRefusal {
  /** For the report: INTERNAL_ERROR if the renderer failed. */
  readonly refusal: Refusal;
  readonly status: number;
  /** Undefined if there is no body. */
  readonly type: string | undefined;
  readonly bytes: string | Buffer;
}

/** Renders a refusal. If that fails, the status is kept as far as it is known, and the body is problem details without a detail. */
export function renderSafely(refusal: Refusal, render: () => RenderedRefusal): ReadyRefusal {
  let status: number = REFUSALS[refusal.kind].status;
  try {
    const rendered = render();
    assertRendered(rendered);
    if (!(rendered.status >= 200 && rendered.status <= 599)) throw new Error('it has no status of a reply');
    ({ status } = rendered);
    return { refusal, status, type: rendered.type, bytes: toBytes(rendered) };
  } catch (cause) {
    if (cause instanceof RenderFailure) ({ status } = cause);
    const why = cause instanceof Error ? cause.message : 'what it threw is not an Error';
    // The log has the stack of what went wrong first.
    const failure = new Error(`the renderer failed for ${refusal.kind}: ${why}`, { cause: refusal.cause ?? cause });
    const reported = new Refusal('INTERNAL_ERROR', undefined, { cause: failure });
    return { refusal: reported, status, type: PROBLEM_TYPE, bytes: toExactJson(toProblem(status)) };
  }
}

// JSON, except for bytes, and for a text of another media type. Empty without a body.
function toBytes({ type, body }: RenderedRefusal): string | Buffer {
  if (type === undefined) return '';
  const isReady = Buffer.isBuffer(body) || (typeof body === 'string' && !isJsonType(type));
  const bytes = isReady ? body : toExactJson(body);
  // A function, say, has no JSON.
  assertMade(bytes);
  return bytes;
}

// A malformed media type counts as JSON.
function isJsonType(text: string): boolean {
  const type = parseMediaType(text);
  return type === undefined || isJson(type);
}
