/**
 * Sends the spans of a service to an OpenTelemetry collector. Load it before anything else; its settings are those of
 * OpenTelemetry.
 *
 * @example OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 node --require @contract-kit/server/tracing dist/main.js
 */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { detectResources, envDetector } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

const provider = new NodeTracerProvider({
  resource: detectResources({ detectors: [envDetector] }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();
const adminPaths = new Set<string | undefined>(['/livez', '/readyz', '/metrics']);
registerInstrumentations({
  instrumentations: [
    new HttpInstrumentation({ ignoreIncomingRequestHook: ({ url }) => adminPaths.has(url) }),
    // Not the health checks of the store.
    new PgInstrumentation({ requireParentSpan: true }),
    // fetch()
    new UndiciInstrumentation(),
  ],
});
// Within half a second after the last request.
process.once('beforeExit', () => void provider.shutdown());
