/** Runs that ended elsewhere, as an import brings them: history, which opens no incident and moves no expected time. */
import type { Sql, Transaction } from "../../store/database.ts";
import { type Columns, incoming } from "../../store/write_rows.ts";
import { lockMonitor } from "./apply.ts";
import { MAX_LOG_LENGTH, type Run } from "./save_run.ts";

export const PAST_STATUSES = ["ok", "error", "unknown", "missed", "timeout"] as const;

export interface PastRun extends Omit<Run, "status"> {
  readonly status: typeof PAST_STATUSES[number];
  readonly release: string;
  readonly traceId: string | null;
  readonly receivedAt: Date;
  readonly expectedAt: Date | null;
  /** The monitor's settings of then, as JSON text. */
  readonly config: string | null;
  readonly log: string | null;
  readonly isOurs: boolean;
  readonly isUncertain: boolean;
}

/**
 * Keeps runs whose ids are not known; monitors and environments that they name are made.
 *
 * @returns how many are new, and how many found no room: the project has too many monitors
 */
export async function keepPastRuns(
  sql: Sql,
  projectId: string,
  runs: readonly PastRun[],
): Promise<{ readonly kept: number; readonly refused: number }> {
  return await sql.begin(async (tx) => {
    const fitting: PastRun[] = [];
    const byMonitor = [...Map.groupBy(runs, ({ slug }) => slug)];
    // In the order of the writer, which locks them as well.
    for (const [slug, own] of byMonitor.sort(([one], [other]) => one < other ? -1 : 1)) {
      const first = Math.min(...own.map(({ startedAt }) => startedAt.getTime()));
      if (await lockMonitor(tx, projectId, slug, new Date(first)) === null) continue;
      await keepEnvironments(tx, projectId, own);
      fitting.push(...own);
    }
    const kept = fitting.length === 0 ? 0 : await insert(tx, projectId, fitting);
    return { kept, refused: runs.length - fitting.length };
  });
}

async function keepEnvironments(
  tx: Transaction,
  projectId: string,
  runs: readonly PastRun[],
): Promise<void> {
  for (const [environment, own] of Map.groupBy(runs, ({ environment }) => environment)) {
    const times = own.map(({ startedAt }) => startedAt.getTime());
    const [first, last] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
    await tx`
      insert into monitor_environments as known (
        project_id, slug, environment, created_at, last_check_in_at
      ) values (${projectId}, ${own[0]?.slug ?? ""}, ${environment}, ${first}, ${last})
      on conflict (project_id, slug, environment) do update
        set last_check_in_at = greatest(known.last_check_in_at, excluded.last_check_in_at)
    `;
  }
}

const COLUMNS: Columns<PastRun> = {
  check_in_id: ["uuid", ({ checkInId }) => checkInId],
  monitor_slug: ["text", ({ slug }) => slug],
  environment: ["text", ({ environment }) => environment],
  release: ["text", ({ release }) => release],
  status: ["text", ({ status }) => status],
  started_at: ["timestamptz", ({ startedAt }) => startedAt],
  finished_at: ["timestamptz", ({ finishedAt }) => finishedAt],
  duration_sec: ["double precision", ({ durationSec }) => durationSec],
  trace_id: ["uuid", ({ traceId }) => traceId],
  received_at: ["timestamptz", ({ receivedAt }) => receivedAt],
  has_begun: ["boolean", ({ hasBegun }) => hasBegun],
  expected_at: ["timestamptz", ({ expectedAt }) => expectedAt],
  config: ["text", ({ config }) => config],
  log: ["text", ({ log }) => log?.slice(-MAX_LOG_LENGTH) ?? null],
  is_ours: ["boolean", ({ isOurs }) => isOurs],
  is_uncertain: ["boolean", ({ isUncertain }) => isUncertain],
};

async function insert(
  tx: Transaction,
  projectId: string,
  runs: readonly PastRun[],
): Promise<number> {
  // Citus counts those that were there already.
  const { length } = await tx`
    insert into check_ins (
      project_id, check_in_id, monitor_slug, environment, release, status, started_at, finished_at,
      duration_sec, trace_id, received_at, has_begun, expected_at, config, log, is_ours, is_uncertain
    )
    select ${projectId}::bigint, check_in_id, monitor_slug, environment, release, status, started_at,
      finished_at, duration_sec, trace_id, received_at, has_begun, expected_at, config::jsonb, log,
      is_ours, is_uncertain
    from ${incoming(tx, runs, COLUMNS)}
    on conflict do nothing returning check_in_id
  `;
  return length;
}
