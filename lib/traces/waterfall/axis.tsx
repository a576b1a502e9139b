import { timeTicks } from "./time_axis.ts";
import { percentOf } from "./placement.ts";
import type { Interval } from "../waterfall_data.ts";

interface AxisProps {
  /** The shown time, in milliseconds since the start of the trace. */
  readonly view: Interval;
  /** How many labels there is room for. */
  readonly labels: number;
}

/** The head of the waterfall with its time axis; a row of its own. */
export function AxisRow({ view, labels }: AxisProps) {
  const ticks = timeTicks(view, labels);
  return (
    <div role="row" aria-rowindex={1} class="trace-row trace-head">
      <div role="columnheader" class="trace-name">Span</div>
      <div role="columnheader" class="trace-time">
        <span class="sr-only">Time</span>
        <svg class="trace-axis" aria-hidden="true">
          {ticks.map(({ time, label }) => {
            const percent = percentOf(time, view);
            // The last label would stick out of the axis.
            const isAtEnd = percent > 92;
            return (
              <text
                key={time}
                x={`${percent}%`}
                y="16"
                dx={isAtEnd ? -4 : 4}
                text-anchor={isAtEnd ? "end" : "start"}
              >
                {label}
              </text>
            );
          })}
        </svg>
      </div>
      <div role="columnheader" class="trace-duration">Duration</div>
    </div>
  );
}

/** A line for each label of the axis, behind all rows. */
export function GridLines({ view, labels }: AxisProps) {
  return (
    <svg class="trace-grid" aria-hidden="true">
      {timeTicks(view, labels).map(({ time }) => {
        const x = `${percentOf(time, view)}%`;
        return <line key={time} x1={x} x2={x} y1="0" y2="100%" />;
      })}
    </svg>
  );
}
