import type { Sql } from "@/lib/store/database.ts";
import {
  readSeriesOverTime,
  readStats,
  readStatsOverTime,
  type SeriesColumn,
  type StatsSelection,
} from "@/lib/store/stats/read_stats.ts";
import {
  environmentsOf,
  releasesOf,
  releaseStarts,
  servicesOf,
} from "@/lib/store/stats/series_names.ts";
import type { SeriesKind } from "@/lib/store/stats/series.ts";
import { listSamples, type SampleOrder } from "@/lib/traces/transactions/transaction_samples.tsx";
import { type PageScope, selectionOf } from "@/lib/releases/request_scope.ts";
import { stepOf } from "@/lib/store/stats/steps.ts";
import { type Load, PROJECT } from "./page_loads.ts";
import { ENDPOINTS } from "./world/shop.ts";

type Where = NonNullable<StatsSelection["where"]>;

/** The single queries behind the pages. */
export function queryLoads(sql: Sql, pageScope: PageScope): Load[] {
  const name = ENDPOINTS.api[0]?.name ?? "";
  const statement = ENDPOINTS.api[0]?.works[0]?.group ?? "";
  const page = ENDPOINTS.web[0]?.name ?? "";
  const sums = (label: string, kind: SeriesKind, where: Where, by: readonly SeriesColumn[]) => ({
    name: `  ${label}`,
    run: () => readStats(sql, selectionOf(pageScope, kind, { where }), by),
  });
  const step = stepOf(pageScope.interval, pageScope.now);
  const along = (label: string, kind: SeriesKind, where: Where, by: readonly SeriesColumn[]) => {
    const selection = selectionOf(pageScope, kind, { where });
    const run = () =>
      by.length === 0
        ? readStatsOverTime(sql, selection, step)
        : readSeriesOverTime(sql, selection, by, step);
    return { name: `  ${label} over time`, run };
  };
  return [
    ...pickerLoads(sql, pageScope),
    sums("totals", "total", {}, []),
    along("totals", "total", {}, []),
    sums("transactions by name", "transaction", {}, ["name"]),
    along("one transaction", "transaction", { name }, []),
    ...sampleLoads(sql, pageScope, name),
    sums("endpoints", "transaction", {}, ["httpMethod", "route", "service", "protocol"]),
    sums("spans by category", "span", {}, ["category"]),
    sums("statements", "span", { category: "db" }, ["name"]),
    along("one statement", "span", { category: "db", name: statement }, []),
    sums("callers of one statement", "caller", { category: "db", name: statement }, ["parent"]),
    sums("vitals", "vital", {}, ["op"]),
    sums("vitals by page", "vital", {}, ["name", "op"]),
    along("vitals of one page", "vital", { name: page }, ["op"]),
  ];
}

function pickerLoads(sql: Sql, { interval }: PageScope): Load[] {
  return [
    { name: "  environments", run: () => environmentsOf(sql, PROJECT.id) },
    { name: "  releases", run: () => releasesOf(sql, PROJECT.id) },
    { name: "  services", run: () => servicesOf(sql, PROJECT.id) },
    { name: "  starts of releases", run: () => releaseStarts(sql, PROJECT.id, interval) },
  ];
}

function sampleLoads(sql: Sql, { scope, interval }: PageScope, name: string): Load[] {
  const selection = {
    ...{ projectId: PROJECT.id, name, minMs: null, maxMs: null },
    ...scope,
    ...interval,
  };
  return (["slowest", "newest", "failed"] as const).map((order: SampleOrder) => ({
    name: `  ${order} samples`,
    run: () => listSamples(sql, selection, order, 20),
  }));
}
