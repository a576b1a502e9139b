import { formatDateTime, formatRelative, NONE } from "../format.ts";

export interface RelativeTimeProps {
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
