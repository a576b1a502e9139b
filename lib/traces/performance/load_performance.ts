import type { SpanCategory } from "../../records/mod.ts";
import type { Sql } from "../../store/database.ts";
import { type Grouped, readStats } from "../../store/stats/read_stats.ts";
import {
  failureRate,
  NO_STATS,
  type Stats,
  type StatsWithout,
  totalTimeOf,
} from "../../store/stats/stats.ts";
import {
  type Course,
  type PageScope,
  readCourse,
  selectionOf,
} from "../../releases/request_scope.ts";
import { before } from "../../store/stats/steps.ts";

/** A transaction by name, and how it did in the time before. */
export interface Ranked {
  readonly name: string;
  readonly now: StatsWithout<"users">;
  readonly before: StatsWithout<"users">;
}

/** How all transactions did, and what of them to look at. */
export interface Performance extends Course {
  readonly slowest: readonly Ranked[];
  readonly mostFailing: readonly Ranked[];
  /** Those that became slower than in the time before. */
  readonly regressions: readonly Ranked[];
  /** Milliseconds that spans of a category took together, the longest first. */
  readonly categories: readonly { readonly category: SpanCategory; readonly ms: number }[];
  /** By its name, as `lcp`. */
  readonly vitals: ReadonlyMap<string, Stats>;
}

const RANKED = 5;
/** Fewer transactions than this tell nothing of a quantile. */
const MIN_COUNT = 20;
/** Slower by this much is a regression: sketches alone are off by two percent. */
const MIN_SLOWDOWN = 1.1;

/** Reads how a project does. */
export async function loadPerformance(sql: Sql, pageScope: PageScope): Promise<Performance> {
  const earlier = before(pageScope.interval);
  const [course, names, earlierNames, categories, vitals] = await Promise.all([
    readCourse(sql, pageScope, selectionOf(pageScope, "total")),
    readStats(sql, selectionOf(pageScope, "transaction"), ["name"], ["users"]),
    readStats(sql, selectionOf(pageScope, "transaction", earlier), ["name"], ["users"]),
    readStats(sql, selectionOf(pageScope, "span"), ["category"], ["sketch", "users"]),
    readStats(sql, selectionOf(pageScope, "vital"), ["op"]),
  ]);
  const ranked = rank(names, earlierNames);
  return {
    ...course,
    slowest: top(ranked.filter(({ now }) => now.count >= MIN_COUNT), p95),
    mostFailing: top(ranked.filter(({ now }) => now.failures > 0), ({ now }) =>
      // The rate alone would put a single failure of a single call on top.
      (failureRate(now) ?? 0) * Math.sqrt(now.failures)),
    regressions: top(ranked.filter(isSlower), addedTime),
    categories: categories.map((stats) => ({
      category: stats.category as SpanCategory,
      ms: totalTimeOf(stats),
    })),
    vitals: new Map(vitals.map((vital) => [vital.op, vital])),
  };
}

function rank(
  names: readonly Grouped<"name", "users">[],
  earlier: readonly Grouped<"name", "users">[],
): Ranked[] {
  const byName = new Map(earlier.map((stats) => [stats.name, stats]));
  return names.map((now) => ({
    name: now.name,
    now,
    before: byName.get(now.name) ?? NO_STATS,
  }));
}

function p95({ now }: Ranked): number {
  return now.sketch.quantile(0.95) ?? 0;
}

function isSlower({ now, before }: Ranked): boolean {
  if (now.count < MIN_COUNT || before.count < MIN_COUNT) return false;
  const [slow, fast] = [now.sketch.quantile(0.95) ?? 0, before.sketch.quantile(0.95) ?? 0];
  return slow > fast * MIN_SLOWDOWN;
}

/** Milliseconds that the slowdown of the slow ones costs in all. */
function addedTime({ now, before }: Ranked): number {
  const [slow, fast] = [now.sketch.quantile(0.95) ?? 0, before.sketch.quantile(0.95) ?? 0];
  return (slow - fast) * now.weight;
}

function top(ranked: readonly Ranked[], by: (each: Ranked) => number): Ranked[] {
  // Quantiles are dear: each once.
  return ranked
    .map((each) => ({ each, value: by(each) }))
    .sort((a, b) => b.value - a.value)
    .slice(0, RANKED)
    .map(({ each }) => each);
}
