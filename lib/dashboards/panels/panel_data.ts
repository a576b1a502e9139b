import type { MetricsPanel } from "../content.ts";
import type { QueryResult } from "../../metrics/query_types.ts";
import type { Heat } from "../../metrics/heat.ts";
import type { Stats } from "../../store/stats/stats.ts";
import type { Steps } from "../../store/stats/steps.ts";

/** What a panel shows, or why it does not. */
export type PanelData =
  | {
    readonly kind: "metrics";
    /** With the chosen values of variables in its filters. */
    readonly panel: MetricsPanel;
    readonly result: QueryResult;
  }
  | {
    /** A metrics panel that is drawn as a heat map. */
    readonly kind: "heat";
    readonly panel: MetricsPanel;
    /** Null: none of its queries asks for a histogram. */
    readonly heat: Heat | null;
  }
  | {
    readonly kind: "errors";
    /** Beginnings of the buckets in ms. */
    readonly times: readonly number[];
    readonly bucketMs: number;
    readonly counts: readonly number[];
    /** Parts of the search that mean nothing, as sentences. */
    readonly problems: readonly string[];
  }
  | { readonly kind: "transactions"; readonly total: Stats; readonly steps: Steps }
  | { readonly kind: "text" }
  | {
    readonly kind: "failed";
    /** What whoever looks can do about it. */
    readonly sentence: string;
  };
