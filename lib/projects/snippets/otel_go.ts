import type { SnippetStep } from "./snippet.ts";

/** Go has no agent: a few lines start the exporter, which reads the environment. */
export const OTEL_GO: readonly SnippetStep[] = [{
  title: "Go: packages",
  language: "bash",
  code: `go get go.opentelemetry.io/otel/sdk \\
  go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp \\
  go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp`,
}, {
  title: "Go: start it in main",
  language: "go",
  code: `package main

import (
	"context"
	"log"
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
)

func main() {
	ctx := context.Background()
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		log.Fatalf("cannot start the exporter: %s", err)
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter))
	defer provider.Shutdown(ctx)
	otel.SetTracerProvider(provider)
	otel.SetTextMapPropagator(propagation.TraceContext{})

	handler := otelhttp.NewHandler(http.DefaultServeMux, "my-service")
	log.Println(http.ListenAndServe(":8080", handler))
}`,
}];
