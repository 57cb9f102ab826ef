// Adds the route, the caller and the error to a request's span, which OpenTelemetry's instrumentation starts and ends.
import { createRequire } from 'node:module';
import type { ServerResponse } from 'node:http';
import type * as Api from '@opentelemetry/api';
import type { Span, SpanContext, SpanStatusCode } from '@opentelemetry/api';

/** What the instrumentation keeps in a request's context. It names the span after the method and the route. */
interface RpcMetadata {
  readonly span: Span;
  route?: string | undefined;
}

// The API keeps the process's SDK under this symbol. An SDK must be loaded before anything that it instruments, so if there is
// none now, there will never be one.
const api = Reflect.has(globalThis, Symbol.for('opentelemetry.js.api.1'))
  ? (createRequire(__filename)('@opentelemetry/api') as typeof Api)
  : undefined;
// The key of getRPCMetadata() in @opentelemetry/core.
const rpcMetadata = api?.createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');

function findMetadata(): RpcMetadata | undefined {
  return rpcMetadata && (api?.context.active().getValue(rpcMetadata) as RpcMetadata | undefined);
}

/** Sets the route of the current request, such as /plants/{id}. */
export function setRoute(route: string | undefined): void {
  const metadata = findMetadata();
  if (metadata) metadata.route = route;
}

/** Sets `enduser.id`, which the semantic conventions define. */
export function setCaller(caller: string): void {
  findMetadata()?.span.setAttribute('enduser.id', caller);
}

/** Marks the current request as failed. @param type the status, or the reason if there is none (`error.type`) */
export function failSpan(type: string): void {
  findMetadata()
    ?.span.setAttribute('error.type', type)
    .setStatus({ code: 2 satisfies SpanStatusCode.ERROR });
}

/** Marks the current request as aborted if its client does not get the whole reply. */
export function watchAbort(res: ServerResponse): void {
  const metadata = findMetadata();
  // The instrumentation has its own listener, which ends the span, so this one must run before it.
  if (metadata) {
    res.prependListener('close', () => {
      if (!res.writableFinished) metadata.span.setAttribute('error.type', 'aborted');
    });
  }
}

/** pino options that add the active span's ids to each line. */
export const traceOptions = api ? { mixin: () => toIds(api.trace.getActiveSpan()?.spanContext()) } : {};

function toIds({ traceId, spanId }: Partial<SpanContext> = {}): object {
  return { trace_id: traceId, span_id: spanId };
}
