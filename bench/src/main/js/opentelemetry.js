'use strict';
// Preloaded into a server of the benchmark "impact": OpenTelemetry's SDK with all automatic instrumentations in their default
// configuration (that of fs is off by default). The exporter gets the spans in batches and drops them: with
// OTEL_TRACES_EXPORTER=none the SDK would make no spans at all. Encoding and sending, which a real exporter adds, is not done.
const { NodeSDK, tracing } = require('@opentelemetry/sdk-node');
const { getNodeAutoInstrumentations } = require('@opentelemetry/auto-instrumentations-node');

let spans = 0;
const nowhere = {
  export(batch, done) {
    spans += batch.length;
    done({ code: 0 });
  },
  shutdown: () => Promise.resolve(),
};

new NodeSDK({
  serviceName: 'bench',
  spanProcessors: [new tracing.BatchSpanProcessor(nowhere, { maxQueueSize: 1 << 16, scheduledDelayMillis: 500 })],
  instrumentations: [getNodeAutoInstrumentations()],
  metricReaders: [],
  logRecordProcessors: [],
}).start();

process.on('exit', () => process.stderr.write(`opentelemetry: ${spans} spans\n`));
