import { TimeChart } from "../charts/mod.ts";
import { DEFAULT_RANGE, scopedHref } from "../scope.ts";
import type { Tracing } from "../tracing/load_tracing.ts";
import { quantilesOf, type Steps } from "../tracing/steps.ts";
import { formatVital, type Vital, VITALS } from "./ratings.ts";

export interface VitalChartsProps {
  readonly tracing: Tracing;
  /** By name of the vital. */
  readonly steps: ReadonlyMap<string, Steps>;
  readonly path: string;
  /** Other parameters of the page, which choosing a time keeps. */
  readonly keep: Readonly<Record<string, string | null>>;
}

/** Each vital that was measured along the time, with the limits of what is good and what is poor. */
export function VitalCharts({ tracing, steps, path, keep }: VitalChartsProps) {
  const zoomHref = scopedHref(path, { ...tracing.scope, range: DEFAULT_RANGE }, keep);
  return (
    <div class="grid gap-4 lg:grid-cols-2">
      {VITALS.map((vital) => {
        const own = steps.get(vital.name);
        return own?.stats.some(({ count }) => count > 0) && (
          <div
            key={vital.name}
            class="min-w-0 rounded-lg border border-line bg-surface p-4 last:odd:lg:col-span-2"
          >
            <VitalChart tracing={tracing} vital={vital} steps={own} zoomHref={zoomHref} />
          </div>
        );
      })}
    </div>
  );
}

interface VitalChartProps {
  readonly tracing: Tracing;
  readonly vital: Vital;
  readonly steps: Steps;
  readonly zoomHref: string;
}

function VitalChart({ tracing, vital, steps, zoomHref }: VitalChartProps) {
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
      series={[
        { label: "p75", values: p75 },
        {
          label: `good up to ${formatVital(vital, vital.good)}`,
          values: p75.map(() => vital.good),
          color: 3,
          isDashed: true,
        },
      ]}
    />
  );
}
