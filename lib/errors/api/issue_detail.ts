/** One issue with all that is known of it, in the shape of Sentry's API. */
import { userJson } from "../../api/people.ts";
import { readScope } from "../../api/lists.ts";
import type { ApiContext } from "../../api/route.ts";
import type { ProjectAccess } from "../../accounts/authorize.ts";
import { DAY_MS } from "../../core/time.ts";
import { findRelease } from "../../releases/mod.ts";
import type { Sql } from "../../store/database.ts";
import { countsInScope, issueSparklines, occurrences } from "../issue_counts.ts";
import { tagsOfIssue } from "../issue_tags.ts";
import type { Issue } from "../issues.ts";
import { ownersOf } from "../ownership/issue_owners.ts";
import { countReports } from "../user_reports.ts";
import { listActivity } from "../workflow/activity.ts";
import { peopleOf, type Person } from "../workflow/people.ts";
import { activityJson, firstSeenJson } from "./activity_json.ts";
import type { IssueAccess } from "./issue_access.ts";
import { factsOf, Names } from "./issue_facts.ts";
import { inboxJson, issueJson, releaseJson, suggestionJson } from "./issue_json.ts";
import { hourly } from "./issue_list.ts";
import { tagKeysJson } from "./tags.ts";

const STATS_DAYS = 30;

/** One issue; of some environments only, where the request names some: then the count is theirs too. */
export async function issueDetailJson(ctx: ApiContext, { access, issue }: IssueAccess) {
  const { services } = ctx.state;
  const { sql, kv, config } = services;
  const now = new Date();
  const scope = readScope(ctx.url.searchParams, config.retentionDays, now);
  const projectId = access.project.id;
  const names = new Names(kv, access.organization);
  const [facts, counts, stats, people, activity, tags, reports, releases, owners] = await Promise
    .all([
      factsOf(services, [issue], [access]),
      countsInScope(sql, projectId, [issue.id], scope),
      statsOf(sql, issue, scope.environments, now),
      peopleOf(sql, projectId, [issue.id]),
      listActivity(sql, projectId, issue.id),
      tagsOfIssue(sql, projectId, issue.id, scope, { limit: 1 }),
      countReports(sql, projectId, issue.id),
      firstAndLastRelease(sql, issue),
      ownersOf(sql, projectId, [issue.id]),
    ]);
  const known = facts.get(issue.id);
  const count = scope.environments.length === 0 ? issue.timesSeen : counts.get(issue.id) ?? 0;
  return {
    ...issueJson(issue, access, known, config.baseUrl, now),
    count: String(count),
    stats,
    ...releases,
    tags: tagKeysJson(tags),
    userReportCount: reports,
    activity: [...await activityJson(activity, names), firstSeenJson(issue)],
    participants: await participantsJson(people, names),
    seenBy: await seenByJson(people, names),
    inbox: known === undefined ? null : inboxJson(known),
    owners: (owners.get(issue.id) ?? []).map(suggestionJson),
    pluginActions: [],
    pluginIssues: [],
    pluginContexts: [],
  };
}

/** Issues of one project without what takes longer to find out. */
export async function issuesJson(
  { state: { services } }: ApiContext,
  access: ProjectAccess,
  issues: readonly Issue[],
) {
  const facts = await factsOf(services, issues, [access]);
  const now = new Date();
  return issues.map((issue) =>
    issueJson(issue, access, facts.get(issue.id), services.config.baseUrl, now)
  );
}

async function statsOf(sql: Sql, issue: Issue, environments: readonly string[], now: Date) {
  const within = { environments, releases: [], start: issue.firstSeen, end: now };
  const [lines, days] = await Promise.all([
    issueSparklines(sql, issue.projectId, [issue.id], within, now),
    occurrences(sql, issue.projectId, issue.id, {
      ...within,
      start: new Date(now.getTime() - STATS_DAYS * DAY_MS),
      bucketSec: DAY_MS / 1000,
    }),
  ]);
  const firstDay = days.start.getTime();
  return {
    "24h": hourly(lines.get(issue.id) ?? [], now),
    "30d": days.counts.map((n, day) => [(firstDay + day * DAY_MS) / 1000, n]),
  };
}

/** The releases that had the issue first and last; of one that is deleted the name is left. */
export async function firstAndLastRelease(sql: Sql, issue: Issue) {
  const [firstRelease, lastRelease] = await Promise.all(
    [issue.firstRelease, issue.lastRelease].map((version) => knownRelease(sql, issue, version)),
  );
  return { firstRelease: firstRelease ?? null, lastRelease: lastRelease ?? null };
}

async function knownRelease(sql: Sql, { projectId }: Issue, version: string) {
  const named = releaseJson(version);
  const release = named && await findRelease(sql, projectId, version);
  if (release === null) return named;
  const { id, status, ref, url, createdAt, releasedAt, commitCount } = release;
  return {
    ...named,
    id: Number(id),
    status,
    ref: ref || null,
    url: url || null,
    dateCreated: createdAt,
    dateReleased: releasedAt,
    commitCount,
  };
}

/** Those who hear of the issue. */
export async function participantsJson(people: readonly Person[], names: Names) {
  const subscribed = people.filter(({ subscription }) => subscription && subscription !== "off");
  const users = await Promise.all(subscribed.map(({ userId }) => names.user(userId)));
  return users.flatMap((user) => user === null ? [] : [{ type: "user", ...userJson(user) }]);
}

/** Those who have looked at it, the last one first. */
async function seenByJson(people: readonly Person[], names: Names) {
  const seen = await Promise.all(people.map(async ({ userId, seenAt }) => {
    const user = seenAt && await names.user(userId);
    return user && { ...userJson(user), lastSeen: seenAt };
  }));
  return seen.filter((each) => each !== null);
}
