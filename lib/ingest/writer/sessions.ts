import { HOUR_MS } from "../../core/time.ts";
import type { SessionStatus } from "../../records/mod.ts";
import type { Transaction } from "../../store/database.ts";
import { type Columns, incoming, saveRows, type Table } from "../../store/write_rows.ts";
import { nameOf } from "../../store/values.ts";
import { compareKeys, type OtherRow, type RecordOf } from "./rows.ts";

type UpdateRow = OtherRow<RecordOf<"session">>;
type CountsRow = OtherRow<RecordOf<"sessions">>;

/** How a session ended, the worst word that applies; null when nothing was wrong. */
type SessionFault = typeof FAULTS[number];
const FAULTS = ["errored", "unhandled", "abnormal", "crashed"] as const;

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
  const sorted = rows.toSorted((a, b) => compareKeys(keyOf(a), keyOf(b)));
  // Sent together; the second sees the rows of the first.
  const [, states] = sorted.length === 0
    ? [null, new Map<string, StoredState>()]
    : await Promise.all([saveRows(tx, RESERVED_SESSIONS, sorted), lock(tx, sorted)]);
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
  const news = [...changed.values()].toSorted((a, b) => compareKeys(keyOf(a), keyOf(b)));
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

/** A row for every session, so that two writers that meet a new one wait for each other. */
const RESERVED_SESSIONS: Table<UpdateRow> = {
  name: "sessions",
  key: ["session_id"],
  columns: {
    session_id: ["uuid", ({ record }) => record.sessionId],
    started_at: ["timestamptz", ({ record }) => record.timestamp],
    seq: ["bigint", () => UNSEEN],
    status: ["text", () => "ok"],
    user_hash: ["text", ({ record }) => record.userHash],
    environment: ["text", ({ record }) => nameOf(record.environment)],
    release: ["text", ({ record }) => nameOf(record.release)],
    received_at: ["timestamptz", ({ record }) => record.receivedAt],
  },
};

/** Project by project, in their order: Citus locks rows of one at a time. */
async function lock(
  tx: Transaction,
  rows: readonly UpdateRow[],
): Promise<Map<string, StoredState>> {
  const projects = [...Map.groupBy(rows, ({ projectId }) => projectId)];
  projects.sort(([one], [other]) => BigInt(one) < BigInt(other) ? -1 : 1);
  const found = await Promise.all(
    projects.map(([projectId, own]) => lockOf(tx, projectId, own)),
  );
  return new Map(
    found.flat().map((state) => [
      `${state.projectId}/${state.sessionId}`,
      { ...state, seq: Number(state.seq) },
    ]),
  );
}

function lockOf(tx: Transaction, projectId: string, rows: readonly UpdateRow[]) {
  return tx<(StoredState & { seq: string | number })[]>`
    select
      project_id as "projectId", replace(session_id::text, '-', '') as "sessionId",
      started_at as "startedAt", seq, status, errors, user_hash as "userHash", environment, release
    from sessions
    where project_id = ${projectId}
      and session_id = any (${rows.map(({ record }) => record.sessionId)}::uuid[])
    order by session_id
    for update
  `;
}

const UPDATE_COLUMNS: Columns<UpdateRow> = {
  project_id: ["bigint", ({ projectId }) => projectId],
  session_id: ["uuid", ({ record }) => record.sessionId],
  seq: ["bigint", ({ record }) => record.seq],
  status: ["text", ({ record }) => record.status],
  errors: ["integer", ({ record }) => record.errors],
  duration_sec: ["double precision", ({ record }) => record.durationSec],
  received_at: ["timestamptz", ({ record }) => record.receivedAt],
};

async function write(tx: Transaction, rows: readonly UpdateRow[]): Promise<void> {
  await tx`
    update sessions set
      seq = incoming.seq, status = incoming.status, errors = incoming.errors,
      duration_sec = coalesce(incoming.duration_sec, sessions.duration_sec),
      received_at = incoming.received_at
    from ${incoming(tx, rows, UPDATE_COLUMNS)}
    where sessions.project_id = incoming.project_id and sessions.session_id = incoming.session_id
  `;
}

/** Where and when a session belongs. */
interface SessionPlace {
  readonly projectId: string;
  readonly startedAt: Date;
  readonly release: string;
  readonly environment: string;
  readonly userHash: string | null;
}

type Faults = Record<SessionFault, number>;

interface HourCount extends Faults {
  readonly projectId: string;
  readonly hour: string;
  readonly release: string;
  readonly environment: string;
  total: number;
  /** When the newest of them started, ISO 8601, UTC. */
  lastSeen: string;
}

interface UserDay {
  readonly projectId: string;
  readonly day: string;
  readonly release: string;
  readonly environment: string;
  readonly userHash: string;
  isErrored: boolean;
  isCrashed: boolean;
}

/** What a transaction adds to the counts of sessions by hour, and to the users of a day. */
export class SessionTally {
  readonly #hours = new Map<string, HourCount>();
  readonly #users = new Map<string, UserDay>();

  /** One session went from one state to another. */
  change(
    place: SessionPlace,
    isNew: boolean,
    before: SessionFault | null,
    after: SessionFault | null,
  ): void {
    const hour = this.#hourOf(place);
    if (isNew) hour.total++;
    if (before !== null) hour[before]--;
    if (after !== null) hour[after]++;
    this.#noteUser(place, after !== null, after === "crashed");
  }

  /** Several sessions at once. */
  add(place: SessionPlace, exited: number, faults: Faults): void {
    const hour = this.#hourOf(place);
    let faulty = 0;
    for (const fault of FAULTS) {
      hour[fault] += faults[fault];
      faulty += faults[fault];
    }
    hour.total += exited + faulty;
    this.#noteUser(place, faulty > 0, faults.crashed > 0);
  }

  /** Users after hours, both sorted: the order of every writer. Sent one after the other without waiting. */
  async save(tx: Transaction): Promise<void> {
    await Promise.all([
      saveRows(tx, SESSION_HOURS, [...this.#hours.values()]),
      saveRows(tx, SESSION_USERS, [...this.#users.values()]),
    ]);
  }

  #hourOf({ projectId, startedAt, ...names }: SessionPlace): HourCount {
    const time = startedAt.getTime();
    const hour = new Date(time - time % HOUR_MS).toISOString();
    const [release, environment] = [nameOf(names.release), nameOf(names.environment)];
    const key = JSON.stringify([projectId, hour, release, environment]);
    let count = this.#hours.get(key);
    if (count === undefined) {
      const zero = { total: 0, errored: 0, unhandled: 0, abnormal: 0, crashed: 0 };
      const lastSeen = startedAt.toISOString();
      this.#hours.set(key, count = { projectId, hour, release, environment, lastSeen, ...zero });
    }
    if (startedAt.toISOString() > count.lastSeen) count.lastSeen = startedAt.toISOString();
    return count;
  }

  #noteUser(
    { projectId, startedAt, userHash, ...names }: SessionPlace,
    isErrored: boolean,
    isCrashed: boolean,
  ): void {
    if (userHash === null) return;
    const day = startedAt.toISOString().slice(0, 10);
    const [release, environment] = [nameOf(names.release), nameOf(names.environment)];
    const key = JSON.stringify([projectId, day, release, environment, userHash]);
    const known = this.#users.get(key);
    if (known !== undefined) {
      known.isErrored ||= isErrored;
      known.isCrashed ||= isCrashed;
    } else {
      const user = { projectId, day, release, environment, userHash, isErrored, isCrashed };
      this.#users.set(key, user);
    }
  }
}

const SESSION_HOURS: Table<HourCount> = {
  name: "session_hours",
  key: ["hour", "release", "environment"],
  columns: {
    hour: ["timestamptz", ({ hour }) => hour],
    release: ["text", ({ release }) => release],
    environment: ["text", ({ environment }) => environment],
    total: ["bigint", ({ total }) => total, "add"],
    errored: ["bigint", ({ errored }) => errored, "add"],
    unhandled: ["bigint", ({ unhandled }) => unhandled, "add"],
    abnormal: ["bigint", ({ abnormal }) => abnormal, "add"],
    crashed: ["bigint", ({ crashed }) => crashed, "add"],
    last_seen: ["timestamptz", ({ lastSeen }) => lastSeen, "greatest"],
  },
};

const SESSION_USERS: Table<UserDay> = {
  name: "session_users",
  key: ["day", "release", "environment", "user_hash"],
  columns: {
    day: ["date", ({ day }) => day],
    release: ["text", ({ release }) => release],
    environment: ["text", ({ environment }) => environment],
    user_hash: ["text", ({ userHash }) => userHash],
    is_errored: ["boolean", ({ isErrored }) => isErrored, "either"],
    is_crashed: ["boolean", ({ isCrashed }) => isCrashed, "either"],
  },
  changesIf: `(excluded.is_errored and not known.is_errored)
    or (excluded.is_crashed and not known.is_crashed)`,
};
