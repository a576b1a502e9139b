import { z } from "zod";
import { onProject, onProjectsOfQuery } from "../api/access.ts";
import { PAGE_QUERY, TIME_QUERY } from "../api/lists.ts";
import type { ApiMethods, ApiRoutes } from "../api/route.ts";
import { eventReply, issueEventReply, issueEventsReply } from "./api_events.ts";
import {
  IssueChanges,
  issueDetailJson,
  issueListReply,
  issuesUpdateReply,
  issueUpdateReply,
  onIssue,
} from "./api_issues.ts";
import { mapAgainReply } from "./remap/api.ts";
import {
  deleteIssue,
  deleteIssuesOfOrganization,
  deleteIssuesOfProject,
  manageRoutes,
} from "./manage/api.ts";
import { ISSUE_STATUSES } from "./search/terms.ts";

const text = z.string().optional();
const SCOPE = { environment: z.array(z.string()), ...TIME_QUERY };
const ListQuery = z.object({
  query: text.describe("As in the search box; is:unresolved unless told"),
  sort: text.describe("date, new, freq or user"),
  project: z.array(z.string()).describe("Ids or slugs, of an organization's issues"),
  ...SCOPE,
  ...PAGE_QUERY,
});
const UpdateQuery = z.object({ id: z.array(z.string()), ...ListQuery.shape });

/** In the shape of Sentry's, of which these are the most useful properties. */
const IssueJson = z.looseObject({
  id: z.string(),
  shortId: z.string(),
  title: z.string(),
  culprit: z.string(),
  permalink: z.string(),
  level: z.string(),
  status: z.enum(ISSUE_STATUSES),
  type: z.string(),
  platform: z.string(),
  project: z.looseObject({ id: z.string(), slug: z.string(), name: z.string() }),
  metadata: z.looseObject({}),
  isUnhandled: z.boolean(),
  count: z.string(),
  userCount: z.int(),
  firstSeen: z.iso.datetime(),
  lastSeen: z.iso.datetime(),
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
});
const ChangedIssuesJson = z.object({
  status: z.enum(ISSUE_STATUSES).optional(),
  statusDetails: z.object({}),
  merge: z.object({ parent: z.string(), children: z.array(z.string()) }).optional(),
});

/** Of one issue, whether the address names its organization or not. */
const ONE_ISSUE: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "One issue",
    query: z.object(SCOPE),
    answer: IssueJson,
  }, issueDetailJson),
  PUT: onIssue("issue:write", {
    summary: "Changes the status of one issue",
    body: IssueChanges,
    answer: IssueJson,
  }, issueUpdateReply),
  DELETE: deleteIssue,
};
const ITS_EVENTS: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "The events of an issue, newest first",
    query: z.object({
      full: text.describe("true for all that is in them"),
      ...SCOPE,
      ...PAGE_QUERY,
    }),
    answer: z.array(EventJson),
  }, issueEventsReply),
};
const ITS_EVENT: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "One event of an issue: latest, oldest, or by its id",
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
  query: UpdateQuery,
  body: IssueChanges,
  answer: ChangedIssuesJson,
};

/** What the addresses below `/api/0` do that are about errors, by method. */
export const errorRoutes: ApiRoutes = {
  ...manageRoutes,
  "/issues/:issue": ONE_ISSUE,
  "/issues/:issue/events": ITS_EVENTS,
  "/issues/:issue/map-again": MAP_AGAIN,
  "/issues/:issue/events/:event": ITS_EVENT,
  "/organizations/:organization/issues": {
    GET: onProjectsOfQuery("project:read", LIST, issueListReply),
    PUT: onProjectsOfQuery("issue:write", UPDATE, issuesUpdateReply),
    DELETE: deleteIssuesOfOrganization,
  },
  "/organizations/:organization/issues/:issue": ONE_ISSUE,
  "/organizations/:organization/issues/:issue/events": ITS_EVENTS,
  "/organizations/:organization/issues/:issue/map-again": MAP_AGAIN,
  "/organizations/:organization/issues/:issue/events/:event": ITS_EVENT,
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
    GET: onProject("project:read", { summary: "One event", answer: EventJson }, eventReply),
  },
  "/projects/:organization/:project/issues": {
    GET: onProject("project:read", LIST, (ctx, access) => issueListReply(ctx, [access])),
    PUT: onProject("issue:write", UPDATE, (ctx, access, input) => (
      issuesUpdateReply(ctx, [access], input)
    )),
    DELETE: deleteIssuesOfProject,
  },
};
