import type { ProjectAccess } from "../accounts/authorize.ts";
import type { Issue, IssueRow } from "./issues.ts";
import type { IssueMetadata } from "../records/mod.ts";

const HOUR_SEC = 3_600;

/** An issue as Sentry's API lists it: counted within the scope of the list, `lifetime` beside it. */
export function issueRowJson(
  row: IssueRow,
  access: ProjectAccess,
  baseUrl: string,
  isUnhandled: boolean,
  now: Date = new Date(),
) {
  return {
    ...issueJson(row, access, baseUrl, isUnhandled),
    count: String(row.countInScope),
    stats: { "24h": hourly(row.sparkline, now) },
    lifetime: {
      count: String(row.timesSeen),
      userCount: row.usersSeen,
      firstSeen: row.firstSeen,
      lastSeen: row.lastSeen,
      stats: null,
    },
    filtered: null,
  };
}

/** An issue without what depends on a time range. */
export function issueJson(
  issue: Issue,
  { project }: ProjectAccess,
  baseUrl: string,
  isUnhandled: boolean,
) {
  const { id, name, slug, platform } = project;
  return {
    id: issue.id,
    shortId: `${slug.toUpperCase()}-${issue.id}`,
    shareId: null,
    title: issue.title,
    culprit: issue.culprit,
    permalink: `${baseUrl}/projects/${id}/issues/${issue.id}`,
    logger: null,
    level: issue.level,
    status: issue.status,
    statusDetails: {},
    substatus: substatusOf(issue),
    isPublic: false,
    platform: issue.platform,
    project: { id, name, slug, platform },
    type: issue.type,
    issueType: "error",
    issueCategory: "error",
    metadata: metadataJson(issue),
    priority: null,
    priorityLockedAt: null,
    isUnhandled,
    count: String(issue.timesSeen),
    userCount: issue.usersSeen,
    firstSeen: issue.firstSeen,
    lastSeen: issue.lastSeen,
    numComments: 0,
    assignedTo: null,
    isBookmarked: false,
    isSubscribed: false,
    subscriptionDetails: null,
    hasSeen: true,
    annotations: [],
  };
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

function substatusOf({ status, isRegressed }: Issue): string | null {
  if (status === "ignored") return "archived_forever";
  if (status === "resolved") return null;
  return isRegressed ? "regressed" : "ongoing";
}

/** Pairs of the seconds at which an hour begins and its count, oldest first. */
export function hourly(counts: readonly number[], now: Date): [number, number][] {
  const newest = Math.floor(now.getTime() / 1000 / HOUR_SEC) * HOUR_SEC;
  return counts.map((count, i) => [newest - (counts.length - 1 - i) * HOUR_SEC, count]);
}
