import { t } from "../core/language/translate.ts";
import { LOG_LEVELS, type LogLevel } from "../records/mod.ts";
import { BarChart, type BarPart } from "../ui/charts/bar_chart.tsx";
import type { ChartMarker } from "../ui/charts/mod.ts";

/** Colours of levels: of the bars, and of the mark beside a level's name. */
const LOOKS: Readonly<Record<LogLevel, { readonly bar: string; readonly mark: string }>> = {
  trace: { bar: "fill-line-strong", mark: "bg-line-strong" },
  debug: { bar: "fill-series-7", mark: "bg-series-7" },
  info: { bar: "fill-info-fill", mark: "bg-info-fill" },
  warn: { bar: "fill-warning-fill", mark: "bg-warning-fill" },
  error: { bar: "fill-danger-fill", mark: "bg-danger-fill" },
  fatal: { bar: "fill-danger", mark: "bg-danger" },
};

interface LevelChartProps {
  readonly start: Date;
  readonly end: Date;
  readonly bucketSec: number;
  /** One count a bucket, oldest first. */
  readonly counts: readonly number[];
  /** The same of each level that is there. */
  readonly levels: Readonly<Partial<Record<LogLevel, readonly number[]>>>;
  readonly markers: readonly ChartMarker[];
}

/** Logs along the time, by level: the worst stand on the ground, where few of them are seen best. */
export function LevelChart({ levels, ...chart }: LevelChartProps) {
  const parts = LOG_LEVELS.toReversed().flatMap((level): BarPart[] => {
    const counts = levels[level];
    return counts === undefined ? [] : [{ label: level, counts, class: LOOKS[level].bar }];
  });
  return <BarChart {...chart} title={t("Logs")} unit="{n} log|{n} logs" parts={parts} />;
}

/** The colour that a level has in the chart. */
export function LevelMark({ level }: { readonly level: LogLevel }) {
  return <span aria-hidden="true" class={`size-2 rounded-sm ${LOOKS[level].mark}`} />;
}
