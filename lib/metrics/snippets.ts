/** The lines that send the first metrics. */
import { otlpTarget } from "../projects/snippets/otlp_target.ts";

/** For any SDK of OpenTelemetry. */
export function environmentMetrics(dsn: string): string {
  const { endpoint, publicKey } = otlpTarget(dsn);
  return `export OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint}
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${publicKey}"
export OTEL_METRICS_EXPORTER=otlp`;
}

/** For `config.yaml` of a Collector. */
export function collectorMetrics(dsn: string): string {
  const { endpoint, publicKey } = otlpTarget(dsn);
  return `receivers:
  hostmetrics: { scrapers: { cpu: , memory: , disk: , filesystem: , load: , network: } }
exporters:
  otlphttp: { endpoint: "${endpoint}", headers: { Authorization: "Bearer ${publicKey}" } }
service:
  pipelines:
    metrics: { receivers: [hostmetrics], exporters: [otlphttp] }`;
}

/** For `prometheus.yml`. */
export function prometheusMetrics(dsn: string): string {
  const { endpoint, publicKey } = otlpTarget(dsn);
  return `remote_write:
  - url: ${endpoint}/api/v1/write
    authorization: { credentials: ${publicKey} }`;
}
