// Adds the route, the caller and errors to a request's span. OpenTelemetry's instrumentation starts and ends the span.
import { createRequire } from 'node:module';
import type { ServerResponse } from 'node:http';
import type * as Api from '@opentelemetry/api';
import type { Span, SpanContext, SpanStatusCode } from '@opentelemetry/api';

/** Data that the instrumentation keeps in a request's context. The span is named after the method and the route. */
interface RpcMetadata {
  readonly span: Span;
  route?: string | undefined;
}

// The API registers the process's SDK under this symbol. An SDK must be loaded before the code that it instruments, so if it
// is missing now, it will never be loaded.
const api = Reflect.has(globalThis, Symbol.for('opentelemetry.js.api.1'))
  ? (createRequire(__filename)('@opentelemetry/api') as typeof Api)
  : undefined;
// The key that getRPCMetadata() in @opentelemetry/core uses for this data.
const rpcMetadata = api?.createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');

function findMetadata(): RpcMetadata | undefined {
  return rpcMetadata && (api?.context.active().getValue(rpcMetadata) as RpcMetadata | undefined);
}

/** Sets the route of the current request, such as /plants/{id}. */
export function setRoute(route: string | undefined): void {
  const metadata = findMetadata();
  if (metadata) metadata.route = route;
}

/** Sets `enduser.id` (OpenTelemetry, semantic conventions). */
export function setCaller(caller: string): void {
  findMetadata()?.span.setAttribute('enduser.id', caller);
}

/** Marks the current request as failed. @param type the `error.type`, which is the status or another reason */
export function failSpan(type: string): void {
  findMetadata()
    ?.span.setAttribute('error.type', type)
    .setStatus({ code: 2 satisfies SpanStatusCode.ERROR });
}

/** Marks the current request as aborted if the client does not get the whole reply. */
export function watchAbort(res: ServerResponse): void {
  const metadata = findMetadata();
  // The instrumentation's own listener ends the span, so this one must run first.
  if (metadata) {
    res.prependListener('close', () => {
      if (!res.writableFinished) metadata.span.setAttribute('error.type', 'aborted');
    });
  }
}

/** Options of pino that add the ids of the active span to each line. */
export const traceOptions = api ? { mixin: () => toIds(api.trace.getActiveSpan()?.spanContext()) } : {};

function toIds({ traceId, spanId }: Partial<SpanContext> = {}): object {
  return { trace_id: traceId, span_id: spanId };
}
