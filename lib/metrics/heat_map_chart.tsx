import { DataTable } from "../ui/charts/data_table.tsx";
import { type PlacedTick, PLOT_WIDTH, PlotFrame, plotHeight } from "../ui/charts/plot_frame.tsx";
import { timeTicks } from "../ui/charts/ticks.ts";
import { formatBucket, formatTimeTick } from "../ui/charts/value_format.ts";
import { formatCount, formatExact, formatExactOf } from "../ui/format.ts";
import { formatMetric } from "./units.ts";
import { fullest, type Heat, type HeatRow, shadePaths, SHADES } from "./heat.ts";

const HEIGHT = 340;

export interface HeatMapChartProps {
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
          <span class="text-meta text-muted">{`${formatBucket(stepMs)} a column`}</span>
        </figcaption>
        {notes.map((note) => <p key={note} class="text-meta text-muted">{note}</p>)}
        {total > 0 && <ShadeScale most={fullest(rows)} />}
      </div>
      <div class="min-w-0">
        <div class="chart-box mt-1">
          <PlotFrame
            label={`${title}: ${formatExactOf(total, "observations")}`}
            height={height}
            valueTicks={total === 0 ? [] : boundTicks(heat, inner)}
            ticks={{ wide: placedTimes(heat, 8), narrow: placedTimes(heat, 4) }}
            corner="UTC"
          >
            {shadePaths(heat, PLOT_WIDTH, inner).map(({ shade, path }) => (
              <path key={shade} d={path} class="fill-series-1" fill-opacity={shade / SHADES} />
            ))}
          </PlotFrame>
          {(total === 0 || times.length === 0) && <p class="chart-blank">No data in this time</p>}
        </div>
        {total > 0 && <BucketTable heat={heat} total={total} />}
      </div>
    </figure>
  );
}

function ShadeScale({ most }: { readonly most: number }) {
  return (
    <p class="flex items-center gap-1.5 text-meta text-muted">
      {"1 observation"}
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
      {`${formatCount(most)} in a cell`}
    </p>
  );
}

/** Rows over the whole time; those without observations are left out. */
function BucketTable({ heat, total }: { readonly heat: Heat; readonly total: number }) {
  const filled = heat.rows.filter((row) => rowTotal(row) > 0);
  return (
    <DataTable
      caption={heat.title}
      columns={["Values", "Observations", "Share"]}
      rows={filled.toReversed().map((row) => [
        rangeWords(row, heat.ucum),
        formatExact(Math.round(rowTotal(row))),
        `${(rowTotal(row) / total * 100).toFixed(1)}%`,
      ])}
    />
  );
}

function rangeWords({ from, to }: HeatRow, ucum: string): string {
  if (from === null) return `up to ${formatMetric(to, ucum)}`;
  if (to === null) return `above ${formatMetric(from, ucum)}`;
  return `${formatMetric(from, ucum)} to ${formatMetric(to, ucum)}`;
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
