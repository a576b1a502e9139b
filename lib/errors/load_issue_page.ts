import { HttpError } from "fresh";
import { countLogsOfTrace } from "../logs/mod.ts";
import { deployMarkers } from "../releases/mod.ts";
import type { Sql } from "../store/database.ts";
import { isId } from "../store/query_limits.ts";
import { environmentsOf, releasesOf } from "../store/stats/series_names.ts";
import { bucketSecondsFor, intervalOf, parseScope } from "../ui/scope.ts";
import type { StackForm } from "./event/source_maps.ts";
import { withSourceLinks } from "./code/frame_links.ts";
import { suspectsOfEvent } from "./code/suspects.ts";
import type { FrameMode } from "./event/stack.ts";
import type { FrameOrder } from "./event/stack_trace.tsx";
import { fitPage, viewEvent } from "./event/view.ts";
import {
  attachmentsOf,
  feedbackOfEvent,
  findEventOfIssue,
  neighbours,
  type StoredEvent,
} from "./events.ts";
import { occurrences } from "./issue_counts.ts";
import { mergedInto } from "./issue_merge.ts";
import { findIssue, type Issue } from "./issues.ts";
import { loadTrackerLinks } from "./links/tracker_links.tsx";
import { findIssueNamed } from "./workflow/short_id.ts";
import { tagDistribution } from "./tags.ts";
import { t } from "../core/language/translate.ts";

/**
 * Reads everything that the page of an issue shows.
 *
 * @param which `latest`, `oldest` or an event id, hyphens allowed
 * @throws {HttpError} 404 when there is no such issue, or it has no such event
 */
export async function loadIssuePage(
  sql: Sql,
  { projectId, issueId, which, search }: {
    readonly projectId: string;
    readonly issueId: string;
    readonly which: string;
    readonly search: URLSearchParams;
  },
  now: Date = new Date(),
) {
  const scope = parseScope(search);
  const interval = intervalOf(scope, now);
  const within = { ...interval, environments: scope.environments, releases: scope.releases };
  const bucketSec = bucketSecondsFor(interval);
  const looking = requireEvent(sql, projectId, issueId, which);
  // Without the issue it has to be said that there is none, not that an event is missing.
  looking.catch(() => {});
  const issue = await requireIssue(sql, projectId, issueId);
  const event = await looking;
  const { eventId, traceId, timestamp } = event;
  const form: StackForm = search.get("stack") === "minified" ? "minified" : "mapped";
  const [near, counts, spreads, merged, environments, releases, beside] = await Promise.all([
    neighbours(sql, projectId, event),
    occurrences(sql, projectId, issueId, { ...within, bucketSec }),
    tagDistribution(sql, projectId, issueId, within),
    mergedInto(sql, projectId, issueId),
    environmentsOf(sql, projectId),
    releasesOf(sql, projectId),
    Promise.all([
      attachmentsOf(sql, projectId, eventId),
      feedbackOfEvent(sql, projectId, eventId),
      traceId === null ? 0 : countLogsOfTrace(sql, projectId, traceId, timestamp),
      loadTrackerLinks(sql, projectId, issueId),
      withSourceLinks(sql, projectId, event.release, fitPage(viewEvent(event.payload, form))),
      suspectsOfEvent(sql, projectId, issue.firstRelease, event),
      deployMarkers(sql, projectId, interval, scope, issue.lastRelease),
    ]),
  ]);
  const [attachments, feedback, traceLogs, tracked, view, suspects, markers] = beside;
  const mode: FrameMode = search.get("frames") === "all" ? "all" : "app";
  const order: FrameOrder = search.get("order") === "oldest" ? "oldest" : "newest";
  return {
    scope,
    issue,
    event,
    view,
    neighbours: near,
    occurrences: counts,
    bucketSec,
    /** When the scope ends. */
    end: interval.end,
    spreads,
    merged,
    attachments,
    feedback,
    /** How many logs the trace of the event has. */
    traceLogs,
    tracked,
    suspects,
    /** Deploys, for charts. */
    markers,
    environments,
    releases,
    mode,
    order,
    form,
  };
}

export type IssueDetails = Awaited<ReturnType<typeof loadIssuePage>>;

/** @throws {HttpError} 404 when the project has no such issue */
export async function requireIssue(sql: Sql, projectId: string, issueId: string): Promise<Issue> {
  const issue = isId(issueId) ? await findIssue(sql, projectId, issueId) : null;
  if (!issue) throw new HttpError(404, t("There is no such issue in this project."));
  return issue;
}

/** @throws {HttpError} 404 when the issue has no such event */
export async function requireEvent(
  sql: Sql,
  projectId: string,
  issueId: string,
  which: string,
): Promise<StoredEvent> {
  const id = which.replaceAll("-", "").toLowerCase();
  const isReadable = isId(issueId) && /^(?:latest|oldest|[0-9a-f]{32})$/.test(id);
  const event = isReadable ? await findEventOfIssue(sql, projectId, issueId, id) : null;
  if (!event) {
    throw new HttpError(404, t("This event does not exist, or is older than what is kept."));
  }
  return event;
}

/**
 * The id of the issue that an address names otherwise: by its short id, or by what was merged into it. Null when the
 * address has its id already, or there is no such issue.
 */
export async function issueElsewhere(
  sql: Sql,
  project: { readonly id: string; readonly slug: string },
  named: string,
): Promise<string | null> {
  const found = await findIssueNamed(sql, named, [project]);
  return found === null || found.id === named ? null : found.id;
}
