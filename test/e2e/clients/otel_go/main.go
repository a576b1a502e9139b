// A shop's service: see services.ts for what it has to do. All settings of OpenTelemetry come from the environment.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	traces, logs := startTelemetry(ctx)

	mux := http.NewServeMux()
	mux.HandleFunc("GET /users/{id}", user(otelslog.NewLogger("shop", otelslog.WithLoggerProvider(logs))))
	mux.HandleFunc("GET /fail", fail)
	server := &http.Server{Handler: otelhttp.NewHandler(mux, "shop")}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go server.Serve(listener)
	fmt.Printf("listening http://%s\n", listener.Addr())

	<-ctx.Done()
	end := context.Background()
	if err := errors.Join(server.Shutdown(end), traces.Shutdown(end), logs.Shutdown(end)); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

func startTelemetry(ctx context.Context) (*sdktrace.TracerProvider, *sdklog.LoggerProvider) {
	spans, err := otlptracehttp.New(ctx)
	if err != nil {
		log.Fatal(err)
	}
	records, err := otlploghttp.New(ctx)
	if err != nil {
		log.Fatal(err)
	}
	traces := sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans))
	otel.SetTracerProvider(traces)
	otel.SetTextMapPropagator(propagation.TraceContext{})
	return traces, sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(records)))
}

// The standard library brings no driver, so this span is made as instrumentations of drivers make theirs.
func query(ctx context.Context, statement string) {
	_, span := otel.Tracer("shop").Start(ctx, "SELECT", trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(
			attribute.String("db.system.name", "postgresql"),
			attribute.String("db.query.text", statement),
			attribute.String("db.operation.name", "SELECT"),
		))
	span.End()
}

func user(logger *slog.Logger) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		query(r.Context(), "select $1::int as id, 'Ann' as name")
		logger.WarnContext(r.Context(), "Stock is low", "item", 4711)
		fmt.Fprintf(w, `{"id":%s,"name":"Ann"}`, r.PathValue("id"))
	}
}

func fail(w http.ResponseWriter, r *http.Request) {
	err := errors.New("Cannot charge order 4711")
	span := trace.SpanFromContext(r.Context())
	span.RecordError(err, trace.WithStackTrace(true))
	span.SetStatus(codes.Error, err.Error())
	http.Error(w, "failed", http.StatusInternalServerError)
}
