// A shop that counts: see metrics_story.ts for what. All settings come from the environment.
package main

import (
	"context"
	"errors"
	"log"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
)

func main() {
	ctx := context.Background()
	exporter, err := otlpmetrichttp.New(ctx)
	if err != nil {
		log.Fatal(err)
	}
	provider := sdkmetric.NewMeterProvider(
		sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter)),
	)
	meter := provider.Meter("shop")
	orders, err1 := meter.Int64Counter("shop.orders", metric.WithUnit("{order}"))
	queue, err2 := meter.Int64Gauge("shop.queue.length", metric.WithUnit("{order}"))
	checkout, err3 := meter.Float64Histogram("shop.checkout.duration", metric.WithUnit("s"),
		metric.WithExplicitBucketBoundaries(0.1, 0.5, 1, 2, 5))
	if err := errors.Join(err1, err2, err3); err != nil {
		log.Fatal(err)
	}
	card := metric.WithAttributes(attribute.String("payment", "card"))
	cash := metric.WithAttributes(attribute.String("payment", "cash"))

	orders.Add(ctx, 3, card)
	orders.Add(ctx, 2, cash)
	queue.Record(ctx, 9)
	for _, seconds := range []float64{0.02, 0.2, 0.7} {
		checkout.Record(ctx, seconds)
	}
	// A counter that is exported at once says that its beginning is unknown.
	time.Sleep(20 * time.Millisecond)
	if err := provider.ForceFlush(ctx); err != nil {
		log.Fatal(err)
	}

	orders.Add(ctx, 4, card)
	queue.Record(ctx, 4)
	for _, seconds := range []float64{1.4, 3.2} {
		checkout.Record(ctx, seconds)
	}
	if err := provider.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
}
