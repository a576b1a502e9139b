/**
 * Release health: sessions by hour as the `sessions` items that servers send, and behind them who had some on a day, for
 * which Sentry has no form without counts.
 */
import type { Sql } from "../../store/database.ts";
import type { Batch, ExportSource, Range } from "./source.ts";
import { linesOf } from "./source.ts";

interface HourRow {
  readonly at: string;
  readonly hour: Date;
  readonly release: string;
  readonly environment: string;
  readonly total: number;
  readonly errored: number;
  readonly unhandled: number;
  readonly abnormal: number;
  readonly crashed: number;
  readonly lastSeen: Date | null;
}

interface UserRow {
  readonly day: string;
  readonly release: string;
  readonly environment: string;
  readonly did: string;
  readonly isErrored: boolean;
  readonly isCrashed: boolean;
}

const HOURS = 500;
const USERS = 5_000;

/** Cursor: `users` or not, and the key of the last row. */
export const sessions: ExportSource = {
  name: "sessions",
  async next({ sql }, range, cursor) {
    const [isOfUsers, key]: [boolean, readonly string[] | null] = JSON.parse(
      cursor ?? "[false,null]",
    );
    return isOfUsers ? await users(sql, range, key) : await hours(sql, range, key);
  },
};

async function hours(
  sql: Sql,
  { projectId, since, until }: Range,
  key: readonly string[] | null,
): Promise<Batch> {
  const [at = "", after = "", within = ""] = key ?? [];
  const rows = await sql<HourRow[]>`
    select hour::text as at, hour, release, environment, total::float8 as total,
      errored::float8 as errored, unhandled::float8 as unhandled, abnormal::float8 as abnormal,
      crashed::float8 as crashed, last_seen as "lastSeen"
    from session_hours
    where project_id = ${projectId} and hour >= ${since} and hour < ${until}
      ${
    key === null
      ? sql``
      : sql`and (hour, release, environment) > (${at}::text::timestamptz, ${after}, ${within})`
  }
    order by hour, release, environment limit ${HOURS}
  `;
  const last = rows.at(-1);
  const next = last !== undefined && rows.length === HOURS
    ? [false, [last.at, last.release, last.environment]]
    : [true, null];
  const places = Map.groupBy(rows, placeOf);
  return {
    cursor: JSON.stringify(next),
    counts: { sessions: rows.reduce((sum, { total }) => sum + total, 0) },
    pieces: linesOf(
      "sessions.jsonl",
      [...places].map(([place, some]) => ({
        type: "sessions",
        attrs: JSON.parse(place),
        aggregates: some.map(aggregateOf),
      })),
    ),
  };
}

function aggregateOf({ hour, total, errored, unhandled, abnormal, crashed, lastSeen }: HourRow) {
  const exited = total - errored - unhandled - abnormal - crashed;
  return { started: hour, exited, errored, unhandled, abnormal, crashed, last_seen: lastSeen };
}

function placeOf({ release, environment }: Pick<HourRow, "release" | "environment">): string {
  return JSON.stringify({ release, environment });
}

async function users(
  sql: Sql,
  { projectId, since, until }: Range,
  key: readonly string[] | null,
): Promise<Batch> {
  const [day = "", after = "", within = "", did = ""] = key ?? [];
  const rows = await sql<UserRow[]>`
    select day::text as day, release, environment, user_hash as did, is_errored as "isErrored",
      is_crashed as "isCrashed"
    from session_users
    where project_id = ${projectId} and day >= (${since}::timestamptz at time zone 'UTC')::date
      and day < (${until}::timestamptz at time zone 'UTC' + interval '1 day')::date
      ${
    key === null ? sql`` : sql`
      and (day, release, environment, user_hash) > (${day}::text::date, ${after}, ${within}, ${did})
    `
  }
    order by day, release, environment, user_hash limit ${USERS}
  `;
  const last = rows.at(-1);
  const places = Map.groupBy(rows, (row) => `${row.day}${placeOf(row)}`);
  return {
    cursor: last !== undefined && rows.length === USERS
      ? JSON.stringify([true, [last.day, last.release, last.environment, last.did]])
      : null,
    counts: {},
    pieces: linesOf(
      "sessions.jsonl",
      [...places].map(([place, some]) => ({
        type: "sessions",
        attrs: JSON.parse(place.slice("2026-11-26".length)),
        aggregates: [],
        users: {
          day: place.slice(0, "2026-11-26".length),
          seen: some.map(({ did }) => did),
          errored: some.flatMap(({ did, isErrored }) => isErrored ? did : []),
          crashed: some.flatMap(({ did, isCrashed }) => isCrashed ? did : []),
        },
      })),
    ),
  };
}
