import type { Transaction } from "../../store/database.ts";
import { nameOf } from "./record_row.ts";
import type { SessionFault } from "./save_sessions.ts";

const HOUR_MS = 3_600_000;

/** Where and when a session belongs. */
export interface SessionPlace {
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
    const { errored, unhandled, abnormal, crashed } = faults;
    const hour = this.#hourOf(place);
    const faulty = errored + unhandled + abnormal + crashed;
    hour.total += exited + faulty;
    hour.errored += errored;
    hour.unhandled += unhandled;
    hour.abnormal += abnormal;
    hour.crashed += crashed;
    this.#noteUser(place, faulty > 0, crashed > 0);
  }

  /** Users after hours, both sorted: the order of every writer. Sent one after the other without waiting. */
  async save(tx: Transaction): Promise<void> {
    await Promise.all([
      this.#hours.size > 0 && saveHours(tx, [...this.#hours.values()]),
      this.#users.size > 0 && saveUsers(tx, [...this.#users.values()]),
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

async function saveHours(tx: Transaction, hours: readonly HourCount[]): Promise<void> {
  await tx`
    insert into session_hours as known (
      project_id, hour, release, environment, total, errored, unhandled, abnormal, crashed,
      last_seen
    )
    select * from unnest(
      ${hours.map(({ projectId }) => projectId)}::bigint[],
      ${hours.map(({ hour }) => hour)}::text[]::timestamptz[],
      ${hours.map(({ release }) => release)}::text[],
      ${hours.map(({ environment }) => environment)}::text[],
      ${hours.map(({ total }) => total)}::bigint[],
      ${hours.map(({ errored }) => errored)}::bigint[],
      ${hours.map(({ unhandled }) => unhandled)}::bigint[],
      ${hours.map(({ abnormal }) => abnormal)}::bigint[],
      ${hours.map(({ crashed }) => crashed)}::bigint[],
      ${hours.map(({ lastSeen }) => lastSeen)}::text[]::timestamptz[]
    ) as incoming (
      project_id, hour, release, environment, total, errored, unhandled, abnormal, crashed,
      last_seen
    )
    order by project_id, hour, release collate "C", environment collate "C"
    on conflict (project_id, hour, release, environment) do update set
      total = known.total + excluded.total,
      errored = known.errored + excluded.errored,
      unhandled = known.unhandled + excluded.unhandled,
      abnormal = known.abnormal + excluded.abnormal,
      crashed = known.crashed + excluded.crashed,
      last_seen = greatest(known.last_seen, excluded.last_seen)
  `;
}

async function saveUsers(tx: Transaction, users: readonly UserDay[]): Promise<void> {
  await tx`
    insert into session_users as known (
      project_id, day, release, environment, user_hash, is_errored, is_crashed
    )
    select * from unnest(
      ${users.map(({ projectId }) => projectId)}::bigint[],
      ${users.map(({ day }) => day)}::text[]::date[],
      ${users.map(({ release }) => release)}::text[],
      ${users.map(({ environment }) => environment)}::text[],
      ${users.map(({ userHash }) => userHash)}::text[],
      ${users.map(({ isErrored }) => String(isErrored))}::text[]::boolean[],
      ${users.map(({ isCrashed }) => String(isCrashed))}::text[]::boolean[]
    ) as incoming (project_id, day, release, environment, user_hash, is_errored, is_crashed)
    order by project_id, day, release collate "C", environment collate "C", user_hash collate "C"
    on conflict (project_id, day, release, environment, user_hash) do update set
      is_errored = known.is_errored or excluded.is_errored,
      is_crashed = known.is_crashed or excluded.is_crashed
    where (excluded.is_errored and not known.is_errored)
      or (excluded.is_crashed and not known.is_crashed)
  `;
}
