import { collector } from "./otel_collector.ts";
import { OTEL_GO } from "./otel_go.ts";
import { otlpTarget } from "./otlp_target.ts";
import type { Snippet, SnippetStep } from "./snippet.ts";

/** OpenTelemetry's SDKs and Collector, over OTLP. */
export const opentelemetry: Snippet = {
  sdk: "OpenTelemetry",
  key: "server",
  isKeyStrict: true,
  isChoice: true,
  steps: (dsn) => [environment(dsn), ...LANGUAGES, collector(dsn)],
};

/** What every SDK reads at its start, so that code stays free of addresses and keys. */
function environment(dsn: string): SnippetStep {
  const { endpoint, publicKey } = otlpTarget(dsn);
  return {
    title: "First: the environment of any SDK",
    note: "Traces, logs and metrics are taken, over HTTP with protobuf or JSON. " +
      "The blank in the header's value is written as %20.",
    language: "bash",
    code: `export OTEL_SERVICE_NAME=my-service
export OTEL_RESOURCE_ATTRIBUTES=service.version=1.0.0,deployment.environment.name=production
export OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${publicKey}"
export OTEL_TRACES_EXPORTER=otlp
export OTEL_LOGS_EXPORTER=otlp
export OTEL_METRICS_EXPORTER=otlp`,
  };
}

const LANGUAGES: readonly SnippetStep[] = [
  {
    title: "Node.js",
    note: "HTTP servers and clients, databases, queues and loggers are found by themselves.",
    language: "bash",
    code: `npm install @opentelemetry/api @opentelemetry/auto-instrumentations-node
node --require @opentelemetry/auto-instrumentations-node/register app.js`,
  },
  {
    title: "Python",
    note: "The second line installs what fits the packages that are there.",
    language: "bash",
    code: `pip install opentelemetry-distro opentelemetry-exporter-otlp-proto-http
opentelemetry-bootstrap -a install
export OTEL_PYTHON_LOGGING_AUTO_INSTRUMENTATION_ENABLED=true
opentelemetry-instrument python app.py`,
  },
  {
    title: "Java",
    language: "bash",
    code: `curl -LO \\
  https://github.com/open-telemetry/opentelemetry-java-instrumentation/releases/latest/download/opentelemetry-javaagent.jar
java -javaagent:opentelemetry-javaagent.jar -jar app.jar`,
  },
  ...OTEL_GO,
  {
    title: "Deno",
    note: "Built in: Deno.serve, fetch and console are traced and logged without a package.",
    language: "bash",
    code: "OTEL_DENO=true deno run -A main.ts",
  },
];
