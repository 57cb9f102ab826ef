// The span of a request, which OpenTelemetry's instrumentation of http begins and ends: its route, its error, its ids.
import { createRequire } from 'node:module';
import type { ServerResponse } from 'node:http';
import type * as Api from '@opentelemetry/api';
import type { Span, SpanContext, SpanStatusCode } from '@opentelemetry/api';

/** What the instrumentation keeps in the context of a request; at the end it names the span by method and route. */
interface RpcMetadata {
  readonly span: Span;
  route?: string | undefined;
}

// The API keeps the SDK of the process under this symbol. Without an SDK, which has to be there before what it instruments,
// nothing is loaded.
const api = Reflect.has(globalThis, Symbol.for('opentelemetry.js.api.1'))
  ? (createRequire(__filename)('@opentelemetry/api') as typeof Api)
  : undefined;
// The key of getRPCMetadata() in @opentelemetry/core.
const rpcMetadata = api?.createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');

function findMetadata(): RpcMetadata | undefined {
  return rpcMetadata && (api?.context.active().getValue(rpcMetadata) as RpcMetadata | undefined);
}

/** Sets the route of the current request, such as /plants/{id}; undefined if no operation serves it. */
export function setRoute(route: string | undefined): void {
  const metadata = findMetadata();
  if (metadata) metadata.route = route;
}

/** Names the caller of the current request (semantic conventions, `enduser.id`). */
export function setCaller(caller: string): void {
  findMetadata()?.span.setAttribute('enduser.id', caller);
}

/** Marks the current request as failed. `type`: the status, or why there is none (semantic conventions, `error.type`). */
export function failSpan(type: string): void {
  findMetadata()
    ?.span.setAttribute('error.type', type)
    .setStatus({ code: 2 satisfies SpanStatusCode.ERROR });
}

/** Marks the current request if its client does not get the whole reply. */
export function watchAbort(res: ServerResponse): void {
  const metadata = findMetadata();
  // The instrumentation, whose listener was first, ends the span.
  if (metadata) {
    res.prependListener('close', () => {
      if (!res.writableFinished) metadata.span.setAttribute('error.type', 'aborted');
    });
  }
}

/** Options of pino that add the ids of the active span to each line; none without an SDK. */
export const traceOptions = api ? { mixin: () => toIds(api.trace.getActiveSpan()?.spanContext()) } : {};

// pino omits fields that are undefined.
function toIds({ traceId, spanId }: Partial<SpanContext> = {}): object {
  return { trace_id: traceId, span_id: spanId };
}
