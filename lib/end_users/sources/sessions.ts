/** Sessions of a person: those that are open, and who was there on which day. */
import { createHash } from "node:crypto";
import { type Identity, spellings } from "../identity.ts";
import { BATCH, source } from "./source.ts";

interface SessionRow {
  readonly id: string;
  readonly shown: unknown;
}

/** Sessions know a hash of what identified the user, whatever kind it was. */
export function sessionHashes(projectId: string, { kind, value }: Identity): string[] {
  return spellings(kind, value).map((each) =>
    createHash("sha256").update(`${projectId}/${each}`).digest("hex").slice(0, 32)
  );
}

export const sessions = source<SessionRow>({
  name: "sessions",
  async next({ sql }, projectId, who, cursor) {
    const rows = await sql<SessionRow[]>`
      select session_id as id, jsonb_build_object('sessionId', session_id, 'startedAt', started_at,
        'status', status, 'errors', errors, 'durationSec', duration_sec, 'release', release,
        'environment', environment) as shown
      from sessions
      where project_id = ${projectId} and user_hash = any (${sessionHashes(projectId, who)}::text[])
        ${cursor === null ? sql`` : sql`and session_id > ${cursor}::uuid`}
      order by session_id limit ${BATCH}
    `;
    const last = rows.at(-1);
    return { rows, cursor: last !== undefined && rows.length === BATCH ? last.id : null };
  },
  json: ({ shown }) => shown,
  async erase({ sql }, projectId, _who, rows) {
    const { count } = await sql`
      delete from sessions
      where project_id = ${projectId} and session_id = any (${rows.map(({ id }) => id)}::uuid[])
    `;
    return { sessions: count };
  },
});

interface SessionDayRow {
  readonly day: string;
  readonly release: string;
  readonly environment: string;
  readonly hash: string;
}

export const sessionDays = source<SessionDayRow>({
  name: "session_days",
  async next({ sql }, projectId, who) {
    const rows = await sql<SessionDayRow[]>`
      select day::text as day, release, environment, user_hash as hash from session_users
      where project_id = ${projectId} and user_hash = any (${sessionHashes(projectId, who)}::text[])
      order by day, release, environment limit ${10 * BATCH}
    `;
    return { rows, cursor: null };
  },
  json: ({ hash: _, ...row }) => row,
  async erase({ sql }, projectId, who) {
    const { count } = await sql`
      delete from session_users
      where project_id = ${projectId} and user_hash = any (${sessionHashes(projectId, who)}::text[])
    `;
    return { session_days: count };
  },
});
