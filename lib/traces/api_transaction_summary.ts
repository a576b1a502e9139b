import type { ProjectAccess } from "../accounts/authorize.ts";
import { readStats, readStatsOverTime } from "../store/stats/read_stats.ts";
import {
  apdex,
  averageOf,
  failureRate,
  NO_STATS,
  type Stats,
  type StatsWithout,
  totalTimeOf,
} from "../store/stats/stats.ts";
import {
  listSamples,
  type SampleOrder,
  type TransactionSample,
} from "./transactions/transaction_samples.tsx";
import { type PageScope, readApiScope, selectionOf } from "../releases/request_scope.ts";
import { alongInterval, minutesOf, stepOf, type Steps } from "../store/stats/steps.ts";
import { coarser } from "./transactions/load_summary.ts";
import type { ApiContext } from "../api/route.ts";
import { quantilesJson, rounded } from "../api/lists.ts";
import { statusesJson } from "./endpoints/load_endpoints.ts";

const SAMPLES = 20;

/** One transaction by its `name`: figures, durations as a histogram, figures along the time, samples. */
export async function transactionSummaryReply(
  ctx: ApiContext,
  access: ProjectAccess,
  { query: { name, samples: order } }: {
    readonly query: { readonly name: string; readonly samples: SampleOrder };
  },
) {
  const pageScope = readApiScope(ctx, access);
  const { sql } = ctx.state.services;
  const { project, scope, interval, now, apdexMs } = pageScope;
  const selection = selectionOf(pageScope, "transaction", { where: { name } });
  const stepMs = stepOf(interval, now);
  const [totals, kinds, points, samples] = await Promise.all([
    readStats(sql, selection, []),
    readStats(sql, selection, ["op", "protocol"]),
    readStatsOverTime(sql, selection, stepMs),
    listSamples(
      sql,
      { projectId: project.id, ...scope, ...interval, name, minMs: null, maxMs: null },
      order,
      SAMPLES,
    ),
  ]);
  const total = totals[0] ?? NO_STATS;
  return {
    name,
    ops: [...new Set(kinds.map(({ op }) => op))],
    protocols: [...new Set(kinds.map(({ protocol }) => protocol))],
    start: interval.start,
    end: interval.end,
    stats: totalJson(total, pageScope),
    histogram: histogramJson(total),
    series: seriesJson(alongInterval(points, interval, stepMs, now), apdexMs),
    samples: samples.map(sampleJson),
  };
}

function totalJson(stats: Stats, { interval, now, apdexMs }: PageScope) {
  return {
    ...figuresJson(stats, minutesOf(interval, now), apdexMs),
    apdexThreshold: apdexMs,
    /** Without what was sampled away: how many the shares and durations are made of. */
    stored: stats.count,
    average: rounded(averageOf(stats)),
    totalTime: rounded(totalTimeOf(stats)),
    users: stats.users,
    statuses: statusesJson(stats),
  };
}

/** What took no time is in none of the bars above 0. */
function histogramJson({ sketch }: Stats) {
  const buckets = sketch.buckets();
  const zeros = buckets.filter(({ to }) => to === 0);
  return [...zeros, ...coarser(buckets.filter(({ to }) => to > 0))].map(({ from, to, count }) => (
    { from: rounded(from), to: rounded(to), count }
  ));
}

function seriesJson({ stepMs, times, stats, minutes }: Steps, apdexMs: number) {
  return {
    step: stepMs,
    points: times.map((time, place) => ({
      start: new Date(time),
      ...figuresJson(stats[place] ?? NO_STATS, minutes[place] ?? 1, apdexMs),
    })),
  };
}

function figuresJson(stats: StatsWithout<"users">, minutes: number, apdexMs: number) {
  return {
    count: Math.round(stats.weight),
    tpm: stats.weight / minutes,
    failureRate: failureRate(stats),
    apdex: rounded(apdex(stats.sketch, apdexMs)),
    ...quantilesJson(stats),
  };
}

function sampleJson({ startedAt, durationMs, ...sample }: TransactionSample) {
  return { ...sample, start: startedAt, duration: rounded(durationMs) };
}
