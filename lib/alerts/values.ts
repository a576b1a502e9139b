/** How the values that an alert judges are written. */
import type { AlertSource, ErrorMeasure, TransactionMeasure } from "./rule.ts";
import { formatValue } from "../ui/charts/mod.ts";
import { type MetricScale, scaleOf } from "../metrics/units.ts";
import { unitOfJudged } from "./judged_unit.ts";

/** `duration` in ms, `percent` as a share of 1, `rate` per minute, `times` as a multiple, else a UCUM unit. */
export type ValueKind =
  | "count"
  | "duration"
  | "percent"
  | "rate"
  | "score"
  | "times"
  | { readonly unit: string };

const ERROR_KINDS: Readonly<Record<ErrorMeasure, ValueKind>> = {
  events: "count",
  users: "count",
  new_issue: "count",
  regression: "count",
  spike: "times",
};

const TRANSACTION_KINDS: Readonly<Record<TransactionMeasure, ValueKind>> = {
  p50: "duration",
  p75: "duration",
  p95: "duration",
  p99: "duration",
  failure_rate: "percent",
  throughput: "rate",
  apdex: "score",
  lcp: "duration",
  inp: "duration",
  cls: "score",
  fcp: "duration",
  ttfb: "duration",
};

/** What the values of a source are. */
export function valueKindOf(source: AlertSource): ValueKind {
  switch (source.kind) {
    case "errors":
      return ERROR_KINDS[source.measure];
    case "transactions":
      return TRANSACTION_KINDS[source.measure];
    case "metric":
      return { unit: unitOfJudged(source) };
  }
}

/** How values are drawn: times `factor` they are in `unit`. */
export function scaleOfKind(kind: ValueKind): MetricScale {
  if (typeof kind === "object") return scaleOf(kind.unit);
  return { unit: kind === "times" ? "number:× usual" : kind, factor: 1 };
}

/** A value with its unit, a dash for none. */
export function formatAlertValue(value: number | null, kind: ValueKind): string {
  const { unit, factor } = scaleOfKind(kind);
  return formatValue(value === null ? null : value * factor, unit);
}
