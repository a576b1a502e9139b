import { snippet } from "./snippet.ts";

/** OpenTelemetry's SDKs and Collector, over OTLP. */
export const opentelemetry = snippet({
  platform: "opentelemetry",
  label: "OpenTelemetry",
  sdk: "OpenTelemetry",
  key: "server",
  isKeyStrict: true,
  isChoice: true,
}, ({ endpoint, publicKey }) =>
  String.raw`
## First: the environment of any SDK
Traces, logs and metrics are taken, over HTTP with protobuf or JSON. The blank in the header's value
is written as %20.
~~~bash
export OTEL_SERVICE_NAME=my-service
export OTEL_RESOURCE_ATTRIBUTES=service.version=1.0.0,deployment.environment.name=production
export OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${publicKey}"
export OTEL_TRACES_EXPORTER=otlp
export OTEL_LOGS_EXPORTER=otlp
export OTEL_METRICS_EXPORTER=otlp
~~~
## Node.js
HTTP servers and clients, databases, queues and loggers are found by themselves.
~~~bash
npm install @opentelemetry/api @opentelemetry/auto-instrumentations-node
node --require @opentelemetry/auto-instrumentations-node/register app.js
~~~
## Python
The second line installs what fits the packages that are there.
~~~bash
pip install opentelemetry-distro opentelemetry-exporter-otlp-proto-http
opentelemetry-bootstrap -a install
export OTEL_PYTHON_LOGGING_AUTO_INSTRUMENTATION_ENABLED=true
opentelemetry-instrument python app.py
~~~
## Java
~~~bash
curl -LO \
  https://github.com/open-telemetry/opentelemetry-java-instrumentation/releases/latest/download/opentelemetry-javaagent.jar
java -javaagent:opentelemetry-javaagent.jar -jar app.jar
~~~
## Go: packages
~~~bash
go get go.opentelemetry.io/otel/sdk \
  go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp \
  go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp
~~~
## Go: start it in main
~~~go
package main

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
}
~~~
## Deno
Built in: Deno.serve, fetch and console are traced and logged without a package.
~~~bash
OTEL_DENO=true deno run -A main.ts
~~~
## Or through a Collector
Add the exporter to config.yaml and to the pipelines; newer Collectors call it otlp_http, and know
this name as well. Services then send to the Collector, and need neither address nor key of this
project.
~~~text
receivers:
  otlp:
    protocols:
      grpc:
        endpoint: 0.0.0.0:4317
      http:
        endpoint: 0.0.0.0:4318

processors:
  batch:

exporters:
  otlphttp/watchpost:
    endpoint: ${endpoint}
    headers:
      Authorization: Bearer ${publicKey}

service:
  pipelines:
    traces:
      receivers: [otlp]
      processors: [batch]
      exporters: [otlphttp/watchpost]
    logs:
      receivers: [otlp]
      processors: [batch]
      exporters: [otlphttp/watchpost]
    metrics:
      receivers: [otlp]
      processors: [batch]
      exporters: [otlphttp/watchpost]
~~~
`);
