import { piecesOf } from "../store/stats/periods.ts";
import { formatDateTime, formatRelative, NONE } from "../ui/format.ts";
import type { Tracing } from "../releases/load_tracing.ts";

export interface LastSeenProps {
  /** Start of the last period with a count; null prints a dash. */
  readonly period: Date | null;
  readonly tracing: Pick<Tracing, "interval" | "now">;
}

const CURRENT = { stat_minutes: "just now", stat_hours: "this hour", stat_days: "today" } as const;

/** When something was last counted, as exactly as counts are kept: within a minute, an hour or a day. */
export function LastSeen({ period, tracing: { interval, now } }: LastSeenProps) {
  if (period === null) return <span>{NONE}</span>;
  const piece = piecesOf(interval, "span", now).find(({ start, end }) =>
    period >= start && period < end
  );
  const periodMs = piece?.periodMs ?? 0;
  const end = new Date(Math.min(now.getTime(), period.getTime() + periodMs));
  const isNow = end.getTime() === now.getTime();
  return (
    <time
      datetime={period.toISOString()}
      title={`Between ${formatDateTime(period)} and ${formatDateTime(end)}`}
      class="whitespace-nowrap"
    >
      {isNow ? CURRENT[piece?.table ?? "stat_minutes"] : formatRelative(end, now)}
    </time>
  );
}
