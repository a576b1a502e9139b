import type { ComponentChildren } from "preact";
import { apdex, failureRate } from "../../telemetry/stats/stats.ts";
import { TimeChart } from "../charts/mod.ts";
import { formatDuration } from "../format.ts";
import { DEFAULT_RANGE, scopedHref } from "../scope.ts";
import type { Tracing } from "./load_tracing.ts";
import { quantilesOf, ratesOf, type Steps } from "./steps.ts";

export interface StatChartsProps {
  readonly tracing: Tracing;
  readonly steps: Steps;
  /** Of the page. */
  readonly path: string;
  /** Other parameters of the page, which choosing a time keeps. */
  readonly keep?: Readonly<Record<string, string | null | undefined>>;
  /** What is counted, as `Transactions`. */
  readonly what: string;
}

/** How often, how fast, how well: four charts along the time of the page, with one crosshair. */
export function StatCharts({ tracing, steps, path, keep = {}, what }: StatChartsProps) {
  const { scope, markers, apdexMs } = tracing;
  const common = {
    times: steps.times,
    bucketMs: steps.stepMs,
    markers,
    syncKey: "stats",
    zoomHref: scopedHref(path, { ...scope, range: DEFAULT_RANGE }, keep),
  };
  const perStep = (of: (stats: Steps["stats"][number]) => number | null) => steps.stats.map(of);
  return (
    <div class="grid gap-4 lg:grid-cols-2">
      <Box>
        <TimeChart
          {...common}
          id="throughput"
          title={`${what} per minute`}
          unit="rate"
          series={[{ label: "throughput", values: ratesOf(steps), kind: "area" }]}
        />
      </Box>
      <Box>
        <TimeChart
          {...common}
          id="durations"
          title="Duration"
          unit="duration"
          series={[
            { label: "p50", values: quantilesOf(steps, 0.5) },
            { label: "p75", values: quantilesOf(steps, 0.75) },
            { label: "p95", values: quantilesOf(steps, 0.95) },
            { label: "p99", values: quantilesOf(steps, 0.99) },
          ]}
        />
      </Box>
      <Box>
        <TimeChart
          {...common}
          id="failures"
          title="Failure rate"
          unit="percent"
          series={[{
            label: "failed",
            values: perStep(failureRate),
            color: "danger",
            kind: "area",
          }]}
        />
      </Box>
      <Box>
        <TimeChart
          {...common}
          id="apdex"
          title="Apdex"
          unit="score"
          note={`Within ${formatDuration(apdexMs)} counts whole, within four times of it half.`}
          series={[{
            label: "Apdex",
            values: perStep(({ sketch }) => apdex(sketch, apdexMs)),
            color: 3,
          }]}
        />
      </Box>
    </div>
  );
}

function Box({ children }: { readonly children: ComponentChildren }) {
  return <div class="min-w-0 rounded-lg border border-line bg-surface p-4">{children}</div>;
}
