import { otlpTarget } from "../accounts/keys.ts";
import { LinkButton } from "../ui/components/button.tsx";
import { CodeBlock } from "../ui/components/code_block.tsx";
import { EmptyState } from "../ui/components/panel.tsx";
import { sectionPath } from "../ui/links.ts";

interface NoMetricsProps {
  readonly projectId: string;
  /** A search, a filter or the scope narrows the list. */
  readonly isNarrowed: boolean;
  /** With a key of the project, or one of zeros. */
  readonly dsn: string;
}

/** In place of the list: why there are no metrics, and what would send the first. */
export function NoMetrics({ projectId, isNarrowed, dsn }: NoMetricsProps) {
  if (isNarrowed) {
    return (
      <EmptyState
        icon="search"
        title="No metrics match"
        actions={<LinkButton href={sectionPath(projectId, "metrics")}>Show all metrics</LinkButton>}
      >
        None is called so, of this kind, or sent from this scope.
      </EmptyState>
    );
  }
  const ways = [
    ["An OpenTelemetry SDK reads these from its environment:", environmentMetrics(dsn)],
    ["A Collector exports them, and measures its host besides:", collectorMetrics(dsn)],
    ["Prometheus sends what it scrapes:", prometheusMetrics(dsn)],
  ] as const;
  return (
    <EmptyState
      icon="metrics"
      title="No metrics yet"
      actions={
        <LinkButton href={`${sectionPath(projectId, "setup")}?platform=metrics`}>
          Open the setup page
        </LinkButton>
      }
    >
      <div class="text-left">
        {ways.map(([words, code], index) => (
          <div key={words} class="mt-3">
            <p class="mb-1">{words}</p>
            <CodeBlock id={`metrics-${index}`} label={words} language="bash" code={code} />
          </div>
        ))}
      </div>
    </EmptyState>
  );
}

/** The lines that send the first metrics. */

/** For any SDK of OpenTelemetry. */
function environmentMetrics(dsn: string): string {
  const { endpoint, publicKey } = otlpTarget(dsn);
  return `export OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint}
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${publicKey}"
export OTEL_METRICS_EXPORTER=otlp`;
}

/** For `config.yaml` of a Collector. */
function collectorMetrics(dsn: string): string {
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
function prometheusMetrics(dsn: string): string {
  const { endpoint, publicKey } = otlpTarget(dsn);
  return `remote_write:
  - url: ${endpoint}/api/v1/write
    authorization: { credentials: ${publicKey} }`;
}
