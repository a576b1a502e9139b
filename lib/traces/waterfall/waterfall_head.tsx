import { message, t } from "../../core/language/translate.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { formatDuration, withDecimalMark } from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import type { Interval } from "../trace_types.ts";
import {
  type LegendEntry,
  percentOf,
  SERIES,
  type TraceModel,
  type TraceNode,
} from "./trace_model.ts";

/** More than fit beside each other; the rest is told in the hover text of the last. */
const MAX_SHOWN = 10;

/** What the colours stand for, and where the time went. */
export function Legend({ entries, label }: {
  readonly entries: readonly LegendEntry[];
  readonly label: string;
}) {
  const rest = entries.slice(MAX_SHOWN);
  return (
    <ul class="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1 text-meta" aria-label={label}>
      {entries.slice(0, MAX_SHOWN).map(({ id, label, colour, spans, failed, selfMs }) => (
        <li
          key={id}
          class={`trace-c${colour} flex min-w-0 items-center gap-1.5`}
          title={t(
            "{n} span, {failed} failed, {self} self time|{n} spans, {failed} failed, {self} self time",
            { n: spans, failed, self: formatDuration(selfMs) },
          )}
        >
          <span class="trace-dot" />
          <bdi class="max-w-48 truncate">{visible(label)}</bdi>
          <span class="text-muted tabular-nums">{formatDuration(selfMs)}</span>
        </li>
      ))}
      {rest.length > 0 && (
        <li
          class="text-muted"
          title={rest.map(({ label }) => visible(label)).join(", ")}
        >
          {t("{n} more", { n: rest.length })}
        </li>
      )}
    </ul>
  );
}

/** Parts of the trace's time that the minimap tells apart. */
const BINS = 160;
const HEIGHT = 36;

interface MinimapProps {
  readonly model: TraceModel;
  /** Number of a span's colour, 1 to 8. */
  readonly colourOf: (node: TraceNode) => number;
}

/** How busy the whole trace is over its time, and where something failed. Decoration: rows say the same. */
export function Minimap({ model, colourOf }: MinimapProps) {
  const { counts, most, failed } = minimapBins(model, BINS, colourOf);
  const below = new Float64Array(BINS);
  return (
    <svg
      class="trace-minimap-plot"
      viewBox={`0 0 ${BINS} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {counts.map((bins, series) => {
        const path = columns(bins, below, most);
        return path && <path key={series} class={`trace-c${series + 1} trace-area`} d={path} />;
      })}
      {failed.length > 0 && (
        <path
          class="trace-area-failed"
          d={failed.map((bin) => `M${bin} 0h1v4h-1z`).join("")}
        />
      )}
    </svg>
  );
}

/** One colour's columns on top of those `below`, which grow by it; runs of one height are one column. */
function columns(bins: Float64Array, below: Float64Array, most: number): string {
  const scale = (HEIGHT - 5) / most;
  let path = "";
  for (let bin = 0; bin < bins.length;) {
    const count = bins[bin] ?? 0;
    const base = below[bin] ?? 0;
    let to = bin + 1;
    while (to < bins.length && bins[to] === count && below[to] === base) to++;
    if (count > 0) {
      const bottom = rounded(HEIGHT - base * scale);
      path += `M${bin} ${bottom}v${rounded(-count * scale)}h${to - bin}V${bottom}z`;
    }
    bin = to;
  }
  for (const [bin, count] of bins.entries()) below[bin] = (below[bin] ?? 0) + count;
  return path;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

interface MinimapBins {
  /** For each colour how many spans are at work in each bin; colour 1 comes first. */
  readonly counts: readonly Float64Array[];
  /** Spans at work in the busiest bin; at least 1. */
  readonly most: number;
  /** Bins with an error or the end of a failed span. */
  readonly failed: readonly number[];
}

/**
 * How busy a trace is over its time, by colour.
 *
 * @param bins how many equal parts the trace's time is cut into
 * @param colourOf number of a span's colour, 1 to 8
 */
export function minimapBins(
  model: TraceModel,
  bins: number,
  colourOf: (node: TraceNode) => number,
): MinimapBins {
  const { nodes, marks, durationMs } = model;
  const binOf = (time: number) =>
    durationMs > 0 ? Math.min(bins - 1, Math.max(0, Math.floor(time / durationMs * bins))) : 0;
  // Steps up and down first, sums after: long spans cost no more than short ones.
  const counts = Array.from({ length: SERIES }, () => new Float64Array(bins + 1));
  const failed = new Set<number>();
  for (const node of nodes) {
    if (node.kind !== "span") continue;
    const steps = counts[colourOf(node) - 1];
    if (!steps) continue;
    const first = binOf(node.start);
    const last = Math.max(first, binOf(node.end));
    steps[first] = (steps[first] ?? 0) + 1;
    steps[last + 1] = (steps[last + 1] ?? 0) - 1;
    if (node.span?.isFailed) failed.add(last);
  }
  for (const { kind, time } of marks) if (kind === "error") failed.add(binOf(time));
  const totals = new Float64Array(bins);
  for (const steps of counts) {
    for (let bin = 0; bin < bins; bin++) {
      steps[bin] = (steps[bin] ?? 0) + (bin > 0 ? steps[bin - 1] ?? 0 : 0);
      totals[bin] = (totals[bin] ?? 0) + (steps[bin] ?? 0);
    }
  }
  return {
    counts: counts.map((steps) => steps.subarray(0, bins)),
    most: Math.max(1, ...totals),
    failed: [...failed].sort((a, b) => a - b),
  };
}

/** Less than that is a click that trembled. */
const LEAST_DRAG_PX = 4;

interface BrushProps {
  /** All that can be shown. */
  readonly whole: Interval;
  /** What is shown. */
  readonly view: Interval;
  readonly onZoom: (view: Interval) => void;
  /** What lies under it. */
  readonly children: ComponentChildren;
}

/** Dragging over the minimap chooses the shown time; a double click shows all of it. Keys and buttons can as well. */
export function Brush({ whole, view, onZoom, children }: BrushProps) {
  const box = useRef<HTMLDivElement>(null);
  const from = useRef<number | null>(null);
  const [dragged, setDragged] = useState<Interval | null>(null);

  const timeAt = (clientX: number): number => {
    const { left = 0, width = 1 } = box.current?.getBoundingClientRect() ?? {};
    const share = Math.min(Math.max((clientX - left) / Math.max(width, 1), 0), 1);
    return whole.start + share * (whole.end - whole.start);
  };
  const stretchTo = (clientX: number): Interval | null => {
    if (from.current === null || Math.abs(clientX - from.current) < LEAST_DRAG_PX) return null;
    const [start, end] = [timeAt(from.current), timeAt(clientX)].sort((a, b) => a - b);
    return { start: start ?? whole.start, end: end ?? whole.end };
  };
  const onDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    from.current = event.clientX;
    box.current?.setPointerCapture(event.pointerId);
  };
  const onUp = (event: PointerEvent) => {
    const chosen = stretchTo(event.clientX);
    from.current = null;
    setDragged(null);
    if (chosen) onZoom(chosen);
  };
  const onCancel = () => {
    from.current = null;
    setDragged(null);
  };

  const shown = dragged ?? view;
  const start = percentOf(shown.start, whole);
  const end = percentOf(shown.end, whole);
  const isZoomed = start > 0 || end < 100;
  return (
    <div
      ref={box}
      class="trace-minimap trace-brush"
      title={t("Drag to zoom, double click to show everything")}
      onPointerDown={onDown}
      onPointerMove={({ clientX }) => from.current !== null && setDragged(stretchTo(clientX))}
      onPointerUp={onUp}
      onPointerCancel={onCancel}
      onDblClick={() => onZoom(whole)}
    >
      {children}
      {isZoomed && (
        <svg class="trace-window" aria-hidden="true">
          <rect x="0" width={`${start}%`} height="100%" />
          <rect x={`${end}%`} width={`${100 - end}%`} height="100%" />
          <line x1={`${start}%`} x2={`${start}%`} y1="0" y2="100%" />
          <line x1={`${end}%`} x2={`${end}%`} y1="0" y2="100%" />
        </svg>
      )}
    </div>
  );
}

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
      <div role="columnheader" class="trace-name">{t("Span")}</div>
      <div role="columnheader" class="trace-time">
        <span class="sr-only">{t("Time")}</span>
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
      <div role="columnheader" class="trace-duration">{t("Duration@@narrow")}</div>
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

interface Tick {
  /** Milliseconds since the start of the trace. */
  readonly time: number;
  /** As `250 ms`, `1.5 s`, `2 m 30 s`. */
  readonly label: string;
}

/** Round steps from a minute on; below, they are 1, 2 or 5 of a power of ten. */
const LONG_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 5, 10, 20, 50].map((days) => days * DAY_MS),
];
/** Also below a minute: 10 and 20 divide it, 50 does not. */
const SECOND_STEPS = [10, 15, 30].map((seconds) => seconds * SECOND_MS);
/** Nothing is measured finer. */
const SMALLEST_STEP_MS = 0.001;

/**
 * Round times within an interval.
 *
 * @param atMost how many labels there is room for
 */
export function timeTicks({ start, end }: Interval, atMost: number): Tick[] {
  if (!(end > start) || atMost < 1) return [];
  const step = roundStep((end - start) / atMost);
  const ticks: Tick[] = [];
  const last = Math.floor(end / step + 1e-9);
  for (let count = Math.ceil(start / step - 1e-9); count <= last; count++) {
    const time = count * step;
    ticks.push({ time, label: tickLabel(time, step) });
  }
  return ticks;
}

function roundStep(least: number): number {
  if (least >= 5 * SECOND_MS) {
    const steps = [...SECOND_STEPS, ...LONG_STEPS];
    return steps.find((step) => step >= least) ?? Math.ceil(least / (100 * DAY_MS)) * 100 * DAY_MS;
  }
  const least10 = Math.max(least, SMALLEST_STEP_MS);
  const power = 10 ** Math.floor(Math.log10(least10));
  const factor = [1, 2, 5, 10].find((one) => one * power >= least10 * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** In one unit for times of one size, with as many digits as tell neighbours apart. */
function tickLabel(time: number, step: number): string {
  if (time === 0) return "0";
  if (Math.abs(time) >= MINUTE_MS) return longLabel(time, step);
  const [size, words] = Math.abs(time) >= SECOND_MS
    ? [SECOND_MS, message("{time} s")]
    : Math.abs(time) >= 1
    ? [1, message("{time} ms")]
    : [0.001, message("{time} µs")];
  return t(words, { time: withDecimalMark(digits(time / size, step / size)) });
}

function longLabel(time: number, step: number): string {
  const days = Math.floor(time / DAY_MS);
  const hours = Math.floor(time / HOUR_MS) % 24;
  const minutes = Math.floor(time / MINUTE_MS) % 60;
  const seconds = (time % MINUTE_MS) / SECOND_MS;
  const parts = [
    days > 0 && t("{n} d", { n: days }),
    hours > 0 && t("{n} h", { n: hours }),
    minutes > 0 && t("{n} m", { n: minutes }),
    step < MINUTE_MS && Number(digits(seconds, step / SECOND_MS)) > 0 &&
    t("{time} s", { time: withDecimalMark(digits(seconds, step / SECOND_MS)) }),
  ];
  return parts.filter(Boolean).join(" ");
}

function digits(value: number, step: number): string {
  const decimals = Math.min(6, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  return String(Number(value.toFixed(decimals)));
}
