import { formatDateTime, formatInstant, formatRelative } from "../format.ts";

export interface ExactTimeProps {
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
