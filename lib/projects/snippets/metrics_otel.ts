import type { SnippetStep } from "./snippet.ts";

/** Own counters and histograms, in the languages that need more than the environment. */
export const OTEL_METRICS_IN_CODE: readonly SnippetStep[] = [
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
