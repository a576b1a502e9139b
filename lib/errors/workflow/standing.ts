/** How an issue stands: what changes may change of it, read under a lock and written back. */
import type { Transaction } from "../../store/database.ts";
import type { ActivityType } from "./activity.ts";
import type { IssueStatus } from "../search/terms.ts";
import type { IssueActor, Priority, Resolution, Snooze, Substatus } from "./state.ts";

/** How an issue is before a change, and after it. */
export interface Standing {
  readonly id: string;
  readonly status: IssueStatus;
  readonly statusChangedAt: string;
  readonly substatus: Substatus | null;
  readonly substatusSince: string | null;
  readonly resolution: Resolution | null;
  readonly snooze: Snooze | null;
  readonly priority: Priority;
  readonly priorityLockedAt: string | null;
  readonly assigneeKind: "user" | "team" | null;
  readonly assigneeId: string | null;
  readonly assignedBy: IssueActor["kind"] | null;
}

export interface Locked extends Standing {
  readonly timesSeen: number;
  readonly usersSeen: number;
  readonly isYoung: boolean;
  readonly lastSeen: Date;
  /** In which it was seen last; `""`: in none. */
  readonly lastRelease: string;
}

/** Locked in the writer's order, so that neither waits for the other in a circle. */
export async function lockIssues(
  tx: Transaction,
  projectId: string,
  ids: readonly string[],
  now: Date,
): Promise<Locked[]> {
  return await tx<Locked[]>`
    select
      id, status, to_json(status_changed_at)#>>'{}' as "statusChangedAt", substatus,
      to_json(substatus_since)#>>'{}' as "substatusSince", resolution, snooze, priority,
      to_json(priority_locked_at)#>>'{}' as "priorityLockedAt", assignee_kind as "assigneeKind",
      assignee_id as "assigneeId", assigned_by as "assignedBy",
      times_seen::float8 as "timesSeen", users_seen::float8 as "usersSeen",
      first_seen > ${now}::timestamptz - interval '7 days' as "isYoung",
      last_seen as "lastSeen", last_release as "lastRelease"
    from issues
    where project_id = ${projectId} and id = any (${[...ids]}::bigint[]) and merged_into is null
    order by id
    for update
  `;
}

/** Writes what may have changed of issues that are locked. */
export async function writeStandings(
  tx: Transaction,
  projectId: string,
  rows: readonly (Partial<Standing> & { readonly id: string })[],
): Promise<void> {
  const set = rows.map((row) =>
    pick(row, ["id", ...GROUP_COLUMNS.status, ...GROUP_COLUMNS.priority, ...GROUP_COLUMNS.assignee])
  );
  await tx`
    update issues set
      status = row.status, status_changed_at = row."statusChangedAt", substatus = row.substatus,
      substatus_since = row."substatusSince", resolution = row.resolution, snooze = row.snooze,
      priority = row.priority, priority_locked_at = row."priorityLockedAt",
      assignee_kind = row."assigneeKind", assignee_id = row."assigneeId", assigned_by = row."assignedBy"
    from jsonb_to_recordset(${JSON.stringify(set)}::text::jsonb) as row (
      id bigint, status text, "statusChangedAt" timestamptz, substatus text,
      "substatusSince" timestamptz, resolution jsonb, snooze jsonb, priority text,
      "priorityLockedAt" timestamptz, "assigneeKind" text, "assigneeId" text, "assignedBy" text
    )
    where issues.project_id = ${projectId} and issues.id = row.id
  `;
}

/** What an entry of a type may have changed. */
export const GROUP_COLUMNS = {
  status: ["status", "statusChangedAt", "substatus", "substatusSince", "resolution", "snooze"],
  priority: ["priority", "priorityLockedAt"],
  assignee: ["assigneeKind", "assigneeId", "assignedBy"],
} as const satisfies Record<string, readonly (keyof Standing)[]>;

type Group = keyof typeof GROUP_COLUMNS;

/** Entries of the activity that leave an issue as it stands: what is done before them can still be taken back. */
export const ASIDE: readonly ActivityType[] = [
  "note",
  "mark_reviewed",
  "set_public",
  "set_private",
  "create_issue",
  "referenced_in_commit",
];

/** What an entry of the activity is about; what is later about the same cannot be undone past. */
export function groupOf(type: string): Group {
  if (type === "set_priority") return "priority";
  return type === "assigned" || type === "unassigned" ? "assignee" : "status";
}

/** Columns of a row by name; null for those it lacks. */
export function pick(row: object, names: readonly string[]): Record<string, unknown> {
  const values = new Map(Object.entries(row));
  return Object.fromEntries(names.map((name) => [name, values.get(name) ?? null]));
}
