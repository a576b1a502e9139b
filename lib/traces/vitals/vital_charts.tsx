import type { Stats } from "../../store/stats/stats.ts";
import { TimeChart } from "../../ui/charts/mod.ts";
import { DEFAULT_RANGE, scopedHref } from "../../ui/scope.ts";
import { ChartBox } from "../../ui/chart_box.tsx";
import type { Tracing } from "../../releases/load_tracing.ts";
import { quantilesOf, type Steps } from "../../store/stats/steps.ts";
import type { VitalStats } from "./load_vitals.ts";
import { formatVital, type Vital, VITALS } from "./ratings.ts";

export interface VitalChartsProps {
  readonly tracing: Tracing;
  readonly vitals: VitalStats;
  /** By name of the vital. */
  readonly steps: ReadonlyMap<string, Steps>;
  readonly path: string;
  /** Other parameters of the page, which choosing a time keeps. */
  readonly keep: Readonly<Record<string, string | null>>;
}

/** Each vital that was measured along the time, with the limits of what is good and what is poor. */
export function VitalCharts({ tracing, vitals, steps, path, keep }: VitalChartsProps) {
  const zoomHref = scopedHref(path, { ...tracing.scope, range: DEFAULT_RANGE }, keep);
  return (
    <div class="grid gap-4 lg:grid-cols-2">
      {VITALS.map((vital) => {
        const own = steps.get(vital.name);
        return own?.stats.some(({ count }) => count > 0) && (
          <ChartBox key={vital.name} class="last:odd:lg:col-span-2">
            <VitalChart
              tracing={tracing}
              vital={vital}
              whole={quartile(vitals.get(vital.name))}
              steps={own}
              zoomHref={zoomHref}
            />
          </ChartBox>
        );
      })}
    </div>
  );
}

interface VitalChartProps {
  readonly tracing: Tracing;
  readonly vital: Vital;
  /** Its p75 over the whole time. */
  readonly whole: number | null;
  readonly steps: Steps;
  readonly zoomHref: string;
}

function quartile(stats: Stats | undefined): number | null {
  return stats?.sketch.quantile(0.75) ?? null;
}

function VitalChart({ tracing, vital, whole, steps, zoomHref }: VitalChartProps) {
  const p75 = quantilesOf(steps, 0.75);
  // The line of what is poor would flatten the curve of a page that is far from it.
  const isNearPoor = p75.some((value) => value !== null && value > vital.good);
  return (
    <TimeChart
      id={`vital-${vital.name}`}
      title={vital.label}
      unit={vital.unit}
      note={vital.words}
      times={steps.times}
      bucketMs={steps.stepMs}
      markers={tracing.markers}
      syncKey="vitals"
      zoomHref={zoomHref}
      {...isNearPoor
        ? {
          threshold: { value: vital.poor, label: `poor above ${formatVital(vital, vital.poor)}` },
        }
        : {}}
      goal={{ value: vital.good, label: `good up to ${formatVital(vital, vital.good)}` }}
      series={[{ label: "p75", values: p75, whole }]}
    />
  );
}
