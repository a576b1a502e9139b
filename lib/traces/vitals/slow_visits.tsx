import { t } from "../../core/language/translate.ts";
import type { PageScope } from "../../releases/request_scope.ts";
import type { Sketch } from "../../store/stats/sketch.ts";
import { brushTarget, countRange, valueTicks } from "../../ui/charts/axis.ts";
import {
  DataTable,
  percent,
  PLOT_WIDTH,
  PlotFrame,
  plotHeight,
} from "../../ui/charts/plot_frame.tsx";
import { formatTick } from "../../ui/charts/chart_data.ts";
import { Alert, Panel } from "../../ui/components/panel.tsx";
import { Nothing, RowTable } from "../../ui/components/table.tsx";
import { ExactTime, RelativeTime } from "../../ui/components/values.tsx";
import { formatExact, formatPercent, NONE } from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import type { PageVitals, PageVitalsParams, VitalSample } from "./load_page_vitals.ts";
import { Rated } from "./vital_cards.tsx";
import { formatVital, type Rating, ratingOf, type Vital } from "./vital_scores.ts";
import { TraceLink } from "../list_parts.tsx";

interface VisitPanelProps extends Pick<PageVitals, "vital" | "samples" | "moments" | "params"> {
  readonly pageScope: PageScope;
}

/** The slowest visits, or, where SDKs send vitals apart from the visit, when it was slow. */
export function VisitPanel(props: VisitPanelProps) {
  const { vital, samples, moments, params: { range } } = props;
  const chosen = range && rangeWords(vital, { from: range.min, to: range.max });
  return (
    <Panel
      title={moments.length > 0 ? t("When it was slow") : t("Slowest visits")}
      id="visits"
      flush
      {...moments.length > 0
        ? {
          description: t(
            "Visits send {vital} on its own here, so that the slowest times are listed, each with one of its traces.",
            { vital: vital.label },
          ),
        }
        : chosen
        ? {
          description: t("Those with {vital} of {range}.", { vital: vital.label, range: chosen }),
        }
        : {}}
    >
      {samples === null
        ? (
          <div class="p-4">
            <Alert kind="warning" title={t("Reading the visits took too long")}>
              {t("Choose a shorter time.")}
            </Alert>
          </div>
        )
        : moments.length > 0
        ? <MomentTable {...props} />
        : samples.length === 0
        ? (
          <Nothing>
            {chosen
              ? t("No visit that is stored measured {vital} of {range}.", {
                vital: vital.label,
                range: chosen,
              })
              : t("No visit that is stored measured {vital}.", { vital: vital.label })}
          </Nothing>
        )
        : <SampleTable {...props} samples={samples} />}
    </Panel>
  );
}

function SampleTable(
  { pageScope, vital, samples }: Pick<VisitPanelProps, "pageScope" | "vital"> & {
    readonly samples: readonly VitalSample[];
  },
) {
  return (
    <RowTable
      caption={t("Visits with the largest {vital}", { vital: vital.label })}
      density="comfortable"
      rows={samples}
      rowKey={({ traceId, spanId }) => `${traceId}/${spanId}`}
      columns={[
        { label: t("Trace"), cell: (sample) => <TraceLink pageScope={pageScope} {...sample} /> },
        {
          label: vital.label,
          align: "right",
          cell: ({ value }) => (
            <Rated rating={ratingOf(vital, value)}>{formatVital(vital, value)}</Rated>
          ),
        },
        {
          label: t("Release"),
          class: "max-lg:hidden",
          cellClass: "max-w-48 truncate max-lg:hidden",
          cell: ({ release }) => visible(release) || NONE,
        },
        {
          label: t("Environment"),
          class: "max-md:hidden",
          cellClass: "max-w-40 truncate max-md:hidden",
          cell: ({ environment }) => visible(environment) || NONE,
        },
        {
          label: t("User"),
          class: "max-md:hidden",
          cellClass: "max-w-48 truncate max-md:hidden",
          cell: ({ user }) => user === null ? NONE : visible(user),
        },
        {
          label: t("When"),
          align: "right",
          cell: ({ startedAt }) => <RelativeTime date={startedAt} />,
        },
      ]}
    />
  );
}

function MomentTable({ pageScope, vital, moments }: VisitPanelProps) {
  return (
    <RowTable
      caption={t("Times with the largest {vital}", { vital: vital.label })}
      density="comfortable"
      rows={moments}
      rowKey={({ time, browser, device }) => `${time}/${browser}/${device}`}
      columns={[
        {
          label: t("Trace"),
          cell: ({ traceId }) => (
            <TraceLink
              pageScope={pageScope}
              traceId={traceId}
              spanId={null}
            />
          ),
        },
        { label: t("From"), cell: ({ time }) => <ExactTime date={new Date(time)} /> },
        {
          label: t("Browser"),
          class: "max-md:hidden",
          cell: ({ browser }) => visible(browser) || NONE,
        },
        {
          label: t("Device"),
          class: "max-md:hidden",
          cell: ({ device }) => visible(device) || NONE,
        },
        { label: t("Visits"), align: "right", cell: ({ count }) => formatExact(count) },
        {
          label: "p75",
          align: "right",
          cell: ({ p75 }) => <Rated rating={ratingOf(vital, p75)}>{formatVital(vital, p75)}</Rated>,
        },
      ]}
    />
  );
}

interface VitalHistogramProps {
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
  const title = t("How {vital} is spread", { vital: vital.label });
  return (
    <figure class="min-w-0" aria-labelledby="distribution-title">
      <figcaption class="flex flex-wrap items-baseline justify-between gap-x-4">
        <span id="distribution-title" class="font-semibold">{title}</span>
        <span class="text-meta text-muted tabular-nums">
          {whole > total
            ? t("{n} visit stored of {whole}|{n} visits stored of {whole}", { n: total, whole })
            : t("{n} visit|{n} visits", { n: total })}
          {range && (
            <>
              {" · "}
              {t("chosen {range}", {
                range: rangeWords(vital, { from: range.min, to: range.max }),
              })} <a class="link" href={brushHref}>{t("Show all")}</a>
            </>
          )}
        </span>
      </figcaption>
      <div class="chart-box mt-1" data-chart-box>
        <Bars vital={vital} bars={bars} range={range} brushHref={brushHref} />
        {total === 0 && <p class="chart-blank">{t("No data in this time")}</p>}
      </div>
      {total > 0 && (
        <DataTable
          caption={title}
          columns={[vital.label, t("Visits"), t("Share@@part")]}
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
      label={t("How {vital} is spread: {n} visit|How {vital} is spread: {n} visits", {
        vital: vital.label,
        n: total,
      })}
      height={undefined}
      valueTicks={total === 0 ? [] : values.at.map((value) => ({
        at: value / high,
        label: formatTick(value, values.step, "count"),
      }))}
      ticks={{ wide: ticksOf(vital, bars, 8), narrow: ticksOf(vital, bars, 4) }}
      links={bars.map((bar, place) =>
        bar.count > 0 && (
          <a key={bar.from} href={hrefOf(brushHref, bar)} tabindex={-1}>
            <title>
              {t("{range}: {n} visit|{range}: {n} visits", {
                range: rangeWords(vital, bar),
                n: bar.count,
              })}
            </title>
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
function rangeWords(vital: Vital, { from, to }: Pick<VitalBar, "from" | "to">): string {
  const words = (value: number) =>
    vital.unit === "score" ? formatExact(Number(value.toFixed(4))) : formatVital(vital, value);
  return to === null || to >= NO_END
    ? t("over {value}", { value: words(from) })
    : t("{from} to {to}", { from: words(from), to: words(to) });
}

/** A bar of a distribution. */
interface VitalBar {
  /** In the vital's unit. */
  readonly from: number;
  /** Null: no end. */
  readonly to: number | null;
  readonly count: number;
}

/** Widths of bars, so that the limits of what is good and poor lie between two of them. */
const WIDTHS: Readonly<Record<Vital["name"], number>> = {
  lcp: 250,
  inp: 25,
  cls: 0.0125,
  fcp: 200,
  ttfb: 100,
};

/** Where the axis ends: at twice of what is poor. */
function axisEnd({ poor }: Vital): number {
  return 2 * poor;
}

/** How values are spread over bars of equal width, and one of all that lies beyond them. */
export function barsOf(vital: Vital, sketch: Sketch): VitalBar[] {
  const width = WIDTHS[vital.name];
  const size = Math.round(axisEnd(vital) / width);
  let reached = 0;
  const bars = Array.from({ length: size }, (_, place): VitalBar => {
    const to = edge((place + 1) * width);
    const before = reached;
    reached = Math.round(sketch.countUpTo(to));
    return { from: edge(place * width), to, count: reached - before };
  });
  return [...bars, { from: axisEnd(vital), to: null, count: sketch.count - reached }];
}

/** 3 × 0.0125 is not 0.0375 in binary. */
function edge(value: number): number {
  return Number(value.toPrecision(12));
}
