import type { Metric, MetricKind } from "../../records/mod.ts";
import { LIMITS } from "../metrics/limits.ts";
import { ucumUnit, unitInName } from "../metrics/units.ts";

/** Types of metric families, by their numbers on the wire. */
const TYPES = [
  "unknown",
  "counter",
  "gauge",
  "histogram",
  "gauge_histogram",
  "summary",
  "info",
  "state_set",
] as const;
export type FamilyType = (typeof TYPES)[number];

/** What is known of a family of metrics: `http_seconds` of `http_seconds_bucket`, `http_seconds_sum` … */
export interface Family {
  readonly type: FamilyType;
  /** In words, as `seconds`; `""` when unknown. */
  readonly unit: string;
  readonly help: string;
}

/** Type of a family by its number. */
export function familyType(number: number): FamilyType {
  return TYPES[number] ?? "unknown";
}

/** Number of a type. */
export function numberOfType(type: FamilyType): number {
  return TYPES.indexOf(type);
}

const SUFFIXES = ["total", "bucket", "count", "sum", "created", "info", "gsum", "gcount"];

/** The names that the series of a family may have, its own first. */
export function seriesNames(family: string): string[] {
  return [family, ...SUFFIXES.map((suffix) => `${family}_${suffix}`)];
}

const COUNTS = /_(?:bucket|count|gcount)$/;
const ADDS_UP = /_(?:bucket|count|sum)$/;
const SUFFIX = new RegExp(`_(?:${SUFFIXES.join("|")})$`);
const LOOKS_LIKE_COUNTER = /_(?:total|bucket|count|sum)$/;

/** The names that the family of a series may have, the likeliest first. */
export function familyNames(name: string): string[] {
  return SUFFIX.test(name) ? [name, name.replace(SUFFIX, "")] : [name];
}

/**
 * The metric that a series of numbers belongs to. Where nobody said its type, its name tells: what ends in `_total`,
 * `_count`, `_sum` or `_bucket` adds up, all else is a level.
 */
export function metricOf(name: string, family: Family | null): Metric {
  return {
    name,
    kind: kindOf(name, family?.type ?? "unknown"),
    unit: unitOf(name, family),
    description: (family?.help ?? "").slice(0, LIMITS.description),
  };
}

/** The metric that a series of native histograms belongs to. */
export function histogramOf(name: string, family: Family | null): Metric {
  return { ...metricOf(name, family), kind: "histogram" };
}

function kindOf(name: string, type: FamilyType): MetricKind {
  switch (type) {
    case "counter":
      return name.endsWith("_created") ? "gauge" : "counter";
    case "histogram":
    case "summary":
      return ADDS_UP.test(name) ? "counter" : "gauge";
    case "unknown":
      return LOOKS_LIKE_COUNTER.test(name) ? "counter" : "gauge";
    default:
      return "gauge";
  }
}

function unitOf(name: string, family: Family | null): string {
  if (name.endsWith("_created")) return "s";
  if (COUNTS.test(name)) return "";
  const unit = ucumUnit(family?.unit ?? "");
  return (unit || unitInName(name.replace(/_(?:total|sum|gsum)$/, ""))).slice(0, LIMITS.unit);
}
