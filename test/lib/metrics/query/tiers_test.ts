import assert from "node:assert/strict";
import { compactProject } from "@/lib/metrics/compact/compact_project.ts";
import { runQueries } from "@/lib/metrics/query/run_queries.ts";
import {
  AGGREGATIONS_OF,
  type MetricQuery,
  type QueryResult,
  WHOLE_SCOPE,
} from "@/lib/metrics/query_types.ts";
import type { MetricSeries } from "@/lib/records/mod.ts";
import { testDatabase } from "@/test/support/database.ts";
import {
  counterSeries,
  explicitBuckets,
  gaugeSeries,
  histogramSeries,
  metricBatch,
} from "@/test/support/metric_series.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";
import { testWriter } from "@/test/support/writer.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const PROJECT = "7";
/** Three days, of which the second is whole and rolled up. */
const START_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - 4 * DAY_MS + 17 * 3_600_000;
const POINTS = 33 * 12;
const KINDS = { requests: "counter", memory: "gauge", duration: "histogram" } as const;

/** Every five minutes, not quite on time, with a restart, a silence and an odd second. */
function manySeries(): MetricSeries[] {
  const places = Array.from({ length: POINTS }, (_, place) => place)
    .filter((place) => place % 97 > 3);
  const timeOf = (place: number, host: number) =>
    START_MS + place * 5 * MINUTE_MS + (place % 7) * 1_000 * host;
  return [1, 2, 3].flatMap((host) => {
    const labels = { host: `web-${host}` };
    const bucketsOf = (place: number) =>
      explicitBuckets([0.1, 1, 10], [place % 5, host, place % 3, host - 1]);
    return [
      counterSeries(
        "requests",
        labels,
        places.map((place) => [timeOf(place, host), (place % 150) * 7 * host]),
      ),
      gaugeSeries(
        "memory",
        labels,
        places.map((place) => [timeOf(place, host), 100 + (place * 37 * host) % 50]),
      ),
      histogramSeries(
        "duration",
        labels,
        places.map((place) => [timeOf(place, host), bucketsOf(place), { sum: place % 9 }]),
      ),
    ];
  });
}

Deno.test("answers are the same from points as from minutes and hours", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store(PROJECT, metricBatch(manySeries()));
  const ask = (metric: keyof typeof KINDS, aggregation: MetricQuery["aggregation"], step: number) =>
    runQueries({ sql, log: silentLogger }, {
      projectId: PROJECT,
      start: new Date(START_MS + 90 * MINUTE_MS),
      end: new Date(START_MS + 32.5 * 60 * MINUTE_MS),
      stepMs: step * MINUTE_MS,
      scope: WHOLE_SCOPE,
      queries: [
        { ...NO_QUERY, id: "a", metric, aggregation },
        { ...NO_QUERY, id: "b", metric, aggregation, groupBy: ["host"] },
      ],
      formulas: [],
      comparesPrevious: false,
    });
  const askAll = async () => {
    const answers = new Map<string, QueryResult>();
    for (const metric of ["requests", "memory", "duration"] as const) {
      for (const aggregation of AGGREGATIONS_OF[KINDS[metric]]) {
        for (const step of [5, 60, 180]) {
          answers.set(
            `${aggregation} of ${metric} by ${step}`,
            await ask(metric, aggregation, step),
          );
        }
      }
    }
    return answers;
  };
  const fromPoints = await askAll();
  const stopping = new AbortController().signal;
  const compact = { now: new Date(), stopping };
  const services = { sql, log: silentLogger };
  for (let isPacking = true, isMore = true; isMore; isPacking = false) {
    isMore = await compactProject(services, PROJECT, { ...compact, isPacking });
  }
  const tiers = await sql<{ tier: number }[]>`
    select tier from metric_blocks group by tier order by tier
  `;
  assert.deepEqual(tiers.map(({ tier }) => tier), [0, 1, 2]);
  for (const [question, answer] of await askAll()) {
    assertNear(answer, fromPoints.get(question), question);
  }
});

const NO_QUERY = { kind: null, unit: null, filter: [], groupBy: [], top: 10 } as const;

/** Sums of the same numbers in another order may differ in the last digits. */
function assertNear(found: unknown, wanted: unknown, place: string): void {
  if (typeof found === "number" && typeof wanted === "number") {
    const difference = Math.abs(found - wanted);
    assert.ok(difference <= 1e-9 * Math.max(1, Math.abs(wanted)), `${place}: ${found}, ${wanted}`);
  } else if (typeof found === "object" && found !== null && typeof wanted === "object") {
    assert.deepEqual(Object.keys(found), Object.keys(wanted ?? {}), place);
    for (const [key, value] of Object.entries(found)) {
      assertNear(value, (wanted as Record<string, unknown>)[key], `${place}.${key}`);
    }
  } else {
    assert.equal(found, wanted, place);
  }
}
