/** The time axis of charts: round instants in the reader's time zone. */
import { zoneName } from "../format_time.ts";
import { timeTicks } from "./axis.ts";
import { formatTimeTick } from "./chart_data.ts";
import { type PlacedTick, TickLabels } from "./plot_frame.tsx";

/** How many labels fit below a wide chart, and below one on a phone. */
const LABELS = { wide: 8, narrow: 4 } as const;
/** Beside a chart without a margin, where first and last labels have room beside the zone's name. */
const ROOM = {
  wide: { least: 0.03, most: 0.88 },
  narrow: { least: 0.06, most: 0.78 },
} as const;

interface Span {
  /** ms */
  readonly start: number;
  /** ms */
  readonly end: number;
}

/** The ticks of a time for a wide chart and for a narrow one. */
export function placedTimes(
  span: Span,
): { readonly wide: readonly PlacedTick[]; readonly narrow: readonly PlacedTick[] } {
  return { wide: placed(span, LABELS.wide), narrow: placed(span, LABELS.narrow) };
}

function placed({ start, end }: Span, most: number): PlacedTick[] {
  const { at, step } = timeTicks(start, end, most);
  return at.map((time) => ({
    at: (time - start) / (end - start),
    label: formatTimeTick(time, step),
  }));
}

const HEIGHT = 18;

/** The axis as a row of its own, as wide as the chart above it, with the zone at its end. */
export function TimeAxis(span: Span) {
  const { wide, narrow } = placedTimes(span);
  const y = HEIGHT - 5;
  return (
    <svg height={HEIGHT} class="block w-full overflow-visible" aria-hidden="true">
      <TickLabels ticks={wide} {...ROOM.wide} y={y} class="chart-wide" />
      <TickLabels ticks={narrow} {...ROOM.narrow} y={y} class="chart-narrow" />
      <text x="100%" y={y} text-anchor="end" class="fill-muted text-meta tabular-nums">
        {zoneName()}
      </text>
    </svg>
  );
}
