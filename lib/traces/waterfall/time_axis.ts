import type { Interval } from "../waterfall_data.ts";

export interface Tick {
  /** Milliseconds since the start of the trace. */
  readonly time: number;
  /** As `250 ms`, `1.5 s`, `2 m 30 s`. */
  readonly label: string;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
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
  const [size, unit] = Math.abs(time) >= SECOND_MS
    ? [SECOND_MS, "s"]
    : Math.abs(time) >= 1
    ? [1, "ms"]
    : [0.001, "µs"];
  return `${digits(time / size, step / size)} ${unit}`;
}

function longLabel(time: number, step: number): string {
  const days = Math.floor(time / DAY_MS);
  const hours = Math.floor(time / HOUR_MS) % 24;
  const minutes = Math.floor(time / MINUTE_MS) % 60;
  const seconds = (time % MINUTE_MS) / SECOND_MS;
  const parts = [
    days > 0 && `${days} d`,
    hours > 0 && `${hours} h`,
    minutes > 0 && `${minutes} m`,
    step < MINUTE_MS && Number(digits(seconds, step / SECOND_MS)) > 0 &&
    `${digits(seconds, step / SECOND_MS)} s`,
  ];
  return parts.filter(Boolean).join(" ");
}

function digits(value: number, step: number): string {
  const decimals = Math.min(6, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  return String(Number(value.toFixed(decimals)));
}
