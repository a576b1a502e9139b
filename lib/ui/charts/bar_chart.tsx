import { type Message, t } from "../../core/language/translate.ts";
import { Cell, Row, Table } from "../components/table.tsx";
import { type ChartMarker, formatBucket, formatBucketStart } from "./chart_data.ts";
import { TimeAxis } from "./time_axis.tsx";
import { formatCount, formatExact, formatExactOf, nounOf } from "../format.ts";

/** The drawing's own units; it is stretched to the width it gets, so that nothing shifts later. */
const STEP = 10;
const GAP = 1.5;
const HEIGHT = 100;

/** Of what the counts are made. */
export interface BarPart {
  readonly label: string;
  /** One a bucket; the counts of a bucket add up to its whole. */
  readonly counts: readonly number[];
  /** Its colour, as `fill-series-1`. */
  readonly class: string;
}

interface BarChartProps {
  /** Heading of the chart. */
  readonly title: string;
  /** What is counted: a message with plurals, as `{n} event|{n} events`. */
  readonly unit: Message;
  /** Beginning of the first bucket. */
  readonly start: Date;
  /** When the counting ends: the last bucket may reach beyond it. */
  readonly end: Date;
  /** Width of every bucket in seconds. */
  readonly bucketSec: number;
  /** One count a bucket, oldest first. */
  readonly counts: readonly number[];
  /** From the ground up. @default the whole in one colour */
  readonly parts?: readonly BarPart[];
  /** Vertical lines, such as releases. */
  readonly markers?: readonly ChartMarker[];
}

/** Counts over time as bars drawn on the server, with the same figures as a table behind a toggle. */
export function BarChart(props: BarChartProps) {
  const { title, unit, counts, bucketSec, parts = [] } = props;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const bars = counts.map((count, index) => ({
    count,
    from: new Date(props.start.getTime() + index * bucketSec * 1000),
    parts: parts.map((part) => ({ ...part, count: part.counts[index] ?? 0 })),
  }));
  const lastEnd = new Date(props.start.getTime() + counts.length * bucketSec * 1000);
  const end = props.end < lastEnd ? props.end : lastEnd;
  return (
    <figure class="@container min-w-0">
      <figcaption class="mb-2 flex flex-wrap items-baseline justify-between gap-x-4">
        <span class="font-semibold">{title}</span>
        <span class="text-sm text-muted tabular-nums">
          {t("{total} · {bucket} a bar", {
            total: formatExactOf(total, unit),
            bucket: formatBucket(bucketSec * 1000),
          })}
        </span>
      </figcaption>
      <Plot {...props} bars={bars} total={total} end={end} />
      <TimeAxis start={props.start.getTime()} end={end.getTime()} />
      {total > 0 && (
        <details class="mt-1 text-sm">
          <summary class="inline-block text-meta text-muted underline hover:text-ink">
            {t("Show as a table")}
          </summary>
          <div class="mt-2 max-h-64 overflow-y-auto rounded-md border border-line" tabindex={0}>
            <Table
              caption={title}
              columns={[
                { label: t("From") },
                { label: nounOf(unit), align: "right" },
                ...parts.map(({ label }) => ({ label, align: "right" as const })),
              ]}
            >
              {bars.filter(({ count }) => count > 0).map(({ from, count, parts }) => (
                <Row key={from.getTime()}>
                  <Cell>{formatBucketStart(from.getTime(), bucketSec * 1000)}</Cell>
                  <Cell align="right">{formatExact(count)}</Cell>
                  {parts.map((part) => (
                    <Cell key={part.label} align="right">{formatExact(part.count)}</Cell>
                  ))}
                </Row>
              ))}
            </Table>
            <MarkerList {...props} />
          </div>
        </details>
      )}
    </figure>
  );
}

/** The heads of those markers that lead somewhere, where the pointer reaches them; the table has the same links. */
function MarkerFlags({ markers }: {
  readonly markers: readonly (ChartMarker & { readonly share: number })[];
}) {
  const leading = markers.filter(({ href }) => href !== undefined);
  if (leading.length === 0) return null;
  return (
    <svg aria-hidden="true" class="chart-flags">
      {leading.map(({ at, label, href, share }) => (
        <a key={`${at} ${label}`} href={href} tabindex={-1} class="chart-flag">
          <title>{markerWords({ at, label })}</title>
          <svg x={`${Number((share * 100).toFixed(2))}%`} class="overflow-visible">
            <path d="M-8-6h16v14H-8z" class="fill-transparent" />
            <path d="M-5-3h10L0 5z" />
          </svg>
        </a>
      ))}
    </svg>
  );
}

/** The markers in words, for those who do not see or reach the lines. */
function MarkerList({ markers = [], start, end }: BarChartProps) {
  const shown = markers.filter(({ at }) => at >= start.getTime() && at <= end.getTime());
  if (shown.length === 0) return null;
  return (
    <ul class="space-y-1 border-t border-line px-3 py-2 text-meta text-muted">
      {shown.map(({ at, label, href }) => (
        <li key={`${at} ${label}`}>
          {formatBucketStart(at, 1000)}:{" "}
          {href === undefined ? label : <a class="link" href={href}>{label}</a>}
        </li>
      ))}
    </ul>
  );
}

function markerWords({ at, label }: ChartMarker): string {
  return `${label}, ${formatBucketStart(at, 1000)}`;
}

interface CountedPart extends BarPart {
  readonly count: number;
}

interface PlotProps extends BarChartProps {
  readonly bars: readonly {
    readonly count: number;
    readonly from: Date;
    readonly parts: readonly CountedPart[];
  }[];
  readonly total: number;
}

function Plot({ title, unit, bars, total, start, end, bucketSec, markers = [] }: PlotProps) {
  const peak = Math.max(1, ...bars.map(({ count }) => count));
  const placeOf = (at: number) => (at - start.getTime()) / 1000 / bucketSec * STEP;
  const width = bars.length === 0 ? STEP : placeOf(end.getTime());
  const shown = markers.map((marker) => ({ ...marker, x: placeOf(marker.at) }))
    .filter(({ x }) => x >= 0 && x <= width);
  const all = formatExactOf(total, unit);
  const words = total === 0 ? `${title}: ${all}` : t("{title}: {all}, at most {peak} in {bucket}", {
    title,
    all,
    peak,
    bucket: formatBucket(bucketSec * 1000),
  });
  return (
    <div class="relative">
      <svg
        role="img"
        aria-label={words}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="none"
        class="block h-28 w-full border-b border-line-strong"
      >
        <line x2={width} class="stroke-line" vector-effect="non-scaling-stroke" />
        <line x2={width} y1="50" y2="50" class="stroke-line" vector-effect="non-scaling-stroke" />
        {bars.map(({ count, from, parts }, index) => (
          <Bar
            key={index}
            x={index * STEP}
            width={Math.max(0, Math.min(STEP, width - index * STEP))}
            share={count / peak}
            parts={parts.length > 0 ? parts : [{ ...WHOLE, count }]}
          >
            {[
              `${formatBucketStart(from.getTime(), bucketSec * 1000)}: ${
                formatExactOf(count, unit)
              }`,
              ...parts.filter(({ count }) => count > 0)
                .map(({ label, count }) => `${label} ${formatExact(count)}`),
            ].join("\n")}
          </Bar>
        ))}
        {shown.map(({ at, label, x }) => (
          <line
            key={`${at} ${label}`}
            x1={x}
            x2={x}
            y2={HEIGHT}
            class="chart-marker"
            vector-effect="non-scaling-stroke"
          >
            <title>{markerWords({ at, label })}</title>
          </line>
        ))}
      </svg>
      <MarkerFlags markers={shown.map((marker) => ({ ...marker, share: marker.x / width }))} />
      {total > 0
        ? (
          <span class="pointer-events-none absolute top-0.5 left-0 bg-surface/80 px-0.5 text-meta text-muted tabular-nums">
            {formatCount(peak)}
          </span>
        )
        : (
          <span class="chart-halo-text absolute inset-0 flex items-center justify-center text-sm text-muted">
            {t("No {unit} in this time", { unit: nounOf(unit) })}
          </span>
        )}
    </div>
  );
}

const WHOLE = { label: "", counts: [], class: "fill-series-1" } as const;

interface BarProps {
  readonly x: number;
  readonly width: number;
  /** Of the highest bar. */
  readonly share: number;
  readonly parts: readonly CountedPart[];
  readonly children: string;
}

/** One bar with an invisible full-height partner, so that small bars are as easy to hover as tall ones. */
function Bar({ x, width, share, parts, children }: BarProps) {
  const gap = Math.min(GAP, width / 4);
  let top = HEIGHT;
  return (
    <g class="group/bar">
      <title>{children}</title>
      <rect
        x={x}
        width={width}
        height={HEIGHT}
        class="fill-transparent group-hover/bar:fill-hover"
      />
      {heightsOf(share, parts).map((height, place) => {
        if (height === 0) return null;
        top -= height;
        return (
          <rect
            key={place}
            x={x + gap / 2}
            y={Number(top.toFixed(2))}
            width={width - gap}
            height={Number(height.toFixed(2))}
            class={parts[place]?.class}
          />
        );
      })}
    </g>
  );
}

/** The least that is seen, in the drawing's own units. */
const LEAST = 2;

/** How high the parts of a bar are: one log among thousands shows as well, at the cost of the largest. */
function heightsOf(share: number, parts: readonly CountedPart[]): number[] {
  const whole = parts.reduce((sum, { count }) => sum + count, 0);
  if (whole === 0) return [];
  const height = Math.max(LEAST, share * HEIGHT);
  const heights = parts.map(({ count }) =>
    count === 0 ? 0 : Math.max(LEAST, count / whole * height)
  );
  const excess = heights.reduce((sum, each) => sum + each, 0) - height;
  const largest = heights.indexOf(Math.max(...heights));
  return heights.map((each, place) => place === largest ? Math.max(LEAST, each - excess) : each);
}

/** Width of one bar and its gap in the drawing's own units. */
const SPARKLINE_STEP = 4;
const SPARKLINE_HEIGHT = 20;

interface SparklineProps {
  /** Counts per bucket, oldest first. */
  readonly counts: readonly number[];
  /** What is counted and over which time, as "errors in the last 24 hours". */
  readonly label: Message;
}

/** Small bars without axes; total and peak are read out and shown on hover. */
export function Sparkline({ counts, label }: SparklineProps) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const peak = Math.max(1, ...counts);
  const all = formatExactOf(total, label);
  const words = total === 0 ? all : t("{all}, at most {peak} in one bar", { all, peak });
  return (
    <svg
      role="img"
      aria-label={words}
      width={counts.length * SPARKLINE_STEP}
      height={SPARKLINE_HEIGHT}
      viewBox={`0 0 ${counts.length * SPARKLINE_STEP} ${SPARKLINE_HEIGHT}`}
      class="inline-block align-middle"
    >
      <title>{words}</title>
      <rect
        y={SPARKLINE_HEIGHT - 1}
        width={counts.length * SPARKLINE_STEP}
        height="1"
        class="fill-line"
      />
      {counts.map((count, index) => {
        if (count <= 0) return null;
        // A single event among thousands still shows.
        const height = Math.max(2, (count / peak) * SPARKLINE_HEIGHT);
        return (
          <rect
            key={index}
            x={index * SPARKLINE_STEP + 0.5}
            y={SPARKLINE_HEIGHT - height}
            width={SPARKLINE_STEP - 1}
            height={height}
            class="fill-series-1"
          />
        );
      })}
    </svg>
  );
}
