/** An issue in the shape of Sentry's API: what holds of it in lists and alone. */
import { z } from "zod";
import type { ProjectAccess } from "../../accounts/authorize.ts";
import type { IssueMetadata } from "../../records/mod.ts";
import type { Issue } from "../issues.ts";
import type { IssueOwner } from "../ownership/issue_owners.ts";
import { ISSUE_STATUSES } from "../search/terms.ts";
import { shortIdOf } from "../workflow/short_id.ts";
import { PRIORITIES, SUBSTATUSES } from "../workflow/state.ts";
import type { IssueFacts } from "./issue_facts.ts";

const time = z.iso.datetime();
const Hours = z.array(z.tuple([z.int(), z.int()])).describe(
  "Pairs of seconds since 1970 and events",
);

export const AssigneeJson = z.object({
  type: z.enum(["user", "team"]),
  id: z.string(),
  name: z.string().describe("Of a team its slug"),
  email: z.string().optional(),
});

const Lifetime = z.object({
  count: z.string(),
  userCount: z.int(),
  firstSeen: time,
  lastSeen: time,
  stats: z.null(),
});

/** In the shape of Sentry's, of which these are the most useful properties. */
export const IssueJson = z.looseObject({
  id: z.string(),
  shortId: z.string(),
  shareId: z.string().nullable(),
  title: z.string(),
  culprit: z.string(),
  permalink: z.string(),
  level: z.string(),
  status: z.enum(ISSUE_STATUSES),
  statusDetails: z.looseObject({}).describe(
    "Resolved: inNextRelease, inRelease or inCommit; archived: what is left until it ends",
  ),
  substatus: z.enum(SUBSTATUSES).nullable(),
  isPublic: z.boolean(),
  type: z.string(),
  platform: z.string(),
  project: z.looseObject({ id: z.string(), slug: z.string(), name: z.string() }),
  metadata: z.looseObject({}),
  priority: z.enum(PRIORITIES),
  priorityLockedAt: time.nullable().describe("When somebody chose the priority"),
  assignedTo: AssigneeJson.nullable(),
  isUnhandled: z.boolean().optional(),
  count: z.string().describe("Events in the scope"),
  userCount: z.int(),
  firstSeen: time,
  lastSeen: time,
  numComments: z.int(),
  isBookmarked: z.boolean(),
  isSubscribed: z.boolean(),
  subscriptionDetails: z.object({ reason: z.string() }).nullable(),
  hasSeen: z.boolean(),
  annotations: z.array(z.object({ displayName: z.string(), url: z.string() })).describe(
    "Linked issues of trackers",
  ),
  stats: z.record(z.string(), Hours).optional(),
  lifetime: Lifetime.nullable().optional(),
}).meta({ title: "Issue" });

/** An issue without what depends on a time range. */
export function issueJson(
  issue: Issue,
  { project }: ProjectAccess,
  facts: IssueFacts | undefined,
  baseUrl: string,
  now: Date,
) {
  const { id, name, slug, platform } = project;
  return {
    id: issue.id,
    shortId: shortIdOf(slug, issue.number),
    title: issue.title,
    culprit: issue.culprit,
    permalink: `${baseUrl}/projects/${id}/issues/${issue.id}`,
    logger: null,
    level: issue.level,
    platform: issue.platform,
    project: { id, name, slug, platform },
    type: issue.type,
    issueType: "error",
    issueCategory: "error",
    metadata: metadataJson(issue),
    count: String(issue.timesSeen),
    userCount: issue.usersSeen,
    firstSeen: issue.firstSeen,
    lastSeen: issue.lastSeen,
    ...standingJson(issue, facts, now),
    ...teamJson(facts),
  };
}

/** How it stands. A time of archiving that is over ends it, although the clock comes by only once a minute. */
function standingJson(issue: Issue, facts: IssueFacts | undefined, now: Date) {
  const state = facts?.state;
  const until = state?.snooze?.until;
  if (issue.status === "ignored" && until !== undefined && new Date(until) <= now) {
    return { status: "unresolved", substatus: "ongoing", statusDetails: {} };
  }
  return {
    status: issue.status,
    substatus: issue.substatus,
    statusDetails: facts === undefined ? {} : statusDetailsJson(facts),
  };
}

function teamJson(facts: IssueFacts | undefined) {
  const subscription = facts?.self?.subscription ?? null;
  const isSubscribed = subscription !== null && subscription !== "off";
  return {
    isPublic: (facts?.shareId ?? null) !== null,
    shareId: facts?.shareId ?? null,
    priority: facts?.state.priority ?? "high",
    priorityLockedAt: facts?.state.priorityLockedAt ?? null,
    isUnhandled: facts?.isUnhandled ?? false,
    numComments: facts?.comments ?? 0,
    assignedTo: facts?.assignee ?? null,
    isBookmarked: facts?.self?.isBookmarked ?? false,
    isSubscribed,
    subscriptionDetails: isSubscribed ? { reason: subscription } : null,
    hasSeen: (facts?.self?.seenAt ?? null) !== null,
    annotations: (facts?.links ?? []).map(({ key, url }) => ({ displayName: key, url })),
  };
}

/** In what it is resolved, or what is left until its archiving ends. */
export function statusDetailsJson({ state, actor }: Pick<IssueFacts, "state" | "actor">) {
  const { status, resolution, snooze } = state;
  const by = actor === null ? {} : { actor };
  if (status === "resolved" && resolution !== null) {
    switch (resolution.kind) {
      case "next":
        return { inNextRelease: true, ...by };
      case "release":
        return { inRelease: resolution.version, ...by };
      case "commit": {
        const { commit, repository } = resolution;
        return { inCommit: { id: commit, commit, repository: { name: repository } }, ...by };
      }
    }
  }
  if (status !== "ignored" || snooze === null) return {};
  if (snooze.ceilings !== undefined) return { ignoreUntilEscalating: true, ...by };
  const left = (asked: number | undefined, window: number | undefined, since: number) =>
    asked === undefined ? null : window === undefined ? Math.max(0, asked - since) : asked;
  return {
    ignoreCount: left(snooze.count, snooze.window, state.timesSeen - snooze.timesSeen),
    ignoreUntil: snooze.until ?? null,
    ignoreUserCount: left(snooze.userCount, snooze.userWindow, state.usersSeen - snooze.usersSeen),
    ignoreUserWindow: snooze.userWindow ?? null,
    ignoreWindow: snooze.window ?? null,
    actor,
  };
}

/** Why somebody should look at it, in Sentry's numbers; null: nobody has to. */
export function inboxJson({ state }: IssueFacts) {
  if (!state.isForReview) return null;
  const reasons: Readonly<Record<string, number>> = { new: 0, regressed: 2, escalating: 5 };
  return {
    reason: reasons[state.substatus ?? ""] ?? 3,
    reason_details: null,
    date_added: state.substatusSince ?? state.statusChangedAt,
  };
}

const OWNER_TYPES = {
  rule: "ownershipRule",
  codeowners: "codeowners",
  suspect: "suspectCommit",
} as const satisfies Record<IssueOwner["source"], string>;

/** Who is suggested as an owner, and why in the words of Sentry. */
export function suggestionJson({ kind, id, source, createdAt }: IssueOwner) {
  return { type: OWNER_TYPES[source], owner: `${kind}:${id}`, date_added: createdAt };
}

/** What an issue or event is, in short: of an error type, value and place; of anything else the title. */
export function metadataJson(
  { type, title, metadata }: Pick<Issue, "type" | "title" | "metadata">,
): IssueMetadata & { readonly title?: string } {
  return type === "error" ? metadata : { title, ...metadata };
}

/** A release is nothing but its name here; null for none. */
export function releaseJson(version: string) {
  return version === "" ? null : { version, shortVersion: version };
}
