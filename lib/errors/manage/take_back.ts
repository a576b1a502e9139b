/** Taking a merge or a split back, by the entry of the activity that tells of it. */
import { MINUTE_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import { isId } from "../../store/query_limits.ts";
import { asObject, asObjects, asText, type JsonObject } from "../../ui/json.ts";
import { mergeIssues } from "../issue_merge.ts";
import type { MergeBackend } from "../issue_moves.ts";
import { unmergeIssue } from "../issue_unmerge.ts";
import type { IssueActor } from "../workflow/state.ts";
import { letSplitsFollow } from "./split.ts";

/** So long it can be taken back by the button that is shown after it. */
const UNDO_LIMIT_MS = 60 * MINUTE_MS;

interface Entry {
  readonly issueId: string;
  readonly type: string;
  readonly data: JsonObject;
}

/**
 * Takes a merge or a split back that the actor has made a short while ago.
 *
 * @param undo what `mergeIssues()` or `splitIssue()` returned, as a client sent it
 * @returns whether all or some of it is as before
 * @throws {InvalidInput} while events are still on their way
 */
export async function takeBack(
  backend: MergeBackend,
  projectId: string,
  undo: string,
  actor: IssueActor,
  now: Date = new Date(),
): Promise<boolean> {
  if (!isId(undo)) return false;
  const { sql } = backend;
  const [entry] = await sql<Entry[]>`
    select issue_id as "issueId", type, data from issue_activity
    where project_id = ${projectId} and id = ${undo} and type in ('merge', 'unmerge_source')
      and actor_kind = ${actor.kind} and actor_id is not distinct from ${actor.id ?? null}
      and created_at > ${new Date(now.getTime() - UNDO_LIMIT_MS)}
  `;
  if (entry === undefined) return false;
  const isDone = entry.type === "merge"
    ? await unmergeAll(sql, projectId, entry, actor)
    : await putBack(sql, projectId, entry, actor);
  await letSplitsFollow(backend, projectId);
  return isDone;
}

async function unmergeAll(
  sql: Sql,
  projectId: string,
  { issueId, data }: Entry,
  actor: IssueActor,
): Promise<boolean> {
  let isDone = false;
  for (const source of asObjects(data.issues)) {
    const id = asText(source.id);
    const parts = (Array.isArray(source.parts) ? source.parts.map(asText) : []).filter(isId);
    if (!isId(id) || !await unmergeIssue(sql, projectId, issueId, id, actor)) continue;
    isDone = true;
    for (const part of parts) {
      if (!await unmergeIssue(sql, projectId, issueId, part, actor)) continue;
      await mergeIssues(sql, projectId, [id, part], new Date(), { actor, into: id });
    }
  }
  return isDone;
}

async function putBack(
  sql: Sql,
  projectId: string,
  { issueId, data }: Entry,
  actor: IssueActor,
): Promise<boolean> {
  const id = asText(asObject(data.destination)?.id);
  if (!isId(id)) return false;
  const options = { actor, into: issueId };
  return await mergeIssues(sql, projectId, [issueId, id], new Date(), options) !== null;
}
