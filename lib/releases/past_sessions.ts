/** Sessions that were counted elsewhere, as an import brings them. Counts have no ids: an hour that has some keeps them. */
import { sortableVersion } from "../records/version.ts";
import type { Sql } from "../store/database.ts";
import { type Columns, incoming } from "../store/write_rows.ts";

export interface PastHour {
  /** Its start. */
  readonly hour: Date;
  readonly total: number;
  readonly errored: number;
  readonly unhandled: number;
  readonly abnormal: number;
  readonly crashed: number;
  readonly lastSeen: Date;
}

export interface PastUser {
  /** As counted there: whoever has sessions here too counts twice on a day. */
  readonly userHash: string;
  readonly isErrored: boolean;
  readonly isCrashed: boolean;
}

/** What somebody had of a release in an environment. */
export interface PastSessions {
  readonly release: string;
  readonly environment: string;
  readonly hours: readonly PastHour[];
  readonly users: readonly PastUser[];
  /** Of the users, UTC. */
  readonly day: Date | null;
}

/** @returns how many sessions are counted now that were not, all or nothing of an hour */
export async function keepPastSessions(
  sql: Sql,
  projectId: string,
  { release, environment, hours, users, day }: PastSessions,
): Promise<number> {
  const times = hours.map(({ hour }) => hour.getTime());
  const [first, last] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
  return await sql.begin(async (tx) => {
    if (release !== "" && times.length > 0) {
      await tx`
        insert into releases as known (
          project_id, version, sort_key, made_by, created_at, first_event, last_event
        ) values (
          ${projectId}, ${release}, ${
        sortableVersion(release)
      }, 'event', ${first}, ${first}, ${last}
        )
        on conflict (project_id, version) do update set
          first_event = least(known.first_event, excluded.first_event),
          last_event = greatest(known.last_event, excluded.last_event)
      `;
    }
    const kept = hours.length === 0 ? [] : await tx<{ total: number }[]>`
      insert into session_hours (
        project_id, hour, release, environment, total, errored, unhandled, abnormal, crashed,
        last_seen
      )
      select ${projectId}::bigint, hour, ${release}::text, ${environment}::text, total, errored,
        unhandled, abnormal, crashed, last_seen
      from ${incoming(tx, hours, HOUR_COLUMNS)} order by hour
      on conflict do nothing returning total::float8 as total
    `;
    if (day !== null && users.length > 0) {
      await tx`
        insert into session_users (
          project_id, day, release, environment, user_hash, is_errored, is_crashed
        )
        select ${projectId}::bigint, ${day.toISOString().slice(0, 10)}::date, ${release}::text,
          ${environment}::text, user_hash, is_errored, is_crashed
        from ${incoming(tx, users, USER_COLUMNS)} order by user_hash
        on conflict do nothing
      `;
    }
    return kept.reduce((sum, { total }) => sum + total, 0);
  });
}

const HOUR_COLUMNS: Columns<PastHour> = {
  hour: ["timestamptz", ({ hour }) => hour],
  total: ["bigint", ({ total }) => total],
  errored: ["bigint", ({ errored }) => errored],
  unhandled: ["bigint", ({ unhandled }) => unhandled],
  abnormal: ["bigint", ({ abnormal }) => abnormal],
  crashed: ["bigint", ({ crashed }) => crashed],
  last_seen: ["timestamptz", ({ lastSeen }) => lastSeen],
};

const USER_COLUMNS: Columns<PastUser> = {
  user_hash: ["text", ({ userHash }) => userHash],
  is_errored: ["boolean", ({ isErrored }) => isErrored],
  is_crashed: ["boolean", ({ isCrashed }) => isCrashed],
};
