/** The tags of an issue in the shapes of Sentry's API. */
import { z } from "zod";
import { readLimit, readOffset, readScope } from "../../api/lists.ts";
import { type ApiContext, ApiError, type ApiMethods, listReply } from "../../api/route.ts";
import { type IssueTag, tagsOfIssue, type TagValueCount } from "../issue_tags.ts";
import { type IssueAccess, onIssue } from "./issue_access.ts";

const VALUES_PER_TAG = 10;
/** More values of one tag nobody pages through. */
const MAX_VALUES = 1_000;

const time = z.iso.datetime();
const ValueJson = z.looseObject({
  key: z.string(),
  name: z.string(),
  value: z.string(),
  count: z.int(),
  firstSeen: time,
  lastSeen: time,
  query: z.string().optional().describe(
    "What finds events with it, where that is more than key:value",
  ),
});
const TagJson = z.object({
  key: z.string(),
  name: z.string(),
  totalValues: z.int().describe("Events that carry it, of the newest 5,000"),
  uniqueValues: z.int(),
  topValues: z.array(ValueJson),
});

const SCOPE = { environment: z.array(z.string()) };

/** Methods of `tags/`, `tags/<key>/` and `tags/<key>/values/`. */
export const ISSUE_TAGS: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "The tags of an issue with their most frequent values, of its newest 5,000 events",
    query: z.object({
      key: z.array(z.string()).describe("These tags only"),
      limit: z.string().optional().describe("Values of each tag, up to 100"),
      ...SCOPE,
    }),
    answer: z.array(TagJson),
  }, async (ctx, found, { query: { key, limit } }) => {
    const keys = key.filter((each) => each !== "").map(plainKey);
    const tags = await read(ctx, found, keys, limit ? readLimit(limit) : VALUES_PER_TAG);
    return tags.map(tagJson);
  }),
};
export const ISSUE_TAG: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "One tag of an issue with its most frequent values",
    query: z.object(SCOPE),
    answer: TagJson,
  }, async (ctx, found) => tagJson(await requireTag(ctx, found, VALUES_PER_TAG))),
};
export const ISSUE_TAG_VALUES: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "The values of a tag of an issue",
    query: z.object({
      sort: z.string().optional().describe("count, date (last seen) or age (first seen)"),
      query: z.string().optional().describe("A part of the value"),
      cursor: z.string().optional(),
      limit: z.string().optional(),
      ...SCOPE,
    }),
    answer: z.array(ValueJson),
  }, valuesReply),
};

async function valuesReply(ctx: ApiContext, found: IssueAccess): Promise<Response> {
  const { searchParams } = ctx.url;
  const { key, values } = await requireTag(ctx, found, MAX_VALUES);
  const part = (searchParams.get("query") ?? "").toLowerCase();
  const limit = readLimit(searchParams.get("limit") ?? searchParams.get("per_page"));
  const offset = readOffset(searchParams.get("cursor"));
  const inOrder = values.filter(({ value }) => value.toLowerCase().includes(part))
    .toSorted(orderOf(searchParams.get("sort")));
  return listReply(
    ctx,
    inOrder.slice(offset, offset + limit).map((value) => valueJson(key, value)),
    {
      previousCursor: offset > 0 ? `0:${Math.max(0, offset - limit)}:1` : null,
      nextCursor: offset + limit < inOrder.length ? `0:${offset + limit}:0` : null,
    },
  );
}

/** The newest first unless told; `-` before a name means the same. */
function orderOf(sort: string | null): (a: TagValueCount, b: TagValueCount) => number {
  switch ((sort ?? "").replace(/^-/, "")) {
    case "count":
      return (a, b) => b.count - a.count;
    case "age":
      return (a, b) => b.firstSeen.getTime() - a.firstSeen.getTime();
    default:
      return (a, b) => b.lastSeen.getTime() - a.lastSeen.getTime();
  }
}

async function read(
  ctx: ApiContext,
  { access: { project }, issue }: IssueAccess,
  keys: readonly string[],
  limit: number,
): Promise<IssueTag[]> {
  const { sql, config } = ctx.state.services;
  const scope = readScope(ctx.url.searchParams, config.retentionDays);
  return await tagsOfIssue(sql, project.id, issue.id, scope, { keys, limit });
}

/** @throws {ApiError} 404 when no event of the issue carries the tag */
async function requireTag(ctx: ApiContext, found: IssueAccess, limit: number): Promise<IssueTag> {
  const [tag] = await read(ctx, found, [plainKey(ctx.params.tag ?? "")], limit);
  if (tag === undefined) throw ApiError.detail(404, "No event of this issue has this tag.");
  return tag;
}

/** Keys that Sentry keeps for itself are known without its name before them. */
function plainKey(key: string): string {
  return key.replace(/^sentry:/, "");
}

function tagJson({ key, total, distinct, values }: IssueTag): z.input<typeof TagJson> {
  return {
    key,
    name: nameOf(key),
    totalValues: total,
    uniqueValues: distinct,
    topValues: values.map((value) => valueJson(key, value)),
  };
}

/** The tags alone, as an issue shows them. */
export function tagKeysJson(tags: readonly IssueTag[]) {
  return tags.map(({ key, total }) => ({ key, name: nameOf(key), totalValues: total }));
}

function nameOf(key: string): string {
  return key === "url"
    ? "URL"
    : key.replaceAll("_", " ").replace(/(?<=^|\s)\w/g, (letter) => letter.toUpperCase());
}

function valueJson(
  key: string,
  { value, count, firstSeen, lastSeen }: TagValueCount,
): z.input<typeof ValueJson> {
  return {
    key,
    name: value,
    value,
    count,
    firstSeen: firstSeen.toISOString(),
    lastSeen: lastSeen.toISOString(),
    ...key === "user"
      ? { query: `user:"${value.replaceAll(/["\\]/g, "\\$&")}"`, ...personOf(value) }
      : {},
  };
}

/** A user as events name them: `email:a@b.c`. */
function personOf(text: string) {
  const colon = text.indexOf(":");
  const [kind, value] = [text.slice(0, colon), text.slice(colon + 1)];
  const of = (name: string) => kind === name ? value : null;
  return {
    id: of("id"),
    username: of("username"),
    email: of("email"),
    ipAddress: of("ip"),
    name: value,
    avatarUrl: null,
    tagValue: text,
  };
}
