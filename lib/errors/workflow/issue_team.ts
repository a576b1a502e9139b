/** What a team makes of an issue, for its page: who has it, how urgent it is, what was done and said. */
import { type Assignee, listAssignees } from "../../accounts/assignees.ts";
import { type IssueOwner, ownersOf } from "../ownership/issue_owners.ts";
import { type ActivityEntry, listActivity } from "./activity.ts";
import { changePersonal, peopleOf, type Person } from "./people.ts";
import type { Priority, Resolution, Snooze } from "./state.ts";
import type { Sql } from "../../store/database.ts";

export interface IssueTeam {
  readonly priority: Priority;
  /** As the assignee picker sends it: `user:…` or `team:…`; `""` for nobody. */
  readonly assignee: string;
  readonly resolution: Resolution | null;
  readonly snooze: Snooze | null;
  /** Whoever looks, and this issue. */
  readonly self: Pick<Person, "isBookmarked" | "subscription">;
  /** How many people take part. */
  readonly participants: number;
  /** Newest first. */
  readonly activity: readonly ActivityEntry[];
  /** Everybody and every team that can have the issue. */
  readonly assignees: readonly Assignee[];
  /** Whom rules and commits suggest, the first first. */
  readonly suggested: readonly IssueOwner[];
}

/** The same, for somebody who opens the issue: they have seen it then. */
export async function openIssueTeam(
  stores: { readonly kv: Deno.Kv; readonly sql: Sql },
  project: { readonly id: string; readonly organizationId: string },
  issueId: string,
  userId: string | null,
): Promise<IssueTeam> {
  if (userId !== null) {
    await changePersonal(stores.sql, project.id, [issueId], userId, { hasSeen: true });
  }
  return await loadIssueTeam(stores, project, issueId, userId);
}

const NOTHING = { isBookmarked: false, subscription: null } as const;

async function loadIssueTeam(
  { kv, sql }: { readonly kv: Deno.Kv; readonly sql: Sql },
  project: { readonly id: string; readonly organizationId: string },
  issueId: string,
  userId: string | null,
): Promise<IssueTeam> {
  const [[row], people, activity, assignees, owners] = await Promise.all([
    sql<
      {
        priority: Priority;
        assigneeKind: string | null;
        assigneeId: string | null;
        resolution: Resolution | null;
        snooze: Snooze | null;
      }[]
    >`
      select priority, assignee_kind as "assigneeKind", assignee_id as "assigneeId", resolution, snooze
      from issues where project_id = ${project.id} and id = ${issueId}
    `,
    peopleOf(sql, project.id, [issueId]),
    listActivity(sql, project.id, issueId),
    listAssignees(kv, project),
    ownersOf(sql, project.id, [issueId]),
  ]);
  const { priority = "high", assigneeKind, assigneeId, resolution = null, snooze = null } = row ??
    {};
  return {
    priority,
    assignee: assigneeKind ? `${assigneeKind}:${assigneeId}` : "",
    resolution,
    snooze,
    self: people.find((person) => person.userId === userId) ?? NOTHING,
    participants:
      people.filter(({ subscription }) => subscription && subscription !== "off").length,
    activity,
    assignees,
    suggested: owners.get(issueId) ?? [],
  };
}

/** How an assignee is called on pages: people by name, teams by `#slug`. */
export function assigneeName(assignee: Assignee): string {
  return assignee.kind === "team" ? `#${assignee.slug}` : assignee.name;
}

/** As the picker sends it. */
export function assigneeValue({ kind, id }: Pick<Assignee, "kind" | "id">): string {
  return `${kind}:${id}`;
}

/** What lists show of the team's part in issues. */
export interface ListTeam {
  /** By issue id: how urgent it is, and who has it. */
  readonly of: ReadonlyMap<string, { readonly priority: Priority; readonly assignee: string }>;
  readonly assignees: readonly Assignee[];
}

export async function loadListTeam(
  { kv, sql }: { readonly kv: Deno.Kv; readonly sql: Sql },
  project: { readonly id: string; readonly organizationId: string },
  issueIds: readonly string[],
): Promise<ListTeam> {
  const [rows, assignees] = await Promise.all([
    // A list that could not be read in time must not wait for its rows here.
    issueIds.length === 0 ? [] : sql<{ id: string; priority: Priority; assignee: string }[]>`
      select id, priority, coalesce(assignee_kind || ':' || assignee_id, '') as assignee
      from issues where project_id = ${project.id} and id = any (${[...issueIds]}::bigint[])
    `,
    listAssignees(kv, project),
  ]);
  return { of: new Map(rows.map(({ id, ...rest }) => [id, rest])), assignees };
}
