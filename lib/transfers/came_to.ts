/** Which issues the events of issues elsewhere came to, as long as an import is under way. */
import { readText } from "../formats/fields.ts";
import type { Sql } from "../store/database.ts";
import type { Transfer } from "./transfers.ts";

type Owner = Pick<Transfer, "projectId" | "id">;

/** An event that was imported, and the issue that it belonged to elsewhere. */
export interface CameFrom {
  /** 32 lower-case hex digits. */
  readonly eventId: string;
  readonly sourceId: string;
}

/** Longer than any id of an issue elsewhere: no key holds much more. */
const MAX_SOURCE_ID = 200;

/** The id of an issue elsewhere, or undefined for what is none. */
export function readSourceId(value: unknown): string | undefined {
  const id = readText(value);
  return id !== undefined && id !== "" && id.length <= MAX_SOURCE_ID ? id : undefined;
}

/** Notes where stored events are. */
export async function noteCameTo(
  sql: Sql,
  { projectId, id }: Owner,
  events: readonly CameFrom[],
): Promise<void> {
  if (events.length === 0) return;
  await sql`
    insert into transfer_issues as known (project_id, transfer_id, source_id, issue_id, events)
    select ${projectId}, ${id}, source_id, issue_id, count(*)
    from unnest(
      ${events.map(({ eventId }) => eventId)}::uuid[],
      ${events.map(({ sourceId }) => sourceId)}::text[]
    ) as came (event_id, source_id)
    join event_ids on event_ids.project_id = ${projectId} and event_ids.event_id = came.event_id
    group by source_id, issue_id
    on conflict (project_id, transfer_id, source_id, issue_id) do update
      set events = known.events + excluded.events
  `;
}

/** Where the events of an issue elsewhere are, the issue with most of them first. */
export async function cameTo(
  sql: Sql,
  { projectId, id }: Owner,
  sourceId: string,
): Promise<readonly { readonly issueId: string; readonly events: number }[]> {
  return await sql<{ issueId: string; events: number }[]>`
    select coalesce(issues.merged_into, issues.id) as "issueId", sum(events)::int as events
    from transfer_issues join issues
      on issues.project_id = transfer_issues.project_id and issues.id = transfer_issues.issue_id
    where transfer_issues.project_id = ${projectId} and transfer_id = ${id}
      and source_id = ${sourceId}
    group by 1 order by 2 desc, 1
  `;
}

/** The issues that group hashes of Watchpost belong to, with all their events. @param hashes as an export has them */
export async function ofHashes(
  sql: Sql,
  projectId: string,
  hashes: readonly string[],
): Promise<readonly { readonly issueId: string; readonly events: number }[]> {
  if (hashes.length === 0) return [];
  return await sql<{ issueId: string; events: number }[]>`
    select issues.id as "issueId", times_seen::int as events
    from issue_hashes join issues
      on issues.project_id = issue_hashes.project_id and issues.id = issue_hashes.issue_id
    where issue_hashes.project_id = ${projectId} and hash = any (${[...hashes]}::uuid[])
      and merged_into is null
    group by issues.id, times_seen order by 2 desc, 1
  `;
}
