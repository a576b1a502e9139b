import { t } from "../core/language/translate.ts";
import { ChartBox } from "../ui/scoped_page.tsx";
import { timeTicks } from "../ui/charts/axis.ts";
import {
  DataTable,
  type PlacedTick,
  PLOT_WIDTH,
  PlotFrame,
  plotHeight,
} from "../ui/charts/plot_frame.tsx";
import { formatBucket, formatTimeTick } from "../ui/charts/chart_data.ts";
import { formatCount, formatExact, formatPercent } from "../ui/format.ts";
import { formatFilter } from "./filter.ts";
import type { QueryForm } from "./query_form/load_query_form.ts";
import type { MetricQuery, QueryRequest } from "./query_types.ts";
import { runHeatmap } from "./query/heatmap.ts";
import type { QueryServices } from "./query/shared_reads.ts";
import { formatMetric } from "./units.ts";

const HEIGHT = 340;

interface HeatMapChartProps {
  /** Unique on the page. */
  readonly id: string;
  readonly heat: Heat;
  /** Of the drawing in px. @default 340 */
  readonly height?: number;
}
/** Px between labels of buckets, at least. */
const LABEL_SPACING = 24;

/** How often which values were observed, the darker the more often. */
export function HeatMapChart({ id, heat, height = HEIGHT }: HeatMapChartProps) {
  const { title, rows, times, stepMs, notes } = heat;
  const inner = plotHeight(height);
  const total = rows.reduce((sum, row) => sum + rowTotal(row), 0);
  return (
    <figure id={id} class="chart-figure" aria-labelledby={`${id}-title`}>
      <div class="min-w-0">
        <figcaption class="flex flex-wrap items-baseline justify-between gap-x-4">
          <span id={`${id}-title`} class="min-w-0 font-semibold [overflow-wrap:anywhere]">
            {title}
          </span>
          <span class="text-meta text-muted">
            {t("{step} a column", { step: formatBucket(stepMs) })}
          </span>
        </figcaption>
        {notes.map((note) => <p key={note} class="text-meta text-muted">{note}</p>)}
        {total > 0 && <ShadeScale most={fullest(rows)} />}
      </div>
      <div class="min-w-0">
        <div class="chart-box mt-1">
          <PlotFrame
            label={t("{title}: {n} observation|{title}: {n} observations", { title, n: total })}
            height={height}
            valueTicks={total === 0 ? [] : boundTicks(heat, inner)}
            ticks={{ wide: placedTimes(heat, 8), narrow: placedTimes(heat, 4) }}
            corner="UTC"
          >
            {shadePaths(heat, PLOT_WIDTH, inner).map(({ shade, path }) => (
              <path key={shade} d={path} class="fill-series-1" fill-opacity={shade / SHADES} />
            ))}
          </PlotFrame>
          {(total === 0 || times.length === 0) && (
            <p class="chart-blank">{t("No data in this time")}</p>
          )}
        </div>
        {total > 0 && <BucketTable heat={heat} total={total} />}
      </div>
    </figure>
  );
}

function ShadeScale({ most }: { readonly most: number }) {
  return (
    <p class="flex items-center gap-1.5 text-meta text-muted">
      {t("{n} observation|{n} observations", { n: 1 })}
      <svg width={SHADES * 12} height="10" aria-hidden="true">
        {Array.from({ length: SHADES }, (_, shade) => (
          <rect
            key={shade}
            x={shade * 12}
            width="12"
            height="10"
            class="fill-series-1"
            fill-opacity={(shade + 1) / SHADES}
          />
        ))}
      </svg>
      {t("{count} in a cell", { count: formatCount(most) })}
    </p>
  );
}

/** Rows over the whole time; those without observations are left out. */
function BucketTable({ heat, total }: { readonly heat: Heat; readonly total: number }) {
  const filled = heat.rows.filter((row) => rowTotal(row) > 0);
  return (
    <DataTable
      caption={heat.title}
      columns={[t("Values"), t("Observations"), t("Share@@part")]}
      rows={filled.toReversed().map((row) => [
        rangeWords(row, heat.ucum),
        formatExact(Math.round(rowTotal(row))),
        formatPercent(rowTotal(row) / total),
      ])}
    />
  );
}

function rangeWords({ from, to }: HeatRow, ucum: string): string {
  if (from === null) return t("up to {value}", { value: formatMetric(to, ucum) });
  if (to === null) return t("above {value}", { value: formatMetric(from, ucum) });
  return t("{from} to {to}", { from: formatMetric(from, ucum), to: formatMetric(to, ucum) });
}

function rowTotal({ counts }: HeatRow): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Upper bounds of rows, as many as there is room for. */
function boundTicks({ rows, ucum }: Heat, height: number): PlacedTick[] {
  const every = Math.max(1, Math.ceil(rows.length * LABEL_SPACING / height));
  return rows.flatMap(({ to }, row) =>
    to === null || row % every !== 0
      ? []
      : [{ at: (row + 1) / rows.length, label: formatMetric(to, ucum) }]
  );
}

function placedTimes({ times, stepMs }: Heat, most: number): PlacedTick[] {
  const start = times[0] ?? 0;
  const end = (times.at(-1) ?? 0) + stepMs;
  const { at, step } = timeTicks(start, end, most);
  return at.map((time) => ({
    at: (time - start) / (end - start),
    label: formatTimeTick(time, step),
  }));
}

/** The heat map, or why there is none. */
export function HeatResult({ heat }: { readonly heat: Heat | null }) {
  if (heat === null) {
    return (
      <p class="mt-3 rounded-lg border border-line bg-surface p-4 text-muted">
        {t(
          "A heat map shows how the values of a histogram are spread; none of these queries asks for one.",
        )}
      </p>
    );
  }
  return (
    <ChartBox class="mt-3">
      <HeatMapChart id="answer" heat={heat} />
    </ChartBox>
  );
}

/**
 * The spread of the values that a query of a histogram asks for.
 *
 * @throws {InvalidQuery} when it has no answer
 */
export async function loadHeat(
  services: QueryServices,
  { projectId, start, end, stepMs, scope }: Omit<QueryRequest, "queries" | "formulas">,
  { metric, kind, unit, filter }: MetricQuery,
): Promise<Heat> {
  const request = { projectId, start, end, stepMs, scope, metric, kind, unit, filter };
  const found = await runHeatmap(services, request);
  return {
    title: filter.length === 0 ? metric : `${metric}, ${formatFilter(filter)}`,
    ucum: found.unit,
    times: found.times,
    stepMs: found.stepMs,
    rows: found.rows.map(({ from, to }, row) => ({
      from,
      to,
      counts: found.columns.map((column) => column?.[row] ?? 0),
    })),
    notes: found.damaged === 0 ? [] : [
      t(
        "{n} stored block could not be read and is left out.|{n} stored blocks could not be read and are left out.",
        { n: found.damaged },
      ),
    ],
  };
}

/** The query that a heat map shows: the first one of a histogram that is not hidden; null without one. */
export function heatQueryOf(
  { queries, hidden, known }: Pick<QueryForm, "queries" | "hidden" | "known">,
): MetricQuery | null {
  return queries.find(({ id, kind, metric }) =>
    !hidden.includes(id) &&
    ((kind ?? known[metric]?.[0]?.kind) === "histogram" || metric.endsWith("_bucket"))
  ) ?? null;
}

interface HeatRow {
  /** Values above `from` up to `to`, in the metric's unit; null: no bound on that side. */
  readonly from: number | null;
  readonly to: number | null;
  /** Observations of each column. */
  readonly counts: readonly number[];
}

export interface Heat {
  readonly title: string;
  /** UCUM of the bounds. */
  readonly ucum: string;
  /** Beginnings of the columns in ms, ascending. */
  readonly times: readonly number[];
  readonly stepMs: number;
  /** From the lowest values to the highest. */
  readonly rows: readonly HeatRow[];
  /** What was coarsened or could not be read. */
  readonly notes: readonly string[];
}

/** How many shades cells have; 0 is no cell. */
export const SHADES = 8;

/** Cells of one shade as SVG path data. */
interface ShadePath {
  /** 1 to {@linkcode SHADES}. */
  readonly shade: number;
  readonly path: string;
}

/**
 * The cells by their shade: the root of their share of the fullest cell, so that rare values still show.
 *
 * @param width of the drawing, in its own units
 * @param height of the drawing
 */
export function shadePaths({ rows, times }: Heat, width: number, height: number): ShadePath[] {
  const most = fullest(rows);
  if (most === 0) return [];
  const cellWidth = width / Math.max(1, times.length);
  const cellHeight = height / Math.max(1, rows.length);
  const paths = Array.from({ length: SHADES + 1 }, () => "");
  rows.forEach(({ counts }, row) => {
    const y = round(height - (row + 1) * cellHeight);
    const shades = counts.map((count) => Math.ceil(Math.sqrt(count / most) * SHADES));
    for (let column = 0; column < shades.length;) {
      const shade = shades[column] ?? 0;
      let end = column + 1;
      while (shades[end] === shade) end++;
      if (shade > 0) {
        const x = round(column * cellWidth);
        const run = round(end * cellWidth - x);
        paths[shade] += `M${x} ${y}h${run}v${round(cellHeight)}h${-run}z`;
      }
      column = end;
    }
  });
  return paths.flatMap((path, shade) => path === "" ? [] : [{ shade, path }]);
}

/** The largest count of a cell. */
export function fullest(rows: readonly HeatRow[]): number {
  return rows.reduce((most, { counts }) => counts.reduce((a, b) => Math.max(a, b), most), 0);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
