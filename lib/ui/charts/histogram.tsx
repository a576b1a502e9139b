import { type Message, t } from "../../core/language/translate.ts";
import HistogramBrush from "@/islands/HistogramBrush.tsx";
import { formatDuration, formatExact, formatExactOf, formatPercent, nounOf } from "../format.ts";
import {
  brushTarget,
  countRange,
  type DurationBucket,
  type DurationRange,
  type LogAxis,
  logAxis,
  logTicks,
  shareAt,
  valueTicks,
} from "./axis.ts";
import { DataTable, percent, PLOT_WIDTH, PlotFrame, plotHeight, round } from "./plot_frame.tsx";
import { formatTick } from "./chart_data.ts";

interface HistogramProps {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  /** Log-spaced and ascending; empty ones may be left out. */
  readonly buckets: readonly DurationBucket[];
  /** The range of durations that the page is narrowed to. */
  readonly selection?: DurationRange;
  /** Path and query without `min` and `max`, which choosing a range adds in ms. */
  readonly brushHref: string;
  /** What is counted: a message with plurals, as `{n} transaction|{n} transactions`. */
  readonly unit: Message;
  /** How many there were, with what was sampled away and is not counted here. */
  readonly whole?: number;
}

const LINE_SPACING = 36;
const TICKS = { wide: 10, narrow: 4 } as const;
/** Px between bars, in units of the stretched plot. */
const GAP = 1.5;
const THIN_BAR = 1.5;
const NO_AXIS: LogAxis = { low: 1, high: 2 };

/**
 * How durations are distributed, on a logarithmic axis. Every bar leads to the page narrowed to it; script
 * lets one choose several by dragging.
 */
export function Histogram(props: HistogramProps) {
  const { id, title, buckets, selection, brushHref, unit, whole = 0 } = props;
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  const axis = total > 0 ? logAxis(buckets) : null;
  return (
    <figure id={id} class="min-w-0" aria-labelledby={`${id}-title`}>
      <figcaption class="flex flex-wrap items-baseline justify-between gap-x-4">
        <span id={`${id}-title`} class="min-w-0 font-semibold">{title}</span>
        <span class="text-meta text-muted tabular-nums">
          {formatExactOf(total, unit)}
          {whole > total && ` ${t("stored of {whole}", { whole: formatExact(whole) })}`}
          {selection && (
            <>
              {` · ${
                t("chosen {min} to {max}", {
                  min: formatDuration(selection.min),
                  max: formatDuration(selection.max),
                })
              } `}
              <a class="link" href={brushHref}>{t("Show all")}</a>
            </>
          )}
        </span>
      </figcaption>
      <div class="chart-box mt-1" data-chart-box>
        <Bars {...props} axis={axis ?? NO_AXIS} isBlank={axis === null} />
        {axis === null && <p class="chart-blank">{t("No data in this time")}</p>}
      </div>
      {axis && (
        <>
          <DataTable
            caption={title}
            columns={[t("Duration"), nounOf(unit), t("Share@@part")]}
            rows={counted(buckets).map((bucket) => [
              <a key="range" class="link" href={hrefOf(brushHref, bucket)}>{rangeWords(bucket)}</a>,
              formatExact(bucket.count),
              formatPercent(bucket.count / total),
            ])}
          />
          <HistogramBrush
            id={id}
            href={brushHref}
            low={axis.low}
            high={axis.high}
            edges={buckets.map(({ from, to }) => `${from}:${to}`).join()}
          />
        </>
      )}
    </figure>
  );
}

interface BarsProps extends HistogramProps {
  readonly axis: LogAxis;
  readonly isBlank: boolean;
}

function Bars({ title, buckets, selection, brushHref, unit, axis, isBlank }: BarsProps) {
  const { high } = countRange(buckets.map(({ count }) => count));
  const inner = plotHeight();
  const values = valueTicks(0, high, "count", Math.max(2, inner / LINE_SPACING));
  const bars = isBlank ? [] : counted(buckets);
  return (
    <PlotFrame
      label={`${title}: ${formatExactOf(bars.reduce((sum, { count }) => sum + count, 0), unit)}`}
      valueTicks={isBlank ? [] : values.at.map((value) => ({
        at: value / high,
        label: formatTick(value, values.step, "count"),
      }))}
      ticks={{
        wide: isBlank ? [] : placed(axis, TICKS.wide),
        narrow: isBlank ? [] : placed(axis, TICKS.narrow),
      }}
      links={bars.map((bucket) => (
        <a key={bucket.from} href={hrefOf(brushHref, bucket)} tabindex={-1}>
          <title>{`${rangeWords(bucket)}: ${formatExactOf(bucket.count, unit)}`}</title>
          <rect
            x={percent(shareAt(axis, bucket.from))}
            width={percent(shareAt(axis, bucket.to) - shareAt(axis, bucket.from))}
            height={inner}
            class="fill-transparent hover:fill-ink/8"
          />
        </a>
      ))}
    >
      {bars.map((bucket) => {
        const x = shareAt(axis, bucket.from) * PLOT_WIDTH;
        const width = shareAt(axis, bucket.to) * PLOT_WIDTH - x;
        const tall = Math.max(THIN_BAR, bucket.count / high * inner);
        return (
          <rect
            key={bucket.from}
            x={round(x + Math.min(GAP, width / 4) / 2)}
            y={round(inner - tall)}
            width={round(width - Math.min(GAP, width / 4))}
            height={round(tall)}
            class={isChosen(bucket, selection) ? "fill-series-1" : "fill-line-strong"}
          />
        );
      })}
    </PlotFrame>
  );
}

function counted(buckets: readonly DurationBucket[]): readonly DurationBucket[] {
  return buckets.filter(({ count }) => count > 0);
}

function isChosen({ from, to }: DurationBucket, selection: DurationRange | undefined): boolean {
  return selection === undefined || (from < selection.max && to > selection.min);
}

function hrefOf(brushHref: string, { from, to }: DurationBucket): string {
  return brushTarget(brushHref, { min: from, max: to });
}

function rangeWords({ from, to }: DurationBucket): string {
  return t("{from} to {to}", { from: formatDuration(from), to: formatDuration(to) });
}

function placed(axis: LogAxis, most: number) {
  return logTicks(axis.low, axis.high, most).map((ms) => ({
    at: shareAt(axis, ms),
    label: formatDuration(ms),
  }));
}
