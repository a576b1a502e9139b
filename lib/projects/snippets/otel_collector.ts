import { otlpTarget } from "./otlp_target.ts";
import type { SnippetStep } from "./snippet.ts";

/** An exporter of the OpenTelemetry Collector, which takes what the services of a network send. */
export function collector(dsn: string): SnippetStep {
  const { endpoint, publicKey } = otlpTarget(dsn);
  return {
    title: "Or through a Collector",
    note:
      "Add the exporter to config.yaml and to the pipelines; newer Collectors call it otlp_http, and know this " +
      "name as well. Services then send to the Collector, and need neither address nor key of this project.",
    language: "text",
    code: `receivers:
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
      exporters: [otlphttp/watchpost]`,
  };
}
