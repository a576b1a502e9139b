import {
  formatCount,
  formatDateTime,
  formatExact,
  formatExactOf,
  formatInstant,
  formatRelative,
  NONE,
} from "../format.ts";

interface CountProps {
  /** null prints a dash. */
  readonly value: number | null;
  /** Noun for the exact value on hover and for screen readers, such as `events`. */
  readonly unit?: string;
}

/** A count in short form with the exact value on hover. */
export function Count({ value, unit }: CountProps) {
  const exact = unit && value !== null ? formatExactOf(value, unit) : formatExact(value);
  return <span class="tabular-nums" title={exact}>{formatCount(value)}</span>;
}

interface ExactTimeProps {
  readonly date: Date;
  /** What is known beyond the date's milliseconds; with it the time has all its digits. */
  readonly nanos?: number;
}

/** A time written out in UTC, how long ago on hover; the page's script adds the viewer's own zone. */
export function ExactTime({ date, nanos }: ExactTimeProps) {
  return (
    <time
      datetime={date.toISOString()}
      title={formatRelative(date)}
      data-exact=""
      class="whitespace-nowrap tabular-nums"
    >
      {nanos === undefined ? formatDateTime(date) : formatInstant(date, nanos)}
    </time>
  );
}

interface RelativeTimeProps {
  /** null prints a dash. */
  readonly date: Date | null;
  /** Moment to count from, for tests. @default now */
  readonly now?: Date;
}

/**
 * `3 min ago`, with the exact time on hover. The page's script (`islands/PageLife.tsx`) finds it by
 * `data-relative`, keeps it current and adds the viewer's own zone to the hover text.
 */
export function RelativeTime({ date, now }: RelativeTimeProps) {
  if (date === null) return <span>{NONE}</span>;
  return (
    <time
      datetime={date.toISOString()}
      title={formatDateTime(date)}
      data-relative=""
      class="whitespace-nowrap"
    >
      {formatRelative(date, now)}
    </time>
  );
}
