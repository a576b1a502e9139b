import { LinkButton } from "../ui/components/button.tsx";
import { CodeBlock } from "../ui/components/code_block.tsx";
import { EmptyState } from "../ui/components/empty_state.tsx";
import { sectionPath } from "../ui/links.ts";
import { collectorMetrics, environmentMetrics, prometheusMetrics } from "./snippets.ts";

export interface NoMetricsProps {
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
