/** What the team makes of issues, read for all of a list at once: the number of questions does not grow with the list. */
import { findTeam } from "../../accounts/teams.ts";
import type { ProjectAccess } from "../../accounts/authorize.ts";
import { findUser, type User } from "../../accounts/users.ts";
import { userJson } from "../../api/people.ts";
import type { Backend } from "../../store/stores.ts";
import type { Queryable } from "../../store/database.ts";
import { unhandledIssues } from "../issues.ts";
import { type IssueLink, linksOfIssues } from "../links/issue_links.ts";
import { shareIds } from "../manage/shares.ts";
import type { IssueStatus } from "../search/terms.ts";
import { countNotes } from "../workflow/activity.ts";
import { isForReview } from "../workflow/inbox.ts";
import { peopleOf, type Person } from "../workflow/people.ts";
import type { IssueActor, Priority, Resolution, Snooze, Substatus } from "../workflow/state.ts";

/** How an issue stands, and who has it. */
interface State {
  readonly id: string;
  readonly status: IssueStatus;
  readonly substatus: Substatus | null;
  readonly substatusSince: Date | null;
  readonly statusChangedAt: Date;
  readonly resolution: Resolution | null;
  readonly snooze: Snooze | null;
  readonly priority: Priority;
  readonly priorityLockedAt: Date | null;
  readonly assigneeKind: "user" | "team" | null;
  readonly assigneeId: string | null;
  readonly timesSeen: number;
  readonly usersSeen: number;
  readonly isForReview: boolean;
}

/** What is known of an issue beside its events. */
export interface IssueFacts {
  readonly state: State;
  readonly isUnhandled: boolean;
  /** Of its newest link for everybody; null: it is not public. */
  readonly shareId: string | null;
  /** What it is to whoever asks. */
  readonly self: Person | null;
  readonly comments: number;
  readonly links: readonly IssueLink[];
  readonly assignee: AssigneeJson | null;
  /** Who resolved or archived it with a condition. */
  readonly actor: ReturnType<typeof userJson> | null;
}

/** As Sentry tells whom an issue is assigned to. A team's name is its slug there. */
export interface AssigneeJson {
  readonly type: "user" | "team";
  readonly id: string;
  readonly name: string;
  readonly email?: string;
}

/** An issue and where it is. */
export interface PlacedIssue {
  readonly id: string;
  readonly projectId: string;
}

/**
 * The facts of issues.
 *
 * @param accesses to their projects, all of one organization
 * @returns by issue id; issues that have gone meanwhile are missing
 */
export async function factsOf(
  { kv, sql }: Pick<Backend, "kv" | "sql">,
  issues: readonly PlacedIssue[],
  accesses: readonly ProjectAccess[],
): Promise<Map<string, IssueFacts>> {
  const [access] = accesses;
  if (issues.length === 0 || access === undefined) return new Map();
  const names = new Names(kv, access.organization);
  const byProject = Map.groupBy(issues, ({ projectId }) => projectId);
  const found = await Promise.all(
    [...byProject].map(([projectId, each]) => {
      const ids = each.map(({ id }) => id);
      return factsWithin(sql, projectId, ids, access.userId, names);
    }),
  );
  return new Map(found.flat());
}

async function factsWithin(
  sql: Backend["sql"],
  projectId: string,
  ids: readonly string[],
  userId: string | null,
  names: Names,
): Promise<[string, IssueFacts][]> {
  const [states, unhandled, shares, people, comments, links] = await Promise.all([
    statesOf(sql, projectId, ids),
    unhandledIssues(sql, projectId, ids),
    shareIds(sql, projectId, ids),
    userId === null ? [] : peopleOf(sql, projectId, ids, userId),
    countNotes(sql, projectId, ids),
    linksOfIssues(sql, projectId, ids),
  ]);
  const selves = new Map(people.map((person) => [person.issueId, person]));
  return await Promise.all(states.map(async (state): Promise<[string, IssueFacts]> => {
    const { id } = state;
    const [assignee, actor] = await Promise.all([
      names.assignee(state.assigneeKind, state.assigneeId),
      names.actor(state.resolution?.actor ?? state.snooze?.actor),
    ]);
    return [id, {
      state,
      isUnhandled: unhandled.has(id),
      shareId: shares.get(id) ?? null,
      self: selves.get(id) ?? null,
      comments: comments.get(id) ?? 0,
      links: links.get(id) ?? [],
      assignee,
      actor,
    }];
  }));
}

async function statesOf(
  sql: Queryable,
  projectId: string,
  ids: readonly string[],
): Promise<State[]> {
  return await sql<State[]>`
    select
      i.id, i.status, i.substatus, i.substatus_since as "substatusSince",
      i.status_changed_at as "statusChangedAt", i.resolution, i.snooze, i.priority,
      i.priority_locked_at as "priorityLockedAt", i.assignee_kind as "assigneeKind",
      i.assignee_id as "assigneeId", i.times_seen::float8 as "timesSeen",
      i.users_seen::float8 as "usersSeen", ${isForReview(sql)} as "isForReview"
    from issues as i
    where i.project_id = ${projectId} and i.id = any (${[...ids]}::bigint[])
  `;
}

/** People and teams of an organization by their ids, each read once. */
export class Names {
  readonly #users = new Map<string, Promise<User | null>>();
  readonly #teams = new Map<string, Promise<AssigneeJson | null>>();

  constructor(
    private readonly kv: Deno.Kv,
    private readonly organization: { readonly id: string; readonly createdAt: Date },
  ) {}

  /** Null for those whose account is gone. */
  user(id: string): Promise<User | null> {
    return once(this.#users, id, () => findUser(this.kv, id));
  }

  /** The person behind what was done; null where there is none. */
  async actor(actor: IssueActor | undefined): Promise<ReturnType<typeof userJson> | null> {
    const user = actor?.kind === "user" && actor.id !== undefined
      ? await this.user(actor.id)
      : null;
    return user && userJson(user);
  }

  async assignee(kind: "user" | "team" | null, id: string | null): Promise<AssigneeJson | null> {
    if (kind === null || id === null) return null;
    if (kind === "team") {
      return await once(this.#teams, id, async () => {
        const team = await findTeam(this.kv, this.organization, id);
        return team && { type: "team", id, name: team.slug };
      });
    }
    const user = await this.user(id);
    return user && { type: "user", id, name: user.name, email: user.email };
  }
}

function once<T>(known: Map<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? ask();
  known.set(key, found);
  return found;
}
