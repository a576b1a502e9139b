/**
 * Runs of cron jobs as the check-ins that ended them, in the words of Sentry's SDKs; what these have no word for stands
 * beside. A run that goes on is left out: elsewhere nobody would end it.
 */
import { BATCH, type ExportSource, linesOf } from "./source.ts";

interface RunRow {
  readonly id: string;
  readonly slug: string;
  readonly environment: string;
  readonly release: string;
  readonly status: string;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly durationSec: number | null;
  readonly traceId: string | null;
  readonly receivedAt: Date;
  readonly expectedAt: Date | null;
  readonly hasBegun: boolean;
  readonly config: unknown;
  readonly log: string | null;
  readonly isOurs: boolean;
  readonly isUncertain: boolean;
}

/** Cursor: the id of the last run. */
export const runs: ExportSource = {
  name: "runs",
  async next({ sql }, { projectId, since, until }, cursor) {
    const rows = await sql<RunRow[]>`
      select check_in_id::text as id, monitor_slug as slug, environment, release, status,
        started_at as "startedAt", finished_at as "finishedAt", duration_sec as "durationSec",
        replace(trace_id::text, '-', '') as "traceId", received_at as "receivedAt",
        expected_at as "expectedAt", has_begun as "hasBegun", config, log, is_ours as "isOurs",
        is_uncertain as "isUncertain"
      from check_ins
      where project_id = ${projectId} and started_at >= ${since} and started_at < ${until}
        and status <> 'in_progress'
        ${cursor === null ? sql`` : sql`and check_in_id > ${cursor}::uuid`}
      order by check_in_id limit ${BATCH}
    `;
    const last = rows.at(-1);
    return {
      cursor: last !== undefined && rows.length === BATCH ? last.id : null,
      counts: { runs: rows.length },
      pieces: linesOf("check_ins.jsonl", rows.map(checkInOf)),
    };
  },
};

function checkInOf(row: RunRow) {
  return {
    type: "check_in",
    check_in_id: row.id.replaceAll("-", ""),
    monitor_slug: row.slug,
    status: row.status,
    duration: row.durationSec,
    environment: row.environment,
    release: row.release,
    monitor_config: row.config,
    ...(row.traceId !== null && { contexts: { trace: { trace_id: row.traceId } } }),
    timestamp: row.startedAt,
    finished: row.finishedAt,
    expected: row.expectedAt,
    received: row.receivedAt,
    log: row.log,
    has_begun: row.hasBegun,
    is_ours: row.isOurs,
    is_uncertain: row.isUncertain,
  };
}
