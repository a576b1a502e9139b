/**
 * Fills an empty database with the large dataset that pages are measured on: in one project 1,000,000 events, 10,000,000
 * spans, 10,000,000 samples, 1,000,000 logs (and 500,000 of another project) and 1,000,000 rows of profiles.
 *
 *   deno run -A test/bench/large_dataset.ts --database=<url>
 *     --share=0.25    so much of the spans, samples, logs and profiles
 */
import { INDEXED_LOGS } from "@/lib/logs/mod.ts";
import { connectServer, type Sql } from "@/lib/store/database.ts";
import { buildSegments } from "@/lib/store/search_index/build_segments.ts";
import { INDEXED_TRANSACTIONS } from "@/lib/traces/mod.ts";
import { fillIssues } from "./fill_issues.ts";
import { fillLogs } from "./fill_logs.ts";
import { figure } from "./figures.ts";
import { compactAll, fillPoints } from "./metrics/fill_points.ts";
import { fillTraces } from "./traces/fill/fill_traces.ts";

const PROJECT = "1";
const DAYS = 30;
const DAY_MS = 86_400_000;

const url = option("database");
if (url === undefined) {
  console.error("Name an empty database: --database=postgres://…");
  Deno.exit(2);
}
const share = Number(option("share") ?? 1);
const sql = connectServer(url);
await timed(
  "spans",
  () => fillTraces(sql, url, { projectId: PROJECT, transactions: 1_000_000 * share, days: DAYS }),
);
await timed("events", () => fillIssues(sql, PROJECT));
await timed("logs", async () => {
  await fillLogs(sql, PROJECT, { count: 1_000_000 * share, days: DAYS });
  await fillLogs(sql, "2", { count: 500_000 * share, days: DAYS });
});
await timed("profiles", () => fillProfiles(sql, 1_000_000 * share));
await timed("samples", () => fillSamples(sql));
await timed("segments", async () => {
  const options = { now: new Date(), stopping: new AbortController().signal };
  await buildSegments(sql, INDEXED_LOGS, PROJECT, options);
  await buildSegments(sql, INDEXED_TRANSACTIONS, PROJECT, options);
});
await sql`vacuum analyze`;
await sql.end();

async function fillSamples(sql: Sql): Promise<void> {
  const now = Math.floor(Date.now() / 60_000) * 60_000;
  const series = (count: number) => Math.max(1, Math.round(count * share));
  const until = { endMs: now };
  await fillPoints(sql, PROJECT, {
    ...{ metric: "memory", seriesCount: series(2_500), intervalMs: 60_000, ...until },
    startMs: now - 7 * 3_600_000,
  });
  await fillPoints(sql, PROJECT, {
    ...{ metric: "duration", seriesCount: series(250), intervalMs: 60_000, ...until },
    startMs: now - 25 * 3_600_000,
  });
  await fillPoints(sql, PROJECT, {
    ...{ metric: "requests", seriesCount: series(1_000), intervalMs: 300_000, ...until },
    startMs: now - DAYS * DAY_MS,
  });
  await compactAll(sql, PROJECT);
}

/** Rows only: their bytes are in no object store, so that graphs of them say so. */
async function fillProfiles(sql: Sql, count: number): Promise<void> {
  await sql`
    insert into profiles (
      project_id, profile_id, "timestamp", received_at, source, kind, service, instance, platform,
      environment, release, duration_ms, samples, types, totals, is_delta, labels, size_bytes, blob_key
    )
    select ${PROJECT}::bigint, gen_random_uuid(), began, began, 'pprof', 'cpu',
      (array['api', 'checkout', 'web'])[1 + id % 3], 'host-' || id % 40, 'go',
      case when id % 10 = 0 then 'staging' else 'production' end, 'shop@2.' || id % 10 || '.0',
      10000, 500, '{samples:count,cpu:nanoseconds}', array[500, 5000000000 + id % 1000], true,
      jsonb_build_object('host', jsonb_build_array('host-' || id % 40)), 20000, 'bench/' || id
    from (
      select id, now() - make_interval(secs => ${DAYS * 86_400}::float8 * id / ${count}) as began
      from generate_series(1, ${count}::int) as id
    ) as made
  `;
}

async function timed(what: string, fill: () => Promise<void>): Promise<void> {
  const began = performance.now();
  await fill();
  figure(what, `${Math.round((performance.now() - began) / 1_000)} s`);
}

function option(name: string): string | undefined {
  const mark = `--${name}=`;
  return Deno.args.find((argument) => argument.startsWith(mark))?.slice(mark.length);
}
