import type { ComponentChildren } from "preact";
import { classes } from "./components/class_names.ts";
import { DEFAULT_RANGE, scopedHref } from "./scope.ts";
import type { Tracing } from "../releases/load_tracing.ts";
import type { Steps } from "../store/stats/steps.ts";

export interface ChartBoxProps {
  /** Places it in the grid of the page. */
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A chart with a border around it. */
export function ChartBox({ class: extra, children }: ChartBoxProps) {
  return (
    <div class={classes("chart-card rounded-lg border border-line bg-surface p-4", extra)}>
      {children}
    </div>
  );
}

/**
 * What all charts of a page have in common: the time, the releases that began in it, one crosshair, and where choosing
 * a time leads.
 *
 * @param keep other parameters of the page
 */
export function alongPage(
  { scope, markers }: Tracing,
  { times, stepMs }: Pick<Steps, "times" | "stepMs">,
  path: string,
  keep: Readonly<Record<string, string | null | undefined>> = {},
) {
  return {
    times,
    bucketMs: stepMs,
    markers,
    syncKey: "page",
    zoomHref: scopedHref(path, { ...scope, range: DEFAULT_RANGE }, keep),
  };
}

/** What {@linkcode alongPage} gives. */
export type AlongPage = ReturnType<typeof alongPage>;
