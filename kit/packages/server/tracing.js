// Not compiled, because the packages that it needs are there only in an application that sends spans.
/**
 * Sends the spans of a service to an OpenTelemetry collector. Load it before anything else; its settings are those of
 * OpenTelemetry.
 *
 * @example OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 node --require @contract-kit/server/tracing dist/main.js
 */
const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-http');
const { registerInstrumentations } = require('@opentelemetry/instrumentation');
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { PgInstrumentation } = require('@opentelemetry/instrumentation-pg');
const { UndiciInstrumentation } = require('@opentelemetry/instrumentation-undici');
const { detectResources, envDetector } = require('@opentelemetry/resources');
const { BatchSpanProcessor, NodeTracerProvider } = require('@opentelemetry/sdk-trace-node');

const provider = new NodeTracerProvider({
  resource: detectResources({ detectors: [envDetector] }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();
const adminPaths = new Set(['/livez', '/readyz', '/metrics']);
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
