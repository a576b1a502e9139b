import type { LegendToggles } from "../metric_legend.tsx";
import type { QueryNames } from "../query_words.ts";

export interface HiddenQueriesProps {
  readonly names: QueryNames;
  readonly toggles: LegendToggles;
}

/** What is not drawn, with links that bring it back; nothing where all is. */
export function HiddenQueries({ names, toggles: { hidden, hrefOf } }: HiddenQueriesProps) {
  if (hidden.length === 0) return null;
  return (
    <p class="mt-2 flex flex-wrap gap-x-4 text-sm text-muted">
      {"Hidden:"}
      {hidden.map((id) => (
        <a key={id} href={hrefOf(id)} class="link">{`show ${id}, ${names[id] ?? ""}`}</a>
      ))}
    </p>
  );
}
