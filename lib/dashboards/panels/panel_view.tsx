import type { Panel } from "../content.ts";
import { TimeChart } from "../../ui/charts/mod.ts";
import { Icon } from "../../ui/components/icon.tsx";
import { formatDuration } from "../../ui/format.ts";
import { HeatMapChart } from "../../metrics/heat_map_chart.tsx";
import { alongPage } from "../../ui/chart_box.tsx";
import type { Tracing } from "../../releases/load_tracing.ts";
import { chartHeight } from "./chart_height.ts";
import { Markdown } from "./markdown.tsx";
import { MEASURE_WORDS, measured } from "./measures.ts";
import { MetricsView } from "./metrics_view.tsx";
import type { PanelData } from "./panel_data.ts";
import { panelTitle } from "./panel_title.ts";

export interface PanelViewProps {
  readonly panel: Panel;
  readonly data: PanelData;
  readonly tracing: Tracing;
  /** Of the page, where choosing a time leads. */
  readonly path: string;
  /** Other parameters of the page, which choosing a time keeps. */
  readonly keep: Readonly<Record<string, string>>;
}

/** What a panel shows, without its frame. */
export function PanelView(props: PanelViewProps) {
  const { panel, data, tracing, path, keep } = props;
  if (data.kind === "failed") return <Failed sentence={data.sentence} />;
  if (data.kind === "text") {
    return panel.kind === "text" ? <Markdown text={panel.markdown} /> : null;
  }
  const id = `chart-${panel.id}`;
  const title = panelTitle(panel);
  const height = chartHeight(panel.place.h);
  if (data.kind === "metrics") {
    return (
      <MetricsView
        id={id}
        title={title}
        data={data}
        height={height}
        markers={tracing.markers}
        zoomHref={alongPage(tracing, NO_STEPS, path, keep).zoomHref}
      />
    );
  }
  if (data.kind === "heat") {
    return data.heat === null
      ? <Failed sentence="A heat map needs a histogram, and none of the queries asks for one." />
      : <HeatMapChart id={id} heat={data.heat} height={height} />;
  }
  if (data.kind === "errors") {
    const { times, bucketMs, counts, problems } = data;
    return (
      <>
        {problems.map((problem) => <Problem key={problem} sentence={problem} />)}
        <TimeChart
          {...alongPage(tracing, { times, stepMs: bucketMs }, path, keep)}
          id={id}
          title={title}
          unit="count"
          height={height}
          series={[{ label: "errors", values: counts, kind: "bars", color: "danger" }]}
        />
      </>
    );
  }
  if (panel.kind !== "transactions") return null;
  const { unit, series } = measured(panel.measure, tracing, data.total, data.steps);
  return (
    <TimeChart
      {...alongPage(tracing, data.steps, path, keep)}
      id={id}
      title={title}
      unit={unit}
      height={height}
      series={[series]}
      {...panel.measure === "apdex" && {
        note: `${MEASURE_WORDS.apdex} of ${formatDuration(tracing.apdexMs)}`,
      }}
    />
  );
}

const NO_STEPS = { times: [], stepMs: 1 };

function Failed({ sentence }: { readonly sentence: string }) {
  return (
    <p class="flex gap-2 rounded-md border border-warning bg-warning-soft px-3 py-2 text-sm">
      <Icon name="warning" class="mt-[3px] text-warning" />
      <span class="min-w-0 wrap-anywhere">{sentence}</span>
    </p>
  );
}

/** A part of a panel that could not be taken as it was meant. */
function Problem({ sentence }: { readonly sentence: string }) {
  return (
    <p class="mb-2 flex gap-1.5 text-meta text-muted">
      <Icon name="warning" size={12} class="mt-0.5 text-warning" />
      <span class="min-w-0 wrap-anywhere">{sentence}</span>
    </p>
  );
}
