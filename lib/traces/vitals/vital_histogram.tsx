import type { Sketch } from "../../store/stats/sketch.ts";
import { brushTarget } from "../../ui/charts/brush.ts";
import { DataTable } from "../../ui/charts/data_table.tsx";
import { percent, PLOT_WIDTH, PlotFrame, plotHeight } from "../../ui/charts/plot_frame.tsx";
import { valueTicks } from "../../ui/charts/ticks.ts";
import { formatTick } from "../../ui/charts/value_format.ts";
import { countRange } from "../../ui/charts/value_range.ts";
import { formatExact, formatExactOf, formatPercent } from "../../ui/format.ts";
import { axisEnd, barsOf, type VitalBar } from "./distribution.ts";
import type { PageVitalsParams } from "./load_page_vitals.ts";
import { formatVital, type Rating, ratingOf, type Vital } from "./ratings.ts";

export interface VitalHistogramProps {
  readonly vital: Vital;
  readonly sketch: Sketch;
  /** How many visits there were, with those that were sampled away. */
  readonly whole: number;
  readonly range: PageVitalsParams["range"];
  /** Path and query without `min` and `max`, which choosing a bar adds. */
  readonly brushHref: string;
}

const FILLS: Readonly<Record<Rating, string>> = {
  good: "fill-ok-fill",
  "needs improvement": "fill-warning-fill",
  poor: "fill-danger-fill",
};
const LINE_SPACING = 36;
/** Px between bars, in units of the stretched plot. */
const GAP = 2;
const THIN_BAR = 1.5;
/** What all that lies beyond the axis ends at in the URL. */
const NO_END = 60_000;

/** How the values of a vital are spread, coloured by rating. Every bar leads to the visits in it. */
export function VitalHistogram({ vital, sketch, whole, range, brushHref }: VitalHistogramProps) {
  const bars = barsOf(vital, sketch);
  const total = sketch.count;
  return (
    <figure class="min-w-0" aria-labelledby="distribution-title">
      <figcaption class="flex flex-wrap items-baseline justify-between gap-x-4">
        <span id="distribution-title" class="font-semibold">{`How ${vital.label} is spread`}</span>
        <span class="text-meta text-muted tabular-nums">
          {formatExactOf(total, "visits")}
          {whole > total && ` stored of ${formatExact(whole)}`}
          {range && (
            <>
              {` · chosen ${rangeWords(vital, { from: range.min, to: range.max })} `}
              <a class="link" href={brushHref}>Show all</a>
            </>
          )}
        </span>
      </figcaption>
      <div class="chart-box mt-1" data-chart-box>
        <Bars vital={vital} bars={bars} range={range} brushHref={brushHref} />
        {total === 0 && <p class="chart-blank">No data in this time</p>}
      </div>
      {total > 0 && (
        <DataTable
          caption={`How ${vital.label} is spread`}
          columns={[vital.label, "Visits", "Share"]}
          rows={bars.filter(({ count }) => count > 0).map((bar) => [
            <a key="range" class="link" href={hrefOf(brushHref, bar)}>{rangeWords(vital, bar)}</a>,
            formatExact(bar.count),
            formatPercent(bar.count / total),
          ])}
        />
      )}
    </figure>
  );
}

interface BarsProps extends Omit<VitalHistogramProps, "sketch" | "whole"> {
  readonly bars: readonly VitalBar[];
}

function Bars({ vital, bars, range, brushHref }: BarsProps) {
  const counts = bars.map(({ count }) => count);
  const { high } = countRange(counts);
  const inner = plotHeight(undefined);
  const width = PLOT_WIDTH / bars.length;
  const values = valueTicks(0, high, "count", Math.max(2, inner / LINE_SPACING));
  const total = counts.reduce((sum, count) => sum + count, 0);
  return (
    <PlotFrame
      label={`How ${vital.label} is spread: ${formatExactOf(total, "visits")}`}
      height={undefined}
      valueTicks={total === 0 ? [] : values.at.map((value) => ({
        at: value / high,
        label: formatTick(value, values.step, "count"),
      }))}
      ticks={{ wide: ticksOf(vital, bars, 8), narrow: ticksOf(vital, bars, 4) }}
      links={bars.map((bar, place) =>
        bar.count > 0 && (
          <a key={bar.from} href={hrefOf(brushHref, bar)} tabindex={-1}>
            <title>{`${rangeWords(vital, bar)}: ${formatExactOf(bar.count, "visits")}`}</title>
            <rect
              x={percent(place / bars.length)}
              width={percent(1 / bars.length)}
              height={inner}
              class="fill-transparent hover:fill-ink/8"
            />
          </a>
        )
      )}
    >
      {bars.map((bar, place) => {
        if (bar.count === 0) return null;
        const tall = Math.max(THIN_BAR, bar.count / high * inner);
        return (
          <rect
            key={bar.from}
            x={place * width + GAP / 2}
            y={inner - tall}
            width={width - GAP}
            height={tall}
            class={isChosen(bar, range) ? fillOf(vital, bar) : "fill-line-strong"}
          />
        );
      })}
    </PlotFrame>
  );
}

function ticksOf(vital: Vital, bars: readonly VitalBar[], most: number) {
  const end = axisEnd(vital);
  const { at, step } = valueTicks(0, end, vital.unit, most);
  // The last bar lies beyond the axis.
  const share = (bars.length - 1) / bars.length;
  return at.map((value) => ({
    at: value / end * share,
    label: formatTick(value, step, vital.unit),
  }));
}

function fillOf(vital: Vital, { to }: VitalBar): string {
  return FILLS[ratingOf(vital, to ?? Infinity) ?? "poor"];
}

function isChosen({ from, to }: VitalBar, range: PageVitalsParams["range"]): boolean {
  return range === null || (from < range.max && (to ?? Infinity) > range.min);
}

function hrefOf(brushHref: string, { from, to }: VitalBar): string {
  return `${brushTarget(brushHref, { min: from, max: to ?? NO_END })}#visits`;
}

/** `2.5 s to 2.75 s`, `over 8 s`; narrow scores need more digits than two. */
export function rangeWords(vital: Vital, { from, to }: Pick<VitalBar, "from" | "to">): string {
  const words = (value: number) =>
    vital.unit === "score" ? formatExact(Number(value.toFixed(4))) : formatVital(vital, value);
  return to === null || to >= NO_END ? `over ${words(from)}` : `${words(from)} to ${words(to)}`;
}
