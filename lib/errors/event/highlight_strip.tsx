import type { Highlight } from "./highlights.ts";
import type { SearchLink } from "./tag_panels.tsx";

export interface HighlightStripProps {
  readonly highlights: readonly Highlight[];
  /** Where the issues with a tag are listed. */
  readonly linkTo: SearchLink;
}

/** The few facts of an event that one looks for first, in one row that wraps. */
export function HighlightStrip({ highlights, linkTo }: HighlightStripProps) {
  if (highlights.length === 0) return null;
  return (
    <dl class="flex flex-wrap gap-x-6 gap-y-2">
      {highlights.map(({ label, value, tag }) => (
        <div key={label} class="max-w-64 min-w-0">
          <dt class="text-meta text-muted">{label}</dt>
          <dd class="truncate text-sm" title={value}>
            <bdi>{tag ? <a class="link" href={linkTo(...tag)}>{value}</a> : value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}
