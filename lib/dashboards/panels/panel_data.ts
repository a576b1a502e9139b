import { type Message, t } from "../../core/language/translate.ts";
import { type Heat, type QueryResult, queryWords } from "../../metrics/mod.ts";
import type { PageScope } from "../../releases/request_scope.ts";
import { apdex, failureRate, type Stats } from "../../store/stats/stats.ts";
import { minutesOf, quantilesOf, ratesOf, type Steps } from "../../store/stats/steps.ts";
import type { ChartSeries, ChartUnit } from "../../ui/charts/mod.ts";
import type { Measure, MetricsPanel, Panel } from "../content.ts";

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

/** The title of a panel; without one of its own, what it shows. */
export function panelTitle(panel: Panel): string {
  if (panel.title.trim() !== "") return panel.title;
  switch (panel.kind) {
    case "metrics":
      return panel.queries.map(queryWords).join("; ");
    case "errors":
      return panel.search === "" ? t("Errors") : t("Errors: {search}", { search: panel.search });
    case "transactions":
      return panel.transaction === ""
        ? t(MEASURE_WORDS[panel.measure])
        : t("{measure} of {transaction}", {
          measure: t(MEASURE_WORDS[panel.measure]),
          transaction: panel.transaction,
        });
    case "text":
      return t("Text");
  }
}

export const MEASURE_WORDS: Readonly<Record<Measure, Message>> = {
  throughput: "Throughput",
  p50: "Duration, p50",
  p95: "Duration, p95",
  p99: "Duration, p99",
  failure_rate: "Failure rate",
  apdex: "Apdex",
};

/** One measure along time. */
export function measured(
  measure: Measure,
  pageScope: PageScope,
  total: Stats,
  steps: Steps,
): { readonly unit: ChartUnit; readonly series: ChartSeries } {
  switch (measure) {
    case "throughput": {
      const whole = total.weight / minutesOf(pageScope.interval, pageScope.now);
      return {
        unit: "rate",
        series: { label: t("throughput"), values: ratesOf(steps), kind: "area", whole },
      };
    }
    case "failure_rate":
      return {
        unit: "percent",
        series: {
          label: t("failed"),
          values: steps.stats.map(failureRate),
          whole: failureRate(total),
          kind: "area",
          color: "danger",
        },
      };
    case "apdex":
      return {
        unit: "score",
        series: {
          label: "Apdex",
          values: steps.stats.map(({ sketch }) => apdex(sketch, pageScope.apdexMs)),
          whole: apdex(total.sketch, pageScope.apdexMs),
          color: 3,
        },
      };
    default: {
      const share = Number(measure.slice(1)) / 100;
      return {
        unit: "duration",
        series: {
          label: measure,
          values: quantilesOf(steps, share),
          whole: total.sketch.quantile(share),
        },
      };
    }
  }
}
