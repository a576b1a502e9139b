import type { Highlight } from "./highlights.ts";

export interface HighlightStripProps {
  readonly highlights: readonly Highlight[];
}

/** The few facts of an event that one looks for first, in one row that wraps. */
export function HighlightStrip({ highlights }: HighlightStripProps) {
  if (highlights.length === 0) return null;
  return (
    <dl class="flex flex-wrap gap-x-6 gap-y-2">
      {highlights.map(({ label, value }) => (
        <div key={label} class="max-w-64 min-w-0">
          <dt class="text-meta text-muted">{label}</dt>
          <dd class="truncate text-sm" title={value}>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}
