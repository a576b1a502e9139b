import { z } from "zod";
import { onProject, onProjectsOfQuery } from "../api/access.ts";
import { PAGE_QUERY, TIME_QUERY } from "../api/lists.ts";
import type { ApiMethods, ApiRoutes } from "../api/route.ts";
import {
  eventIdReply,
  eventReply,
  type EventsMatching,
  issueEventReply,
  issueEventsReply,
} from "./api_events.ts";
import { IssueChanges } from "./api/change_body.ts";
import { ChangedIssuesJson, issuesUpdateReply, issueUpdateReply } from "./api/change_issues.ts";
import { ACTIVITIES, NOTE, NOTES, ORGANIZATION_ACTIVITY, PARTICIPANTS } from "./api/discussion.ts";
import { onIssue } from "./api/issue_access.ts";
import { issueDetailJson } from "./api/issue_detail.ts";
import {
  CURRENT_RELEASE,
  EVENT_FILE,
  EVENT_FILES,
  FIRST_LAST_RELEASE,
  ISSUE_FILES,
  REPORTS,
  STATS,
} from "./api/issue_extras.ts";
import { IssueJson } from "./api/issue_json.ts";
import {
  issueListReply,
  issuesCountReply,
  issuesStatsReply,
  SHAPE_QUERY,
} from "./api/issue_list.ts";
import { ISSUE_TAG, ISSUE_TAG_VALUES, ISSUE_TAGS } from "./api/tags.ts";
import { mapAgainReply } from "./remap/api.ts";
import {
  deleteIssue,
  deleteIssuesOfOrganization,
  deleteIssuesOfProject,
  HASHES,
  sharedRoutes,
  SIMILAR,
} from "./manage/api.ts";
import { savedSearchRoutes } from "./saved/api.ts";

const text = z.string().optional();
const SCOPE = { environment: z.array(z.string()), ...TIME_QUERY };
const PROJECTS = { project: z.array(z.string()).describe("Ids or slugs; -1 or none for all") };
const ListQuery = z.object({
  query: text.describe("As in the search box, or the id of an event; is:unresolved unless told"),
  status: z.array(z.string()).describe("In place of is: in the query"),
  sort: text.describe("date, new, freq, user, trends or recommended, inbox"),
  group: z.array(z.string()).describe("These issues, whatever the query"),
  shortIdLookup: text.describe("1: a query that is a short id means that issue"),
  ...PROJECTS,
  ...SCOPE,
  ...SHAPE_QUERY,
  ...PAGE_QUERY,
});
const UpdateQuery = z.object({
  id: z.array(z.string()).describe("Ids or short ids; none: what the query finds, up to 1,000"),
  ...ListQuery.shape,
});

const EventJson = z.looseObject({
  id: z.string(),
  eventID: z.string(),
  groupID: z.string(),
  projectID: z.string(),
  title: z.string(),
  message: z.string(),
  platform: z.string(),
  dateCreated: z.iso.datetime(),
  tags: z.array(z.object({ key: z.string(), value: z.string() })),
}).meta({ title: "Event" });
/** Of one issue, whether the address names its organization or not. */
const ONE_ISSUE: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "One issue",
    query: z.object(SCOPE),
    answer: IssueJson,
  }, issueDetailJson),
  PUT: onIssue("issue:write", {
    summary: "Changes one issue",
    body: IssueChanges,
    answer: IssueJson,
  }, issueUpdateReply),
  DELETE: deleteIssue,
};
function itsEvents(eventsMatching: EventsMatching): ApiMethods {
  return {
    GET: onIssue("project:read", {
      tag: "Events",
      summary: "The events of an issue, newest first",
      query: z.object({
        query: text.describe("As of errors in events/"),
        full: text.describe("true for all that is in them"),
        ...SCOPE,
        ...PAGE_QUERY,
      }),
      answer: z.array(EventJson),
    }, (ctx, found) => issueEventsReply(ctx, found, eventsMatching)),
  };
}
const ITS_EVENT: ApiMethods = {
  GET: onIssue("project:read", {
    tag: "Events",
    summary: "One event of an issue: latest, oldest, recommended, helpful, or by its id",
    answer: EventJson,
  }, issueEventReply),
};

/** Ours: Sentry maps once, when an event comes. */
const MAP_AGAIN: ApiMethods = {
  POST: onIssue("issue:write", {
    summary: "Has the newest events of an issue mapped by the source maps that are there now",
    answer: z.object({ events: z.int().describe("Events that are looked at within seconds") }),
  }, mapAgainReply),
};

const LIST = {
  summary: "The issues of projects",
  query: ListQuery,
  answer: z.array(IssueJson),
};
const UPDATE = {
  summary: "Changes or merges the issues of these ids, or those that match the search",
  // When none of them is there.
  alsoStatus: 204,
  query: UpdateQuery,
  body: IssueChanges,
  answer: ChangedIssuesJson,
};

/** What follows the address of an issue. */
const OF_ISSUE: ApiRoutes = {
  "": ONE_ISSUE,
  "/events/:event": ITS_EVENT,
  "/map-again": MAP_AGAIN,
  "/notes": NOTES,
  "/notes/:note": NOTE,
  "/comments": NOTES,
  "/comments/:note": NOTE,
  "/activities": ACTIVITIES,
  "/participants": PARTICIPANTS,
  "/tags": ISSUE_TAGS,
  "/tags/:tag": ISSUE_TAG,
  "/tags/:tag/values": ISSUE_TAG_VALUES,
  "/user-reports": REPORTS,
  "/user-feedback": REPORTS,
  "/stats": STATS,
  "/attachments": ISSUE_FILES,
  "/first-last-release": FIRST_LAST_RELEASE,
  "/current-release": CURRENT_RELEASE,
  "/hashes": HASHES,
  "/similar": SIMILAR,
};

/** With or without the organization, and under the name that issues had once. */
const ISSUES = ["/issues/:issue", "/groups/:issue", "/organizations/:organization/issues/:issue"];

/**
 * What the addresses below `/api/0` do that are about errors, by method.
 *
 * @param eventsMatching understands searches of events
 */
export function errorRoutes(
  { eventsMatching }: { readonly eventsMatching: EventsMatching },
): ApiRoutes {
  const ofIssue = { ...OF_ISSUE, "/events": itsEvents(eventsMatching) };
  const below = ISSUES.flatMap((issue) =>
    Object.entries(ofIssue).map(([path, methods]) => [issue + path, methods])
  );
  return { ...Object.fromEntries(below), ...OF_LISTS };
}

/** What is about lists of issues, and about single events. */
const OF_LISTS: ApiRoutes = {
  ...sharedRoutes,
  ...savedSearchRoutes,
  "/organizations/:organization/issues": {
    GET: onProjectsOfQuery("project:read", LIST, issueListReply),
    PUT: onProjectsOfQuery("issue:write", UPDATE, issuesUpdateReply),
    DELETE: deleteIssuesOfOrganization,
  },
  "/organizations/:organization/issues-count": {
    GET: onProjectsOfQuery("project:read", {
      summary: "How many issues each of some searches finds, up to 100",
      query: z.object({ query: z.array(z.string()), ...PROJECTS, ...SCOPE }),
      answer: z.record(z.string(), z.int()),
    }, issuesCountReply),
  },
  "/organizations/:organization/issues-stats": {
    GET: onProjectsOfQuery("project:read", {
      summary: "The figures of some issues, as lists show them",
      query: z.object({ groups: z.array(z.string()), ...PROJECTS, ...SCOPE, ...SHAPE_QUERY }),
      answer: z.array(z.looseObject({ id: z.string(), count: z.string() })),
    }, issuesStatsReply),
  },
  "/organizations/:organization/activity": ORGANIZATION_ACTIVITY,
  "/organizations/:organization/eventids/:event": {
    GET: onProjectsOfQuery("project:read", {
      summary: "The event of an id, in whatever project",
      answer: z.object({
        organizationSlug: z.string(),
        projectSlug: z.string(),
        groupId: z.string(),
        eventId: z.string(),
        event: EventJson,
      }),
    }, eventIdReply),
  },
  "/organizations/:organization/shortids/:issue": {
    GET: onIssue("project:read", {
      summary: "The issue of a short id",
      answer: z.object({
        organizationSlug: z.string(),
        projectSlug: z.string(),
        groupId: z.string(),
        shortId: z.string(),
        group: IssueJson,
      }),
    }, async (ctx, { access, issue }) => {
      const group = await issueDetailJson(ctx, { access, issue });
      return {
        organizationSlug: access.organization.slug,
        projectSlug: access.project.slug,
        groupId: issue.id,
        shortId: group.shortId,
        group,
      };
    }),
  },
  "/projects/:organization/:project/events/:event": {
    GET: onProject(
      "project:read",
      { tag: "Events", summary: "One event", answer: EventJson },
      eventReply,
    ),
  },
  "/projects/:organization/:project/events/:event/attachments": EVENT_FILES,
  "/projects/:organization/:project/events/:event/attachments/:attachment": EVENT_FILE,
  "/projects/:organization/:project/issues": {
    GET: onProject("project:read", LIST, (ctx, access) => issueListReply(ctx, [access])),
    PUT: onProject("issue:write", UPDATE, (ctx, access, input) => (
      issuesUpdateReply(ctx, [access], input)
    )),
    DELETE: deleteIssuesOfProject,
  },
};
