/** Taking back what a person has just changed. */
import { MINUTE_MS } from "../../core/time.ts";
import type { ChangeServices } from "./change.ts";
import { ASIDE, groupOf, lockIssues, writeStandings } from "./standing.ts";
import type { IssueActor } from "./state.ts";

interface Undoable {
  readonly id: string;
  readonly issueId: string;
  readonly type: string;
  readonly before: Readonly<Record<string, unknown>>;
}

/** A change can be taken back for so long. */
const UNDO_LIMIT_MS = 60 * MINUTE_MS;

/**
 * Takes a change back, of each issue what nobody and nothing has changed since; then it was never made.
 *
 * @param undo what `changeIssues()` returned
 * @param actor who made the change: nobody else can take it back
 * @returns how many issues are as before
 */
export async function undoChange(
  { sql }: ChangeServices,
  projectId: string,
  undo: string,
  actor: IssueActor,
  now: Date = new Date(),
): Promise<number> {
  return await sql.begin(async (tx) => {
    const made = await tx<Undoable[]>`
      select id, issue_id as "issueId", type, before from issue_activity
      where project_id = ${projectId} and change_id = ${undo} and before is not null
        and actor_kind = ${actor.kind} and actor_id is not distinct from ${actor.id ?? null}
        and created_at > ${new Date(now.getTime() - UNDO_LIMIT_MS)}
    `;
    const ids = [...new Set(made.map(({ issueId }) => issueId))];
    if (ids.length === 0) return 0;
    const standing = new Map(
      (await lockIssues(tx, projectId, ids, now)).map((row) => [row.id, row]),
    );
    const later = await tx<{ issueId: string; id: string; type: string }[]>`
      select issue_id as "issueId", id, type from issue_activity
      where project_id = ${projectId} and issue_id = any (${ids}::bigint[])
        and id > ${made[0]?.id ?? "0"} and change_id is distinct from ${undo}
        and type <> all (${[...ASIDE]}::text[])
    `;
    const free = made.filter(({ issueId, type, id }) =>
      standing.has(issueId) &&
      !later.some((each) =>
        each.issueId === issueId && BigInt(each.id) > BigInt(id) &&
        groupOf(each.type) === groupOf(type)
      )
    );
    const back = [...Map.groupBy(free, ({ issueId }) => issueId)].map(([id, entries]) => ({
      ...Object.assign({}, standing.get(id), ...entries.map(({ before }) => before)),
      id,
    }));
    if (back.length === 0) return 0;
    await writeStandings(tx, projectId, back);
    await tx`
      delete from issue_activity
      where project_id = ${projectId} and issue_id = any (${back.map(({ id }) => id)}::bigint[])
        and id = any (${free.map(({ id }) => id)}::bigint[])
    `;
    return back.length;
  });
}
