import { visible } from "../../ui/read.ts";
import { formatDuration, formatExactOf } from "../../ui/format.ts";
import type { LegendEntry } from "./colours.ts";

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
          title={`${formatExactOf(spans, "spans")}, ${failed} failed, ${
            formatDuration(selfMs)
          } self time`}
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
          {`${rest.length} more`}
        </li>
      )}
    </ul>
  );
}
