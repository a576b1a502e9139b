import { otlpTarget } from "@/lib/accounts/keys.ts";
import type { Snippet, SnippetStep } from "./sdks.ts";

/** Metrics: from OpenTelemetry's SDKs and Collector, from Prometheus, and from Sentry's SDKs. */
export const metrics: Snippet = {
  sdk: "Metrics",
  key: "server",
  isKeyStrict: true,
  isChoice: true,
  steps: (dsn) => [
    environment(dsn),
    ...OTEL_METRICS_IN_CODE,
    hostMetrics(dsn),
    remoteWrite(dsn),
    ...sentryMetrics(dsn),
  ],
};

/** The fewest lines that send a first metric, each with the words before them. */
export function firstMetrics(dsn: string): readonly Pick<SnippetStep, "title" | "code">[] {
  const { endpoint, publicKey } = otlpTarget(dsn);
  return [
    {
      title: "An OpenTelemetry SDK reads these from its environment:",
      code: `export OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint}
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${publicKey}"
export OTEL_METRICS_EXPORTER=otlp`,
    },
    {
      title: "A Collector exports them, and measures its host besides:",
      code: `receivers:
  hostmetrics: { scrapers: { cpu: , memory: , disk: , filesystem: , load: , network: } }
exporters:
  otlphttp: { endpoint: "${endpoint}", headers: { Authorization: "Bearer ${publicKey}" } }
service:
  pipelines:
    metrics: { receivers: [hostmetrics], exporters: [otlphttp] }`,
    },
    {
      title: "Prometheus sends what it scrapes:",
      code: `remote_write:
  - url: ${endpoint}/api/v1/write
    authorization: { credentials: ${publicKey} }`,
    },
  ];
}

function environment(dsn: string): SnippetStep {
  const { endpoint, publicKey } = otlpTarget(dsn);
  return {
    title: "OpenTelemetry: the environment of any SDK",
    note:
      "Agents and automatic instrumentation then send what they measure: requests, pools, memory. Cumulative and " +
      "delta temporality are both taken. Environment and release are labels of every series.",
    language: "bash",
    code: `export OTEL_SERVICE_NAME=my-service
export OTEL_RESOURCE_ATTRIBUTES=service.version=1.0.0,deployment.environment.name=production
export OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${publicKey}"
export OTEL_METRICS_EXPORTER=otlp
export OTEL_METRIC_EXPORT_INTERVAL=15000`,
  };
}

/** CPU, memory, disks and network of a machine. */
function hostMetrics(dsn: string): SnippetStep {
  const { endpoint, publicKey } = otlpTarget(dsn);
  return {
    title: "Machines: a Collector with hostmetrics",
    note:
      "For config.yaml of otelcol-contrib. Resource detection adds the name of the machine, so that each has series of its own.",
    language: "text",
    code: `receivers:
  hostmetrics:
    collection_interval: 15s
    scrapers:
      cpu:
      memory:
      disk:
      filesystem:
      load:
      network:

processors:
  resourcedetection:
    detectors: [env, system]
  batch:

exporters:
  otlphttp/watchpost:
    endpoint: ${endpoint}
    headers:
      Authorization: Bearer ${publicKey}

service:
  pipelines:
    metrics:
      receivers: [hostmetrics]
      processors: [resourcedetection, batch]
      exporters: [otlphttp/watchpost]`,
  };
}

function remoteWrite(dsn: string): SnippetStep {
  const { endpoint, publicKey } = otlpTarget(dsn);
  return {
    title: "Prometheus: remote write",
    note:
      "In prometheus.yml; versions 1.0 and 2.0, native histograms and exemplars are taken. The label job is the service, " +
      "env or environment the environment, version or release the release.",
    language: "text",
    code: `remote_write:
  - url: ${endpoint}/api/v1/write
    authorization:
      credentials: ${publicKey}
    send_exemplars: true
    send_native_histograms: true

global:
  external_labels:
    environment: production`,
  };
}

/** Sentry's SDKs send each observation by itself. */
function sentryMetrics(dsn: string): readonly SnippetStep[] {
  return [{
    title: "Node.js with Sentry's SDK",
    language: "javascript",
    code: `import * as Sentry from "@sentry/node";

Sentry.init({
  dsn: "${dsn}",
  environment: "production",
  release: "my-app@1.0.0",
});

Sentry.metrics.count("orders", 1, { attributes: { payment: "card" } });
Sentry.metrics.gauge("queue.length", 12);
Sentry.metrics.distribution("checkout.duration", 0.24, { unit: "second" });`,
  }, {
    title: "Python with Sentry's SDK",
    language: "python",
    code: `import sentry_sdk
from sentry_sdk import metrics

sentry_sdk.init(
    dsn="${dsn}",
    environment="production",
    release="my-app@1.0.0",
)

metrics.count("orders", 1, attributes={"payment": "card"})
metrics.gauge("queue.length", 12)
metrics.distribution("checkout.duration", 0.24, unit="second")`,
  }];
}

/** Own counters and histograms, in the languages that need more than the environment. */
const OTEL_METRICS_IN_CODE: readonly SnippetStep[] = [
  {
    title: "OpenTelemetry: Node.js",
    note:
      "npm install @opentelemetry/api @opentelemetry/auto-instrumentations-node, and start with " +
      "node --require @opentelemetry/auto-instrumentations-node/register app.js",
    language: "javascript",
    code: `const { metrics } = require("@opentelemetry/api");

const meter = metrics.getMeter("shop");
const orders = meter.createCounter("shop.orders", { unit: "{order}" });
const duration = meter.createHistogram("shop.checkout.duration", { unit: "s" });

orders.add(1, { payment: "card" });
duration.record(0.24);`,
  },
  {
    title: "OpenTelemetry: Python",
    note:
      "pip install opentelemetry-distro opentelemetry-exporter-otlp-proto-http, and start with " +
      "opentelemetry-instrument python app.py",
    language: "python",
    code: `from opentelemetry import metrics

meter = metrics.get_meter("shop")
orders = meter.create_counter("shop.orders", unit="{order}")
duration = meter.create_histogram("shop.checkout.duration", unit="s")

orders.add(1, {"payment": "card"})
duration.record(0.24)`,
  },
  {
    title: "OpenTelemetry: Go",
    note: "The exporter reads the environment.",
    language: "go",
    code: `package main

import (
	"context"
	"log"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
)

func main() {
	ctx := context.Background()
	exporter, err := otlpmetrichttp.New(ctx)
	if err != nil {
		log.Fatalf("cannot start the exporter: %s", err)
	}
	reader := sdkmetric.NewPeriodicReader(exporter)
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	defer provider.Shutdown(ctx)

	meter := provider.Meter("shop")
	orders, err := meter.Int64Counter("shop.orders", metric.WithUnit("{order}"))
	if err != nil {
		log.Fatalf("cannot make the counter: %s", err)
	}
	orders.Add(ctx, 1, metric.WithAttributes(attribute.String("payment", "card")))
}`,
  },
];
