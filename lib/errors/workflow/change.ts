/**
 * The one way in which issues change, whoever asks: people on pages and by the API, rules, releases. Each change writes
 * what was done, and what was before, in its own transaction.
 */
import { InvalidInput } from "../../core/errors.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { newestRelease, releaseExists } from "../../releases/mod.ts";
import type { Sql, Transaction } from "../../store/database.ts";
import type { IssueStatus } from "../search/terms.ts";
import { type NewActivity, writeActivity } from "./activity.ts";
import { forecast, hourlyCounts } from "./forecast.ts";
import { subscribe } from "./people.ts";
import type { Assignee, IssueActor, Priority, Resolution, Snooze, Substatus } from "./state.ts";

/** In what an issue is resolved: now when absent. */
export type ResolveIn =
  | { readonly kind: "next" }
  /** `latest`: the newest release of the project. */
  | { readonly kind: "release"; readonly version: string; readonly commit?: string }
  | { readonly kind: "commit"; readonly commit: string; readonly repository: string };

/** What ends an archiving, whichever comes first; nothing: only a person does. */
export interface ArchiveUntil {
  readonly escalating?: boolean;
  readonly minutes?: number;
  readonly count?: number;
  /** Minutes. */
  readonly window?: number;
  readonly userCount?: number;
  /** Minutes. */
  readonly userWindow?: number;
}

export type StatusChange =
  | { readonly to: "resolved"; readonly in?: ResolveIn; readonly ageHours?: number }
  | { readonly to: "ignored"; readonly until?: ArchiveUntil }
  | { readonly to: "unresolved"; readonly substatus?: Substatus };

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

/** How an issue is before a change, and after it. */
interface Standing {
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

interface Locked extends Standing {
  readonly timesSeen: number;
  readonly usersSeen: number;
  readonly isYoung: boolean;
}

export interface ChangeServices {
  readonly sql: Sql;
}

/** More at once would hold too many rows. */
export const MAX_CHANGED = 1_000;

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
  const resolution = await settleResolution(tx, projectId, change.status, actor);
  const locked = await lockIssues(tx, projectId, ids, now);
  const changes: { before: Locked; after: Standing; activity: Entry[] }[] = [];
  for (const before of locked) {
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

type Entry = Pick<NewActivity, "type" | "data">;

interface Asked {
  readonly change: IssueChange;
  readonly resolution: SettledResolution;
  readonly actor: IssueActor;
  readonly now: Date;
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

type Outcome = readonly [after: Standing, activity: Entry | null];

async function changeStatus(
  tx: Transaction,
  projectId: string,
  before: Locked,
  status: StatusChange,
  { resolution, actor, now }: Asked,
): Promise<Outcome> {
  const at = now.toISOString();
  const moved = {
    ...before,
    status: status.to,
    statusChangedAt: before.status === status.to ? before.statusChangedAt : at,
    substatusSince: at,
    resolution: null,
    snooze: null,
  };
  if (status.to === "resolved") {
    if (before.status === "resolved" && isSame(before.resolution, resolution.resolution)) {
      return [before, null];
    }
    const after: Standing = {
      ...moved,
      statusChangedAt: at,
      substatus: null,
      substatusSince: null,
      resolution: resolution.resolution,
    };
    return [
      after,
      status.ageHours === undefined
        ? resolution.activity
        : { type: "set_resolved_by_age", data: { age: status.ageHours } },
    ];
  }
  if (status.to === "unresolved") {
    const substatus = status.substatus ??
      (before.status === "ignored" && before.isYoung ? "new" : "ongoing");
    const isChanged = before.status !== "unresolved" ||
      (status.substatus === undefined
        ? before.substatus === "regressed" || before.substatus === "escalating"
        : before.substatus !== substatus);
    return isChanged ? [{ ...moved, substatus }, { type: "set_unresolved" }] : [before, null];
  }
  const snooze = await snoozeOf(tx, projectId, before, status.until ?? {}, actor, now);
  const substatus: Substatus = snooze === null
    ? "archived_forever"
    : snooze.ceilings !== undefined
    ? "archived_until_escalating"
    : "archived_until_condition_met";
  if (before.status === "ignored" && snooze === null && before.substatus === substatus) {
    return [before, null];
  }
  const { until = {} } = status;
  return [{ ...moved, substatus, snooze }, {
    type: "set_ignored",
    data: {
      ignoreCount: until.count ?? null,
      ignoreDuration: until.minutes ?? null,
      ignoreUntil: snooze?.until ?? null,
      ignoreUserCount: until.userCount ?? null,
      ignoreUserWindow: until.userWindow ?? null,
      ignoreWindow: until.window ?? null,
      ignoreUntilEscalating: until.escalating ?? null,
    },
  }];
}

function isSame(a: Resolution | null, b: Resolution | null): boolean {
  const text = (each: Resolution | null) =>
    each === null ? "" : JSON.stringify({ ...each, actor: undefined });
  return text(a) === text(b);
}

async function snoozeOf(
  tx: Transaction,
  projectId: string,
  { id, timesSeen, usersSeen }: Locked,
  until: ArchiveUntil,
  actor: IssueActor,
  now: Date,
): Promise<Snooze | null> {
  const { escalating, minutes, ...counts } = until;
  const begun = { timesSeen, usersSeen, actor };
  if (escalating) {
    const ceilings = forecast(await hourlyCounts(tx, projectId, id, now));
    return { ...begun, ceilings, ceilingsFrom: now.toISOString() };
  }
  if (minutes === undefined && counts.count === undefined && counts.userCount === undefined) {
    return null;
  }
  return {
    ...begun,
    ...counts,
    ...minutes === undefined
      ? {}
      : { until: new Date(now.getTime() + minutes * MINUTE_MS).toISOString() },
  };
}

interface SettledResolution {
  readonly resolution: Resolution | null;
  readonly activity: Entry;
}

const NOW: SettledResolution = { resolution: null, activity: { type: "set_resolved" } };

/** Turns what is asked for into what is stored: names of releases and commits that exist. */
async function settleResolution(
  tx: Transaction,
  projectId: string,
  status: StatusChange | undefined,
  actor: IssueActor,
): Promise<SettledResolution> {
  if (status?.to !== "resolved" || status.in === undefined) return NOW;
  const asked = status.in;
  if (asked.kind === "commit") {
    // It may be pushed later: no event reopens the issue before a release has it.
    const { commit, repository } = asked;
    return {
      resolution: { kind: "commit", commit, repository, actor },
      activity: { type: "set_resolved_in_commit", data: { commit, repository } },
    };
  }
  if (asked.kind === "release" && asked.version !== "latest") {
    const { version, commit } = asked;
    if (actor.kind !== "release" && !await releaseExists(tx, projectId, version)) {
      throw new InvalidInput("statusDetails", `This project has no release ${version}.`);
    }
    return inRelease(version, actor, commit);
  }
  const newest = await newestRelease(tx, projectId);
  if (newest === null) {
    throw new InvalidInput(
      "statusDetails",
      "No release data present in the project: name releases in the SDK, or resolve without one.",
    );
  }
  if (asked.kind === "release") return inRelease(newest.version, actor);
  return {
    resolution: { kind: "next", after: newest.version, actor },
    activity: {
      type: "set_resolved_in_release",
      data: { version: "", current_release_version: newest.version },
    },
  };
}

function inRelease(version: string, actor: IssueActor, commit?: string): SettledResolution {
  const named = commit === undefined ? { version } : { version, commit };
  return {
    resolution: { kind: "release", ...named, actor },
    activity: { type: "set_resolved_in_release", data: named },
  };
}

/** Locked in the writer's order, so that neither waits for the other in a circle. */
async function lockIssues(
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
      first_seen > ${now}::timestamptz - interval '7 days' as "isYoung"
    from issues
    where project_id = ${projectId} and id = any (${[...ids]}::bigint[]) and merged_into is null
    order by id
    for update
  `;
}

/** Writes what may have changed of issues that are locked. */
async function writeStandings(
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
const GROUP_COLUMNS = {
  status: ["status", "statusChangedAt", "substatus", "substatusSince", "resolution", "snooze"],
  priority: ["priority", "priorityLockedAt"],
  assignee: ["assigneeKind", "assigneeId", "assignedBy"],
} as const satisfies Record<string, readonly (keyof Standing)[]>;

type Group = keyof typeof GROUP_COLUMNS;

function groupOf(type: string): Group {
  if (type === "set_priority") return "priority";
  return type === "assigned" || type === "unassigned" ? "assignee" : "status";
}

function pick(row: object, names: readonly string[]): Record<string, unknown> {
  const values = new Map(Object.entries(row));
  return Object.fromEntries(names.map((name) => [name, values.get(name) ?? null]));
}

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
        and id > ${made[0]?.id ?? "0"} and change_id is distinct from ${undo} and type <> 'note'
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
