// A shop that counts: see metrics_story.ts for what. Everything but the histograms is set by the environment.
const { metrics } = require("@opentelemetry/api");
const http = require("@opentelemetry/exporter-metrics-otlp-http");
const proto = require("@opentelemetry/exporter-metrics-otlp-proto");
const { defaultResource, detectResources, envDetector } = require("@opentelemetry/resources");
const {
  AggregationType,
  InstrumentType,
  MeterProvider,
  PeriodicExportingMetricReader,
} = require("@opentelemetry/sdk-metrics");

const isJson = process.env.OTEL_EXPORTER_OTLP_PROTOCOL === "http/json";
const { OTLPMetricExporter } = isJson ? http : proto;
const isExponential = process.env.HISTOGRAMS === "exponential";

const provider = new MeterProvider({
  resource: defaultResource().merge(detectResources({ detectors: [envDetector] })),
  readers: [
    new PeriodicExportingMetricReader({
      exporter: new OTLPMetricExporter(),
      exportIntervalMillis: 60_000,
    }),
  ],
  views: isExponential
    ? [{
      instrumentType: InstrumentType.HISTOGRAM,
      aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM },
    }]
    : [],
});
metrics.setGlobalMeterProvider(provider);

const meter = metrics.getMeter("shop");
const orders = meter.createCounter("shop.orders", { unit: "{order}" });
const queue = meter.createGauge("shop.queue.length", { unit: "{order}" });
const checkout = meter.createHistogram("shop.checkout.duration", {
  unit: "s",
  advice: { explicitBucketBoundaries: [0.1, 0.5, 1, 2, 5] },
});

async function main() {
  orders.add(3, { payment: "card" });
  orders.add(2, { payment: "cash" });
  queue.record(9);
  for (const seconds of [0.02, 0.2, 0.7]) checkout.record(seconds);
  // A counter that is exported in the millisecond of its first order says that its beginning is unknown.
  await new Promise((resolve) => setTimeout(resolve, 20));
  await provider.forceFlush();

  orders.add(4, { payment: "card" });
  queue.record(4);
  for (const seconds of [1.4, 3.2]) checkout.record(seconds);
  await provider.shutdown();
}

main();
