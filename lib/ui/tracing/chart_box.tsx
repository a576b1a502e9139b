import type { ComponentChildren } from "preact";
import { DEFAULT_RANGE, scopedHref } from "../scope.ts";
import type { Tracing } from "./load_tracing.ts";
import type { Steps } from "./steps.ts";

/** A chart with a border around it. */
export function ChartBox({ children }: { readonly children: ComponentChildren }) {
  return <div class="min-w-0 rounded-lg border border-line bg-surface p-4">{children}</div>;
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
