import { t } from "../../core/language/translate.ts";
import { otlpTarget } from "../../accounts/keys.ts";
import { snippet, type SnippetStep } from "./snippet.ts";

/** Metrics: from OpenTelemetry's SDKs and Collector, from Prometheus, and from Sentry's SDKs. */
export const metrics = snippet({
  platform: "metrics",
  label: "Metrics",
  sdk: "Metrics",
  key: "server",
  isKeyStrict: true,
  isChoice: true,
}, ({ dsn, endpoint, publicKey }) =>
  String.raw`
## OpenTelemetry: the environment of any SDK
Agents and automatic instrumentation then send what they measure: requests, pools, memory.
Cumulative and delta temporality are both taken. Environment and release are labels of every series.
~~~bash
export OTEL_SERVICE_NAME=my-service
export OTEL_RESOURCE_ATTRIBUTES=service.version=1.0.0,deployment.environment.name=production
export OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${publicKey}"
export OTEL_METRICS_EXPORTER=otlp
export OTEL_METRIC_EXPORT_INTERVAL=15000
~~~
## OpenTelemetry: Node.js
npm install @opentelemetry/api @opentelemetry/auto-instrumentations-node, and start with node
--require @opentelemetry/auto-instrumentations-node/register app.js
~~~javascript
const { metrics } = require("@opentelemetry/api");

const meter = metrics.getMeter("shop");
const orders = meter.createCounter("shop.orders", { unit: "{order}" });
const duration = meter.createHistogram("shop.checkout.duration", { unit: "s" });

orders.add(1, { payment: "card" });
duration.record(0.24);
~~~
## OpenTelemetry: Python
pip install opentelemetry-distro opentelemetry-exporter-otlp-proto-http, and start with
opentelemetry-instrument python app.py
~~~python
from opentelemetry import metrics

meter = metrics.get_meter("shop")
orders = meter.create_counter("shop.orders", unit="{order}")
duration = meter.create_histogram("shop.checkout.duration", unit="s")

orders.add(1, {"payment": "card"})
duration.record(0.24)
~~~
## OpenTelemetry: Go
The exporter reads the environment.
~~~go
package main

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
}
~~~
## Machines: a Collector with hostmetrics
For config.yaml of otelcol-contrib. Resource detection adds the name of the machine, so that each
has series of its own.
~~~text
receivers:
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
      exporters: [otlphttp/watchpost]
~~~
## Prometheus: remote write
In prometheus.yml; versions 1.0 and 2.0, native histograms and exemplars are taken. The label job is
the service, env or environment the environment, version or release the release.
~~~text
remote_write:
  - url: ${endpoint}/api/v1/write
    authorization:
      credentials: ${publicKey}
    send_exemplars: true
    send_native_histograms: true

global:
  external_labels:
    environment: production
~~~
## Node.js with Sentry's SDK
~~~javascript
import * as Sentry from "@sentry/node";

Sentry.init({
  dsn: "${dsn}",
  environment: "production",
  release: "my-app@1.0.0",
});

Sentry.metrics.count("orders", 1, { attributes: { payment: "card" } });
Sentry.metrics.gauge("queue.length", 12);
Sentry.metrics.distribution("checkout.duration", 0.24, { unit: "second" });
~~~
## Python with Sentry's SDK
~~~python
import sentry_sdk
from sentry_sdk import metrics

sentry_sdk.init(
    dsn="${dsn}",
    environment="production",
    release="my-app@1.0.0",
)

metrics.count("orders", 1, attributes={"payment": "card"})
metrics.gauge("queue.length", 12)
metrics.distribution("checkout.duration", 0.24, unit="second")
~~~
`);

/** The fewest lines that send a first metric, each with the words before them. */
export function firstMetrics(dsn: string): readonly Pick<SnippetStep, "title" | "code">[] {
  const { endpoint, publicKey } = otlpTarget(dsn);
  return [
    {
      title: t("An OpenTelemetry SDK reads these from its environment:"),
      code: `export OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint}
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${publicKey}"
export OTEL_METRICS_EXPORTER=otlp`,
    },
    {
      title: t("A Collector exports them, and measures its host besides:"),
      code: `receivers:
  hostmetrics: { scrapers: { cpu: , memory: , disk: , filesystem: , load: , network: } }
exporters:
  otlphttp: { endpoint: "${endpoint}", headers: { Authorization: "Bearer ${publicKey}" } }
service:
  pipelines:
    metrics: { receivers: [hostmetrics], exporters: [otlphttp] }`,
    },
    {
      title: t("Prometheus sends what it scrapes:"),
      code: `remote_write:
  - url: ${endpoint}/api/v1/write
    authorization: { credentials: ${publicKey} }`,
    },
  ];
}
