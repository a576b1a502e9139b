/** Issues in the shape of Sentry's API: how they stand, who has them, and what was said of them. */
import { findUser } from "../../accounts/users.ts";
import { shortIdOf } from "../../errors/mod.ts";
import type { Sql } from "../../store/database.ts";
import { BATCH, type ExportSource, linesOf, type Range } from "./source.ts";

interface IssueRow {
  readonly id: string;
  readonly number: string;
  readonly type: string;
  readonly title: string;
  readonly culprit: string;
  readonly level: string;
  readonly platform: string;
  readonly metadata: unknown;
  readonly status: string;
  readonly substatus: string | null;
  readonly statusChangedAt: Date;
  readonly priority: string;
  readonly priorityLockedAt: Date | null;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
  readonly count: string;
  readonly userCount: string;
  readonly assigneeKind: "user" | "team" | null;
  readonly assigneeId: string | null;
  readonly resolution: unknown;
  readonly snooze: unknown;
  readonly hashes: string[];
}

interface NoteRow {
  readonly issueId: string;
  readonly actorId: string | null;
  readonly text: string;
  readonly at: Date;
}

/** Makes the source. @param kv knows people */
export function issuesFrom(kv: Deno.Kv): ExportSource {
  return {
    name: "issues",
    async next({ sql }, { projectId, slug, since, until }, cursor) {
      const rows = await sql<IssueRow[]>`
        select id, number, type, title, culprit, level, platform, metadata, status, substatus,
          status_changed_at as "statusChangedAt", priority,
          priority_locked_at as "priorityLockedAt", first_seen as "firstSeen",
          last_seen as "lastSeen", times_seen as count, users_seen as "userCount",
          assignee_kind as "assigneeKind", assignee_id as "assigneeId", resolution, snooze,
          array(
            select replace(hash::text, '-', '') from issue_hashes
            where issue_hashes.project_id = issues.project_id and issue_hashes.issue_id = issues.id
            order by hash
          ) as hashes
        from issues
        where project_id = ${projectId} and merged_into is null and id > ${cursor ?? "0"}
          and last_seen >= ${since} and first_seen < ${until}
        order by id limit ${BATCH}
      `;
      const notes = await notesOf(sql, projectId, rows.map(({ id }) => id));
      const people = await peopleOf(kv, rows, notes);
      const lines = rows.map(({ number, assigneeKind, assigneeId, ...row }) => ({
        ...row,
        shortId: shortIdOf(slug, Number(number)),
        assignedTo: assigneeId === null || assigneeKind === null
          ? null
          : { type: assigneeKind, id: assigneeId, ...people.get(assigneeId) },
        comments: notes.filter(({ issueId }) => issueId === row.id).map((note) => ({
          text: note.text,
          dateCreated: note.at,
          user: note.actorId === null ? null : { id: note.actorId, ...people.get(note.actorId) },
        })),
      }));
      const last = rows.at(-1);
      return {
        cursor: last !== undefined && rows.length === BATCH ? last.id : null,
        counts: { issues: rows.length, comments: notes.length },
        pieces: linesOf("issues.jsonl", lines),
      };
    },
  };
}

async function notesOf(sql: Sql, projectId: string, ids: readonly string[]): Promise<NoteRow[]> {
  return await sql<NoteRow[]>`
    select issue_id as "issueId", actor_id as "actorId", data->>'text' as text, created_at as at
    from issue_activity
    where project_id = ${projectId} and issue_id = any (${[...ids]}::bigint[]) and type = 'note'
    order by id
  `;
}

/** People by id; teams have a name in their project's organization only, and keep their ids. */
async function peopleOf(kv: Deno.Kv, issues: readonly IssueRow[], notes: readonly NoteRow[]) {
  const ids = new Set([
    ...issues.flatMap((row) => row.assigneeKind === "user" ? row.assigneeId ?? [] : []),
    ...notes.flatMap(({ actorId }) => actorId ?? []),
  ]);
  const people = new Map<string, { readonly name: string; readonly email: string }>();
  for (const id of ids) {
    const user = await findUser(kv, id);
    if (user !== null) people.set(id, { name: user.name, email: user.email });
  }
  return people;
}

/** What an event says of its issue, by its id. */
export async function findIssueIds(
  sql: Sql,
  { projectId, slug }: Pick<Range, "projectId" | "slug">,
  ids: readonly string[],
): Promise<
  Map<string, { readonly id: string; readonly shortId: string; readonly status: string }>
> {
  const rows = await sql<{ id: string; number: string; status: string }[]>`
    select id, number, status from issues
    where project_id = ${projectId} and id = any (${[...new Set(ids)]}::bigint[])
  `;
  return new Map(
    rows.map(({ id, number, status }) => [
      id,
      { id, shortId: shortIdOf(slug, Number(number)), status },
    ]),
  );
}
