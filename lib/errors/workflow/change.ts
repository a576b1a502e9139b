/**
 * The one way in which issues change, whoever asks: people on pages and by the API, rules, releases. Each change writes
 * what was done, and what was before, in its own transaction.
 */
import type { Sql, Transaction } from "../../store/database.ts";
import { type NewActivity, writeActivity } from "./activity.ts";
import {
  type AskedStatus,
  changeStatus,
  type Entry,
  NOW,
  settleResolutions,
  type StatusChange,
} from "./change_status.ts";
import { subscribe } from "./people.ts";
import {
  GROUP_COLUMNS,
  groupOf,
  type Locked,
  lockIssues,
  pick,
  type Standing,
  writeStandings,
} from "./standing.ts";
import type { Assignee, IssueActor, Priority } from "./state.ts";

/** What is absent stays as it is. Assignees have been found: `resolveAssignee()`. */
export interface IssueChange {
  readonly status?: StatusChange;
  readonly priority?: Priority;
  /** Null: nobody. */
  readonly assignee?: (Assignee & { readonly email?: string }) | null;
}

/** What a change did. */
export interface ChangeDone {
  /** Issues that are not as they were. */
  readonly changed: readonly string[];
  /** For `undoChange()`; null when nothing changed. */
  readonly undo: string | null;
}

export interface ChangeServices {
  readonly sql: Sql;
}

/** More at once would hold too many rows. */
const MAX_CHANGED = 1_000;

/**
 * Changes issues of a project. Ids that are unknown, merged, or as asked for already, are passed over.
 *
 * @param issueIds decimal
 * @throws {InvalidInput} for a release or commit that the project does not have, in words
 */
export async function changeIssues(
  { sql }: ChangeServices,
  projectId: string,
  issueIds: readonly string[],
  change: IssueChange,
  actor: IssueActor,
  now: Date = new Date(),
): Promise<ChangeDone> {
  return await sql.begin((tx) => changeIn(tx, projectId, issueIds, change, actor, now));
}

/** The same within a transaction that the caller has begun. */
export async function changeIn(
  tx: Transaction,
  projectId: string,
  issueIds: readonly string[],
  change: IssueChange,
  actor: IssueActor,
  now: Date,
): Promise<ChangeDone> {
  const ids = [...new Set(issueIds)].slice(0, MAX_CHANGED);
  if (ids.length === 0) return { changed: [], undo: null };
  const locked = await lockIssues(tx, projectId, ids, now);
  const resolutions = await settleResolutions(tx, projectId, locked, change.status, actor);
  const changes: { before: Locked; after: Standing; activity: Entry[] }[] = [];
  for (const before of locked) {
    const resolution = resolutions.get(before.id) ?? NOW;
    const made = await changeOne(tx, projectId, before, { change, resolution, actor, now });
    if (made.activity.length > 0) changes.push({ before, ...made });
  }
  if (changes.length === 0) return { changed: [], undo: null };
  await writeStandings(tx, projectId, changes.map(({ after }) => after));
  const [drawn] = await tx<{ id: string }[]>`select nextval('issue_activity_ids') as id`;
  const changeId = drawn?.id ?? "0";
  await writeActivity(
    tx,
    changes.flatMap(({ before, activity }) =>
      activity.map((entry): NewActivity => ({
        ...entry,
        projectId,
        issueId: before.id,
        actor,
        at: now,
        changeId,
        before: pick(before, GROUP_COLUMNS[groupOf(entry.type)]),
      }))
    ),
  );
  const changed = changes.map(({ before }) => before.id);
  const { assignee } = change;
  if (assignee?.kind === "user") await subscribe(tx, projectId, changed, assignee.id, "assigned");
  if (actor.kind === "user" && actor.id !== undefined && change.status !== undefined) {
    await subscribe(tx, projectId, changed, actor.id, "changed_status");
  }
  return { changed, undo: changeId };
}

interface Asked extends AskedStatus {
  readonly change: IssueChange;
}

async function changeOne(
  tx: Transaction,
  projectId: string,
  before: Locked,
  asked: Asked,
): Promise<{ after: Standing; activity: Entry[] }> {
  const activity: Entry[] = [];
  let after: Standing = before;
  const { change: { status, priority, assignee }, actor, now } = asked;
  if (status !== undefined) {
    const [changed, entry] = await changeStatus(tx, projectId, after as Locked, status, asked);
    if (entry !== null) activity.push(entry);
    after = changed;
  }
  if (priority !== undefined && (priority !== before.priority || !before.priorityLockedAt)) {
    after = { ...after, priority, priorityLockedAt: now.toISOString() };
    if (priority !== before.priority) activity.push({ type: "set_priority", data: { priority } });
  }
  if (assignee !== undefined && mayAssign(before, assignee, actor)) {
    after = {
      ...after,
      assigneeKind: assignee?.kind ?? null,
      assigneeId: assignee?.id ?? null,
      assignedBy: assignee === null ? null : actor.kind,
    };
    activity.push(
      assignee === null ? { type: "unassigned" } : {
        type: "assigned",
        data: {
          assignee: assignee.id,
          assigneeType: assignee.kind,
          ...assignee.email === undefined ? {} : { assigneeEmail: assignee.email },
          ...actor.kind === "rule" ? { rule: actor.id } : {},
        },
      },
    );
  }
  return { after, activity };
}

/** What a person has chosen no rule changes. */
function mayAssign(before: Locked, assignee: Assignee | null, actor: IssueActor): boolean {
  const isSame = before.assigneeKind === (assignee?.kind ?? null) &&
    before.assigneeId === (assignee?.id ?? null);
  return !isSame && (actor.kind === "user" || before.assignedBy !== "user");
}
