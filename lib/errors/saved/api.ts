/** Saved, pinned and recent searches by the API, in Sentry's shapes. */
import { z } from "zod";
import type { OrganizationAccess } from "../../accounts/authorize.ts";
import { roleAllows } from "../../accounts/members.ts";
import { onOrganization } from "../../api/access.ts";
import { type ApiContext, ApiError, type ApiRoutes, notFound } from "../../api/route.ts";
import { SORT_NAMES, sortOf } from "../api/issue_query.ts";
import {
  EVERY_PROJECT,
  MAX_RECENT,
  type PinnedSearch,
  pinnedSearch,
  pinSearch,
  type RecentSearch,
  recentSearches,
  rememberSearch,
  unpinSearch,
} from "./habits.ts";
import {
  changeSearch,
  deleteSearch,
  listSearches,
  MAX_NAME,
  MAX_QUERY,
  type NewSearch,
  type PersonalPlace,
  type SavedSearch,
  saveSearch,
  type SearchContent,
  type SearchPlace,
} from "./saved_searches.ts";

/** Of issues; Sentry counts other kinds, of which there are none here. */
const ISSUES = 0;

const type = z.literal(ISSUES, "Only searches of issues (0) are kept.").default(ISSUES)
  .describe("0, of issues");
const query = z.string().max(MAX_QUERY, `write at most ${MAX_QUERY} characters`)
  .describe("As in the search box");
const sort = z.string().nullish().describe("As of the list of issues; date for others");
const TypeQuery = z.object({ type: z.string().optional().describe("0, of issues") });

const SearchBody = z.object({
  type,
  name: z.string().max(MAX_NAME, `write at most ${MAX_NAME} characters`).describe(
    "What people read",
  ),
  query,
  sort,
  visibility: z.enum(["owner", "organization"]).default("owner")
    .describe("Who sees it: whoever made it, or everybody in the organization"),
});
type SearchBody = z.output<typeof SearchBody>;
const PinBody = z.object({ type, query, sort });
const RecentBody = z.object({ type, query });

const SearchJson = z.object({
  id: z.string(),
  type: z.literal(ISSUES).describe("Of issues"),
  name: z.string(),
  query: z.string().describe("As in the search box"),
  sort: z.string().describe("As of the list of issues"),
  visibility: z.enum(["owner", "organization", "owner_pinned"])
    .describe("owner_pinned: it is pinned, and under no name"),
  dateCreated: z.iso.datetime(),
  isGlobal: z.literal(false).describe("None is everybody's"),
  isPinned: z.boolean().describe("Whether one's lists begin with it"),
});
const RecentJson = z.object({
  id: z.string(),
  organizationId: z.string().describe("Id of the organization"),
  type: z.literal(ISSUES).describe("Of issues"),
  query: z.string().describe("As in the search box"),
  lastSeen: z.iso.datetime(),
  dateCreated: z.iso.datetime(),
});

/** By organization. Those that are somebody's own are seen by nobody else. */
export const savedSearchRoutes: ApiRoutes = {
  "/organizations/:organization/searches": {
    GET: onOrganization("project:read", {
      summary: "The saved searches that one sees, and the one that is pinned",
      query: TypeQuery,
      answer: z.array(SearchJson),
    }, (ctx, access, input) => isOfIssues(input.query.type) ? searchesReply(ctx, access) : []),
    POST: onOrganization("issue:write", {
      summary: "Saves a search of issues",
      body: SearchBody,
      answer: SearchJson,
    }, async (ctx, access, { body }) => {
      const { sql } = ctx.state.services;
      return searchJson(await saveSearch(sql, placeOf(access), searchOf(body)), false);
    }),
  },
  "/organizations/:organization/searches/:search": {
    PUT: onOrganization("issue:write", {
      summary: "Changes a search of one's own; who administers projects, those that are shared",
      body: SearchBody,
      answer: SearchJson,
    }, async (ctx, access, { body }) => {
      const { services: { sql } } = ctx.state;
      const by = changerOf(access);
      const changed = await changeSearch(sql, by, ctx.params.search ?? "", searchOf(body));
      if (changed === null) throw notFound();
      return searchJson(changed, isPinned(changed, await pinnedSearch(sql, by, EVERY_PROJECT)));
    }),
    DELETE: onOrganization("issue:write", {
      summary: "Deletes a saved search, as it is changed",
    }, async (ctx, access) => {
      const { sql } = ctx.state.services;
      const isDone = await deleteSearch(sql, changerOf(access), ctx.params.search ?? "");
      if (!isDone) throw notFound();
    }),
  },
  "/organizations/:organization/pinned-searches": {
    PUT: onOrganization("issue:write", {
      summary: "Makes a search what one's lists of issues begin with",
      body: PinBody,
      answer: SearchJson,
      status: 201,
    }, async (ctx, access, { body }) => {
      const { sql } = ctx.state.services;
      const search = { query: body.query, sort: sortOf(body.sort ?? null) };
      return pinJson(await pinSearch(sql, placeOf(access), EVERY_PROJECT, search));
    }),
    DELETE: onOrganization("issue:write", {
      summary: "Takes the pin away",
    }, async (ctx, access) => {
      await unpinSearch(ctx.state.services.sql, placeOf(access), EVERY_PROJECT);
    }),
  },
  "/organizations/:organization/recent-searches": {
    GET: onOrganization("project:read", {
      summary: "One's last searches, the newest first",
      query: z.object({
        ...TypeQuery.shape,
        query: z.string().optional().describe("What is in them"),
        limit: z.coerce.number().int().min(1).max(MAX_RECENT).default(3)
          .describe("Rows at most"),
      }),
      answer: z.array(RecentJson),
    }, async (ctx, access, input) => {
      const { type, query = "", limit } = input.query;
      if (!isOfIssues(type) || access.userId === null) return [];
      const found = await recentSearches(ctx.state.services.sql, placeOf(access), limit, query);
      return found.map((search) => recentJson(search, access));
    }),
    POST: onOrganization("issue:write", {
      summary: "Remembers a search; 204 when it was known",
      body: RecentBody,
      answer: RecentJson,
      status: 201,
      alsoStatus: 204,
    }, async (ctx, access, { body }) => {
      const { sql } = ctx.state.services;
      const search = await rememberSearch(sql, placeOf(access), body.query);
      return search === null
        ? new Response(null, { status: 204 })
        : Response.json(recentJson(search, access), { status: 201 });
    }),
  },
};

function isOfIssues(type: string | undefined): boolean {
  return type === undefined || type === "" || type === String(ISSUES);
}

async function searchesReply(ctx: ApiContext, { organization, userId }: OrganizationAccess) {
  const { sql } = ctx.state.services;
  const place: SearchPlace = { organizationId: organization.id, userId };
  const [searches, pin] = await Promise.all([
    listSearches(sql, place),
    userId === null ? null : pinnedSearch(sql, { ...place, userId }, EVERY_PROJECT),
  ]);
  const saved = searches.map((search) => searchJson(search, isPinned(search, pin)));
  const isKnown = saved.some((search) => search.isPinned);
  return pin === null || isKnown ? saved : [pinJson(pin), ...saved];
}

/** @throws {ApiError} 403 for tokens that are nobody's */
function placeOf({ organization, userId }: OrganizationAccess): PersonalPlace {
  if (userId !== null) return { organizationId: organization.id, userId };
  throw ApiError.detail(403, "Searches are kept for people: use a token of somebody.");
}

function changerOf(access: OrganizationAccess) {
  return { ...placeOf(access), mayChangeShared: roleAllows(access.role, "project:write") };
}

function searchOf({ name, query, sort, visibility }: SearchBody): NewSearch {
  return { name, query, sort: sortOf(sort ?? null), isShared: visibility === "organization" };
}

function isPinned(search: SearchContent, pin: SearchContent | null): boolean {
  return pin !== null && pin.query === search.query && pin.sort === search.sort;
}

function searchJson(search: SavedSearch, pinned: boolean) {
  return {
    id: search.id,
    type: ISSUES,
    name: search.name,
    query: search.query,
    sort: SORT_NAMES[search.sort],
    visibility: search.isShared ? "organization" : "owner",
    dateCreated: search.createdAt.toISOString(),
    isGlobal: false,
    isPinned: pinned,
  };
}

function pinJson({ id, query, sort, pinnedAt }: PinnedSearch) {
  return {
    id,
    type: ISSUES,
    name: "My Pinned Search",
    query,
    sort: SORT_NAMES[sort],
    visibility: "owner_pinned",
    dateCreated: pinnedAt.toISOString(),
    isGlobal: false,
    isPinned: true,
  };
}

function recentJson(search: RecentSearch, { organization }: OrganizationAccess) {
  return {
    id: search.id,
    organizationId: organization.id,
    type: ISSUES,
    query: search.query,
    lastSeen: search.searchedAt.toISOString(),
    dateCreated: search.createdAt.toISOString(),
  };
}
