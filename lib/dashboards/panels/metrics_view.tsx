import type { ChartMarker } from "../../ui/charts/mod.ts";
import { MetricChart } from "../../metrics/metric_chart.tsx";
import { drawnIds, drawnOf, namesIn } from "./drawn.ts";
import type { PanelData } from "./panel_data.ts";
import { SeriesTable } from "./series_table.tsx";
import { SeriesValues } from "./series_values.tsx";

export interface MetricsViewProps {
  readonly id: string;
  readonly title: string;
  readonly data: Extract<PanelData, { kind: "metrics" }>;
  /** Of a chart, in px. */
  readonly height: number;
  readonly markers: readonly ChartMarker[];
  readonly zoomHref: string;
}

/** The answer to a panel's queries, drawn as the panel wants it. */
export function MetricsView(props: MetricsViewProps) {
  const { id, title, data: { panel, result: answer }, height, markers, zoomHref } = props;
  const queryIds = drawnIds(panel);
  const result = drawnOf(answer, queryIds);
  const names = namesIn(panel, title, queryIds);
  return (
    <>
      {result.notes.map((note) => (
        <p key={note} class="mb-2 wrap-anywhere text-meta text-muted">{note}</p>
      ))}
      {panel.view === "value"
        ? <SeriesValues result={result} names={names} queryIds={queryIds} />
        : panel.view === "table"
        ? <SeriesTable title={title} result={result} names={names} queryIds={queryIds} />
        : (
          <MetricChart
            id={id}
            title={title}
            result={result}
            queryIds={queryIds}
            names={names}
            view={panel.view === "heatmap" ? "line" : panel.view}
            height={height}
            markers={markers}
            zoomHref={zoomHref}
            syncKey="page"
            legend="short"
          />
        )}
    </>
  );
}
