/** What resolving, archiving and reopening make of an issue, and what they need to know for it. */
import { InvalidInput } from "../../core/errors.ts";
import { HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import { packageOf } from "../../records/version.ts";
import { newestRelease, releaseExists, releaseOfCommit } from "../../releases/mod.ts";
import type { Transaction } from "../../store/database.ts";
import type { NewActivity } from "./activity.ts";
import { forecast, hourlyCounts } from "./forecast.ts";
import type { Locked, Standing } from "./standing.ts";
import type { IssueActor, Resolution, Snooze, Substatus } from "./state.ts";
import { t } from "../../core/language/translate.ts";

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

/** An entry of the activity, as far as the change itself tells it. */
export type Entry = Pick<NewActivity, "type" | "data">;

/** What was asked of the issues as a whole. */
export interface AskedStatus {
  readonly resolution: SettledResolution;
  readonly actor: IssueActor;
  readonly now: Date;
}

type Outcome = readonly [after: Standing, activity: Entry | null];

/** How an issue stands with another status, and what is written of it; null when it is as asked for already. */
export async function changeStatus(
  tx: Transaction,
  projectId: string,
  before: Locked,
  status: StatusChange,
  { resolution, actor, now }: AskedStatus,
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
    const { ageHours = 0 } = status;
    // It came again after it was found to be old.
    const isYoung = before.lastSeen.getTime() > now.getTime() - ageHours * HOUR_MS;
    if (ageHours > 0 && isYoung) return [before, null];
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

/** In what issues are resolved, and how the activity tells it. */
export interface SettledResolution {
  readonly resolution: Resolution | null;
  readonly activity: Entry;
}

/** In no release: from now on. */
export const NOW: SettledResolution = { resolution: null, activity: { type: "set_resolved" } };

/**
 * Turns what is asked for into what is stored: names of releases and commits that exist.
 *
 * @returns by issue id: the next release is that of the program in which an issue was seen, and a project may have several
 * @throws {InvalidInput} for a release that the project does not have, in words
 */
export async function settleResolutions(
  tx: Transaction,
  projectId: string,
  issues: readonly Locked[],
  status: StatusChange | undefined,
  actor: IssueActor,
): Promise<ReadonlyMap<string, SettledResolution>> {
  const settled = new Map<string, SettledResolution>();
  for (const some of Map.groupBy(issues, (issue) => packageOf(issue.lastRelease)).values()) {
    const like = some[0]?.lastRelease ?? "";
    const resolution = await settleResolution(tx, projectId, like, status, actor);
    for (const { id } of some) settled.set(id, resolution);
  }
  return settled;
}

async function settleResolution(
  tx: Transaction,
  projectId: string,
  like: string,
  status: StatusChange | undefined,
  actor: IssueActor,
): Promise<SettledResolution> {
  if (status?.to !== "resolved" || status.in === undefined) return NOW;
  const asked = status.in;
  if (asked.kind === "commit") {
    const { commit, repository } = asked;
    const version = await releaseOfCommit(tx, projectId, repository, commit);
    if (version !== null) return inRelease(version, actor, commit);
    // It may be pushed later: no event reopens the issue before a release has it.
    return {
      resolution: { kind: "commit", commit, repository, actor },
      activity: { type: "set_resolved_in_commit", data: { commit, repository } },
    };
  }
  if (asked.kind === "release" && asked.version !== "latest") {
    const { version, commit } = asked;
    if (actor.kind !== "release" && !await releaseExists(tx, projectId, version)) {
      throw new InvalidInput(
        "statusDetails",
        t("This project has no release {version}.", { version }),
      );
    }
    return inRelease(version, actor, commit);
  }
  const newest = await newestRelease(tx, projectId, like) ??
    await newestRelease(tx, projectId);
  if (newest === null) {
    throw new InvalidInput(
      "statusDetails",
      t("No release data present in the project: name releases in the SDK, or resolve without one."),
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
