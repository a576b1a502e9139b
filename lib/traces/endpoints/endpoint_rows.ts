import { endpointKey } from "../../formats/spans/endpoint.ts";
import type { Grouped } from "../../store/stats/read_stats.ts";
import { Sketch } from "../../store/stats/sketch.ts";
import { apdex } from "../../store/stats/stats.ts";
import { answersOf, STATUS_CLASSES } from "./status_classes.ts";

/** Counts of one route as one service and protocol tell it. */
export type EndpointPart = Grouped<"httpMethod" | "route" | "service" | "protocol", "users">;

/** What the list shows of one endpoint. */
export interface EndpointRow {
  /** See `endpointKey()`. */
  readonly key: string;
  readonly method: string;
  /** The template of the framework with most requests. */
  readonly route: string;
  /** All templates, most requests first. */
  readonly routes: readonly string[];
  /** Those that have a name, most requests first. */
  readonly services: readonly string[];
  /** `sentry`, `otlp`. */
  readonly protocols: readonly string[];
  /** With what was sampled away. */
  readonly requests: number;
  /** Without it. */
  readonly stored: number;
  readonly perMinute: number;
  /** By `STATUS_CLASSES`, with what was sampled away. */
  readonly answers: readonly number[];
  readonly failureRate: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly apdex: number | null;
  readonly lastSeen: Date | null;
}

/**
 * Puts together what is one endpoint, whichever framework, service or protocol tells of it; what is no HTTP endpoint is
 * left out.
 *
 * @param minutes that the counts cover
 * @param apdexMs what satisfies
 */
export function endpointRows(
  parts: readonly EndpointPart[],
  minutes: number,
  apdexMs: number,
): EndpointRow[] {
  const byKey = Map.groupBy(parts, ({ httpMethod, route }) => endpointKey(httpMethod, route));
  byKey.delete("");
  return [...byKey].map(([key, group]) => rowOf(key, group, minutes, apdexMs));
}

function rowOf(
  key: string,
  parts: readonly EndpointPart[],
  minutes: number,
  apdexMs: number,
): EndpointRow {
  const sum = (of: (part: EndpointPart) => number) =>
    parts.reduce((total, part) => total + of(part), 0);
  const sketch = new Sketch();
  for (const part of parts) sketch.merge(part.sketch);
  const [requests, count] = [sum(({ weight }) => weight), sum((part) => part.count)];
  const routes = byWeight(parts, ({ route }) => route);
  const seen = parts.flatMap(({ lastSeen }) => lastSeen === null ? [] : [lastSeen.getTime()]);
  return {
    key,
    method: key.slice(0, key.indexOf(" ")),
    route: routes[0] ?? "",
    routes,
    services: byWeight(parts, ({ service }) => service).filter((service) => service !== ""),
    protocols: byWeight(parts, ({ protocol }) => protocol),
    requests,
    stored: count,
    perMinute: requests / minutes,
    answers: STATUS_CLASSES.map((_, place) => sum((part) => answersOf(part)[place] ?? 0)),
    failureRate: count === 0 ? null : sum(({ failures }) => failures) / count,
    p50: sketch.quantile(0.5),
    p95: sketch.quantile(0.95),
    p99: sketch.quantile(0.99),
    apdex: apdex(sketch, apdexMs),
    lastSeen: seen.length === 0 ? null : new Date(Math.max(...seen)),
  };
}

/** Values of a column, those of most requests first. */
export function byWeight<P extends { readonly weight: number }>(
  parts: readonly P[],
  column: (part: P) => string,
): string[] {
  const weights = new Map<string, number>();
  for (const part of parts) {
    weights.set(column(part), (weights.get(column(part)) ?? 0) + part.weight);
  }
  return [...weights].sort(([, a], [, b]) => b - a).map(([value]) => value);
}
