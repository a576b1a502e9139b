import { formatDateTime, formatRelative } from "../format.ts";

/** A time written out in UTC, how long ago on hover; the page's script adds the viewer's own zone. */
export function ExactTime({ date }: { readonly date: Date }) {
  return (
    <time
      datetime={date.toISOString()}
      title={formatRelative(date)}
      data-exact=""
      class="whitespace-nowrap tabular-nums"
    >
      {formatDateTime(date)}
    </time>
  );
}
