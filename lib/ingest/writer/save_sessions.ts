import type { Transaction } from "../../store/database.ts";
import type { SessionStatus } from "../../records/mod.ts";
import { nameOf, type OtherRow, type RecordOf } from "./record_row.ts";
import { SessionTally } from "./session_tally.ts";

type UpdateRow = OtherRow<RecordOf<"session">>;
type CountsRow = OtherRow<RecordOf<"sessions">>;

/** How a session ended, the worst word that applies; null when nothing was wrong. */
export type SessionFault = "errored" | "unhandled" | "abnormal" | "crashed";

interface State {
  readonly seq: number;
  readonly status: SessionStatus;
  readonly errors: number;
}

interface StoredState extends State {
  readonly projectId: string;
  readonly sessionId: string;
  readonly startedAt: Date;
  readonly release: string;
  readonly environment: string;
  readonly userHash: string | null;
}

/** A placeholder has this until its first update is written over it, in the same transaction. */
const UNSEEN = -1;

/**
 * Merges updates of single sessions into what is stored; the highest `seq` holds, whatever order they come in. The
 * counts by hour and user change by the difference, and are saved along.
 *
 * @returns the updates that were news; the others are stale or repeats
 */
export async function saveSessions(
  tx: Transaction,
  rows: readonly UpdateRow[],
  tally: SessionTally,
): Promise<UpdateRow[]> {
  const sorted = rows.toSorted((a, b) => compare(keyOf(a), keyOf(b)));
  // Sent together; the second sees the rows of the first.
  const [, states] = sorted.length === 0
    ? [null, new Map<string, StoredState>()]
    : await Promise.all([reserve(tx, sorted), lock(tx, sorted)]);
  const stored: UpdateRow[] = [];
  const changed = new Map<string, UpdateRow>();
  for (const row of sorted.toSorted((a, b) => a.record.seq - b.record.seq)) {
    const key = keyOf(row);
    const state = states.get(key);
    if (state === undefined || row.record.seq <= state.seq) continue;
    const { seq, status, errors } = row.record;
    tally.change(state, state.seq === UNSEEN, faultOf(state), faultOf(row.record));
    states.set(key, { ...state, seq, status, errors });
    changed.set(key, row);
    stored.push(row);
  }
  const news = [...changed.values()].toSorted((a, b) => compare(keyOf(a), keyOf(b)));
  await Promise.all([news.length > 0 && write(tx, news), tally.save(tx)]);
  return stored;
}

/** Adds what servers counted themselves. */
export function countSessions(rows: readonly CountsRow[], tally: SessionTally): void {
  for (const { projectId, record } of rows) {
    const place = { projectId, release: record.release, environment: record.environment };
    for (const { startedAt, userHash, exited, ...faults } of record.aggregates) {
      tally.add({ ...place, startedAt, userHash }, exited, faults);
    }
  }
}

function faultOf({ seq, status, errors }: State): SessionFault | null {
  if (seq === UNSEEN) return null;
  if (status === "crashed" || status === "abnormal" || status === "unhandled") return status;
  return status === "errored" || errors > 0 ? "errored" : null;
}

function keyOf({ projectId, record }: UpdateRow): string {
  return `${projectId}/${record.sessionId}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A row for every session, so that two writers that meet a new one wait for each other. */
async function reserve(tx: Transaction, rows: readonly UpdateRow[]): Promise<void> {
  const records = rows.map(({ record }) => record);
  await tx`
    insert into sessions (
      project_id, session_id, started_at, seq, status, user_hash, environment, release, received_at
    )
    select project_id, session_id, started_at, ${UNSEEN}, 'ok', user_hash, environment, release, received_at
    from unnest(
      ${rows.map(({ projectId }) => projectId)}::bigint[],
      ${records.map(({ sessionId }) => sessionId)}::uuid[],
      ${records.map(({ timestamp }) => timestamp.toISOString())}::text[]::timestamptz[],
      ${records.map(({ userHash }) => userHash)}::text[],
      ${records.map(({ environment }) => nameOf(environment))}::text[],
      ${records.map(({ release }) => nameOf(release))}::text[],
      ${records.map(({ receivedAt }) => receivedAt.toISOString())}::text[]::timestamptz[]
    ) as incoming (
      project_id, session_id, started_at, user_hash, environment, release, received_at
    )
    order by project_id, session_id
    on conflict (project_id, session_id) do nothing
  `;
}

async function lock(
  tx: Transaction,
  rows: readonly UpdateRow[],
): Promise<Map<string, StoredState>> {
  const found = await tx<(StoredState & { seq: string | number })[]>`
    select
      project_id as "projectId", replace(session_id::text, '-', '') as "sessionId",
      started_at as "startedAt", seq, status, errors, user_hash as "userHash", environment, release
    from sessions
    where (project_id, session_id) in (
      select * from unnest(
        ${rows.map(({ projectId }) => projectId)}::bigint[],
        ${rows.map(({ record }) => record.sessionId)}::uuid[]
      )
    )
    order by project_id, session_id
    for update
  `;
  return new Map(found.map((state) => [
    `${state.projectId}/${state.sessionId}`,
    { ...state, seq: Number(state.seq) },
  ]));
}

async function write(tx: Transaction, rows: readonly UpdateRow[]): Promise<void> {
  const records = rows.map(({ record }) => record);
  await tx`
    update sessions set
      seq = incoming.seq, status = incoming.status, errors = incoming.errors,
      duration_sec = coalesce(incoming.duration_sec, sessions.duration_sec),
      received_at = incoming.received_at
    from unnest(
      ${rows.map(({ projectId }) => projectId)}::bigint[],
      ${records.map(({ sessionId }) => sessionId)}::uuid[],
      ${records.map(({ seq }) => seq)}::bigint[],
      ${records.map(({ status }) => status)}::text[],
      ${records.map(({ errors }) => errors)}::integer[],
      ${records.map(({ durationSec }) => durationSec)}::double precision[],
      ${records.map(({ receivedAt }) => receivedAt.toISOString())}::text[]::timestamptz[]
    ) as incoming (project_id, session_id, seq, status, errors, duration_sec, received_at)
    where sessions.project_id = incoming.project_id and sessions.session_id = incoming.session_id
  `;
}
