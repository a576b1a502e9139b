import { classes } from "../../ui/components/class_names.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { exploreHref, type View } from "../paths.ts";
import type { QueryForm } from "../query_form/load_query_form.ts";
import { heatQueryOf } from "../heat_query.ts";

export interface ViewLinksProps {
  readonly tracing: Tracing;
  readonly form: QueryForm;
}

const NAMES: Readonly<Record<View, string>> = {
  line: "Lines",
  area: "Areas",
  bars: "Bars",
  table: "Table",
  value: "Values",
  heatmap: "Heat map",
};

/** How the answer is shown; the heat map is offered for distributions alone. */
export function ViewLinks({ tracing: { project, scope }, form }: ViewLinksProps) {
  const views = (Object.keys(NAMES) as View[]).filter((view) =>
    view !== "heatmap" || view === form.view || heatQueryOf(form) !== null
  );
  return (
    <nav aria-label="Views" class="flex flex-wrap gap-1.5 text-sm">
      {views.map((view) => (
        <a
          key={view}
          href={exploreHref(project.id, { ...form, view }, scope)}
          aria-current={view === form.view ? "true" : undefined}
          class={classes(
            "inline-flex h-7 items-center rounded-md border px-2.5",
            view === form.view ? "border-accent text-accent" : "border-line-strong hover:bg-hover",
          )}
        >
          {NAMES[view]}
        </a>
      ))}
    </nav>
  );
}
