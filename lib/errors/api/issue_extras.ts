/** What else there is to ask about an issue: figures along the time, releases, reports of people, and files. */
import { z } from "zod";
import type { ProjectAccess } from "../../accounts/authorize.ts";
import { onProject } from "../../api/access.ts";
import { PAGE_QUERY, readLimit, readOffset, UNIT_MS } from "../../api/lists.ts";
import {
  type ApiContext,
  ApiError,
  type ApiMethods,
  listReply,
  notFound,
} from "../../api/route.ts";
import { DAY_MS, HOUR_MS } from "../../core/time.ts";
import { newestRelease } from "../../releases/mod.ts";
import { disposition } from "../../ui/downloads.ts";
import { requireStoredEvent } from "../api_events.ts";
import { attachmentsOf } from "../events.ts";
import { filesOfIssue, type IssueFile } from "../issue_files.ts";
import { occurrences } from "../issue_counts.ts";
import { issueSeries } from "../issue_series.ts";
import { reportsOfIssue, type UserReport } from "../user_reports.ts";
import { type IssueAccess, onIssue } from "./issue_access.ts";
import { firstAndLastRelease } from "./issue_detail.ts";
import { releaseJson } from "./issue_json.ts";

const time = z.iso.datetime();
const ReleaseJson = z.looseObject({ version: z.string() }).nullable();
const PersonJson = z.looseObject({ id: z.string(), email: z.string().nullable() });

export const FIRST_LAST_RELEASE: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "The releases that had an issue first and last",
    answer: z.object({ id: z.string(), firstRelease: ReleaseJson, lastRelease: ReleaseJson }),
  }, async (ctx, { issue }) => ({
    id: issue.id,
    ...await firstAndLastRelease(ctx.state.services.sql, issue),
  })),
};

export const CURRENT_RELEASE: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "How often an issue happens in the newest release of its project",
    answer: z.object({
      currentRelease: z.looseObject({ release: ReleaseJson, firstSeen: time, lastSeen: time })
        .nullable(),
    }),
  }, currentReleaseReply),
};

const MAX_POINTS = 1_000;

export const STATS: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "How often an issue happened: pairs of seconds since 1970 and events",
    query: z.object({
      since: z.string().optional().describe("Seconds since 1970; a day ago unless told"),
      until: z.string().optional(),
      resolution: z.string().optional().describe("As 1h or 1d"),
    }),
    answer: z.array(z.tuple([z.int(), z.int()])),
  }, statsReply),
};

export const REPORTS: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "What people wrote about events of an issue, the newest first",
    query: z.object(PAGE_QUERY),
    answer: z.array(z.object({
      id: z.string(),
      eventID: z.string(),
      name: z.string(),
      email: z.string(),
      comments: z.string(),
      dateCreated: time,
      user: PersonJson.nullable(),
      event: z.object({ id: z.string(), eventID: z.string() }),
    })),
  }, reportsReply),
};

const FileJson = z.object({
  id: z.string(),
  event_id: z.string(),
  name: z.string(),
  type: z.string().describe("As event.attachment"),
  mimetype: z.string().describe("As its sender says: nobody has checked it"),
  size: z.int(),
  headers: z.record(z.string(), z.string()),
  sha1: z.string().nullable().describe("Always null: no such sum is kept"),
  dateCreated: time,
});

/** Methods of the files of an issue, and of an event. */
export const ISSUE_FILES: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "The files that came with events of an issue, the newest first",
    query: z.object(PAGE_QUERY),
    answer: z.array(FileJson),
  }, filesReply),
};
export const EVENT_FILES: ApiMethods = {
  GET: onProject("project:read", {
    summary: "The files that came with an event",
    answer: z.array(FileJson),
  }, async (ctx, { project }) => {
    const { eventId, timestamp } = await requireStoredEvent(ctx, project.id);
    const files = await attachmentsOf(ctx.state.services.sql, project.id, eventId);
    return files.map((file) => fileJson({ ...file, eventId, timestamp }));
  }),
};
export const EVENT_FILE: ApiMethods = {
  GET: onProject("project:read", {
    summary: "A file that came with an event; with download=1 its bytes",
    query: z.object({ download: z.string().optional() }),
    answer: FileJson,
  }, fileReply),
};

async function currentReleaseReply(ctx: ApiContext, { access, issue }: IssueAccess) {
  const { sql, config } = ctx.state.services;
  const now = new Date();
  const newest = await newestRelease(sql, access.project.id, issue.lastRelease);
  const start = new Date(now.getTime() - config.retentionDays * DAY_MS);
  const scope = { environments: [], releases: [newest?.version ?? ""], start, end: now };
  const series = newest && await issueSeries(sql, access.project.id, [issue.id], {
    ...scope,
    bucketSec: DAY_MS / 1000,
  });
  const found = series?.get(issue.id);
  const seen = found?.counts.flatMap((n, day) => n === 0 ? [] : [day]) ?? [];
  const [first, last] = [seen.at(0), seen.at(-1)];
  if (newest === null || found === undefined || first === undefined || last === undefined) {
    return { currentRelease: null };
  }
  const dayOf = (day: number) => new Date(found.start.getTime() + day * DAY_MS);
  return {
    currentRelease: {
      release: releaseJson(newest.version),
      environment: null,
      // To the day, as it is counted; an issue is no older and no younger than it is.
      firstSeen: new Date(Math.max(dayOf(first).getTime(), issue.firstSeen.getTime())),
      lastSeen: new Date(Math.min(dayOf(last + 1).getTime(), issue.lastSeen.getTime())),
      stats: {
        "30d": found.counts.slice(-30).map((n, day, { length }) => [
          dayOf(found.counts.length - length + day).getTime() / 1000,
          n,
        ]),
      },
    },
  };
}

async function statsReply(ctx: ApiContext, { access, issue }: IssueAccess) {
  const { searchParams } = ctx.url;
  const now = new Date();
  const end = readSecond(searchParams, "until") ?? now;
  const start = readSecond(searchParams, "since") ?? new Date(end.getTime() - DAY_MS);
  const step = readStep(searchParams.get("resolution"));
  if (start >= end || (end.getTime() - start.getTime()) / step > MAX_POINTS) {
    throw ApiError.detail(400, `Ask for 1 to ${MAX_POINTS} points: since is before until`);
  }
  const counted = await occurrences(ctx.state.services.sql, access.project.id, issue.id, {
    environments: searchParams.getAll("environment").filter((name) => name !== ""),
    releases: [],
    start,
    end,
    bucketSec: step / 1000,
  });
  const first = counted.start.getTime();
  return counted.counts.map((n, place) => [(first + place * step) / 1000, n]);
}

function readSecond(search: URLSearchParams, name: string): Date | null {
  const text = search.get(name);
  if (!text) return null;
  const date = new Date(Number(text) * 1000);
  // What Postgres can tell a time by.
  const isTime = Number(text) >= 0 && date.getUTCFullYear() < 10_000;
  if (!isTime) throw ApiError.detail(400, `Invalid ${name}: write seconds since 1970`);
  return date;
}

/** Hours or days, of which everything else is made. */
function readStep(text: string | null): number {
  if (!text) return HOUR_MS;
  const [, count, unit = ""] = /^(\d{1,4})([hdw])$/.exec(text) ?? [];
  const step = Number(count) * (UNIT_MS[unit] ?? NaN);
  if (step > 0) return step;
  throw ApiError.detail(400, "Invalid resolution: write 1h, 6h or 1d");
}

async function reportsReply(ctx: ApiContext, { access, issue }: IssueAccess): Promise<Response> {
  return await pageReply(
    ctx,
    (page) => reportsOfIssue(ctx.state.services.sql, access.project.id, issue.id, page),
    reportJson,
  );
}

function reportJson(report: UserReport) {
  const { feedbackId, eventId, name, email, message, timestamp, userKey } = report;
  const colon = userKey?.indexOf(":") ?? 0;
  const of = (kind: string) => userKey?.slice(0, colon) === kind ? userKey.slice(colon + 1) : null;
  return {
    id: feedbackId,
    eventID: eventId,
    name,
    email,
    comments: message,
    dateCreated: timestamp,
    user: userKey === null ? null : {
      // Sentry's clients take no user without an id.
      id: of("id") ?? userKey,
      username: of("username"),
      email: of("email"),
      name: name || null,
      ipAddress: of("ip"),
      avatarUrl: null,
    },
    event: { id: eventId, eventID: eventId },
  };
}

async function filesReply(ctx: ApiContext, { access, issue }: IssueAccess): Promise<Response> {
  return await pageReply(
    ctx,
    (page) => filesOfIssue(ctx.state.services.sql, access.project.id, issue.id, page),
    fileJson,
  );
}

/** One page of what is read by its place in a list. */
async function pageReply<Row>(
  ctx: ApiContext,
  read: (page: { readonly offset: number; readonly limit: number }) => Promise<readonly Row[]>,
  json: (row: Row) => unknown,
): Promise<Response> {
  const { searchParams } = ctx.url;
  const limit = readLimit(searchParams.get("per_page") ?? searchParams.get("limit"));
  const offset = readOffset(searchParams.get("cursor"));
  const found = await read({ offset, limit: limit + 1 });
  return listReply(ctx, found.slice(0, limit).map(json), {
    previousCursor: offset > 0 ? `0:${Math.max(0, offset - limit)}:1` : null,
    nextCursor: found.length > limit ? `0:${offset + limit}:0` : null,
  });
}

function fileJson(file: IssueFile) {
  return {
    id: file.attachmentId,
    event_id: file.eventId,
    name: file.filename,
    type: file.attachmentType,
    mimetype: file.contentType,
    size: file.sizeBytes,
    headers: { "Content-Type": file.contentType },
    sha1: null,
    dateCreated: file.timestamp,
  };
}

async function fileReply(ctx: ApiContext, { project }: ProjectAccess) {
  const { sql, objects } = ctx.state.services;
  const { eventId, timestamp } = await requireStoredEvent(ctx, project.id);
  const files = await attachmentsOf(sql, project.id, eventId);
  const file = files.find(({ attachmentId }) => attachmentId === ctx.params.attachment);
  if (file === undefined) throw notFound();
  if (ctx.url.searchParams.get("download") === null) {
    return fileJson({ ...file, eventId, timestamp });
  }
  const bytes = await objects.get(file.blobKey);
  if (bytes === null) throw ApiError.detail(404, "Its bytes have expired, or were removed.");
  return new Response(new Uint8Array(bytes), {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": disposition(file.filename),
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    },
  });
}
