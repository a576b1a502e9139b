import type { Transaction } from "../../store/database.ts";
import { nameOf } from "../../store/values.ts";
import { compareKeys, type OtherRow, type RecordOf } from "./rows.ts";

type CheckInRow = OtherRow<RecordOf<"check_in">>;

/**
 * Begins and ends runs of monitors. The first report of an id says when the run began, the first one that is final
 * how it ended, in whichever order they arrive: SDKs send them side by side. One without an id ends the newest run of
 * its monitor that is still open, else it is a run by itself.
 *
 * @returns the reports that were news
 */
export async function saveCheckIns(
  tx: Transaction,
  rows: readonly CheckInRow[],
): Promise<CheckInRow[]> {
  if (rows.length === 0) return [];
  const sorted = rows.toSorted((a, b) => compareKeys(orderOf(a), orderOf(b)));
  await saveMonitors(tx, sorted);
  // Sent one after the other without waiting: a round trip for all of them.
  const results = await Promise.all(sorted.map((row) => saveOne(tx, row)));
  return sorted.filter((_, index) => results[index]);
}

function orderOf({ projectId, record }: CheckInRow): string {
  return `${projectId}/${record.checkInId ?? ""}/${record.timestamp.toISOString()}`;
}

async function saveOne(tx: Transaction, { projectId, record }: CheckInRow): Promise<boolean> {
  const { checkInId, monitorSlug, status, durationSec, timestamp } = record;
  const isFinal = status !== "in_progress";
  const startedAt = isFinal && durationSec !== null
    ? new Date(timestamp.getTime() - durationSec * 1000)
    : timestamp;
  const environment = nameOf(record.environment);
  const result = await tx`
    insert into check_ins as known (
      project_id, check_in_id, monitor_slug, environment, release, status, started_at, finished_at,
      duration_sec, trace_id, received_at, has_begun
    )
    select
      ${projectId}::bigint,
      coalesce(
        ${checkInId}::uuid,
        (
          select check_in_id from check_ins
          where project_id = ${projectId} and monitor_slug = ${nameOf(monitorSlug)}
            and environment = ${environment} and status = 'in_progress' and ${isFinal}
          order by started_at desc limit 1
        ),
        gen_random_uuid()
      ),
      ${nameOf(monitorSlug)}, ${environment}, ${nameOf(record.release)}, ${status}::text,
      ${startedAt}::timestamptz, ${isFinal ? timestamp : null}::timestamptz,
      ${durationSec}::double precision, ${record.traceId}::uuid, ${record.receivedAt}::timestamptz,
      ${!isFinal}::boolean
    on conflict (project_id, check_in_id) do update set
      status = case when excluded.has_begun then known.status else excluded.status end,
      started_at = least(known.started_at, excluded.started_at),
      finished_at = coalesce(known.finished_at, excluded.finished_at),
      duration_sec = coalesce(
        known.duration_sec,
        excluded.duration_sec,
        greatest(
          extract(epoch from coalesce(known.finished_at, excluded.finished_at)
            - least(known.started_at, excluded.started_at)),
          0
        )
      ),
      has_begun = true
    where case when excluded.has_begun
      then not known.has_begun
      else known.status = 'in_progress'
    end
  `;
  return result.count > 0;
}

async function saveMonitors(tx: Transaction, rows: readonly CheckInRow[]): Promise<void> {
  const newest = new Map<string, CheckInRow>();
  const configs = new Map<string, string>();
  for (const row of rows) {
    const key = `${row.projectId}/${nameOf(row.record.monitorSlug)}`;
    newest.set(key, row);
    if (row.record.monitorConfig !== null) configs.set(key, row.record.monitorConfig);
  }
  const keys = [...newest.keys()].sort();
  const monitors = keys.flatMap((key) => newest.get(key) ?? []);
  await tx`
    insert into monitors as known (project_id, slug, config, first_seen, last_seen)
    select project_id, slug, config::jsonb, seen, seen from unnest(
      ${monitors.map(({ projectId }) => projectId)}::bigint[],
      ${monitors.map(({ record }) => nameOf(record.monitorSlug))}::text[],
      ${keys.map((key) => configs.get(key) ?? null)}::text[],
      ${monitors.map(({ record }) => record.timestamp.toISOString())}::text[]::timestamptz[]
    ) as incoming (project_id, slug, config, seen)
    on conflict (project_id, slug) do update set
      config = coalesce(excluded.config, known.config),
      first_seen = least(known.first_seen, excluded.first_seen),
      last_seen = greatest(known.last_seen, excluded.last_seen)
  `;
}
