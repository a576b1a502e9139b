import type postgres from "postgres";
import type { ProjectAccess } from "../accounts/authorize.ts";
import { readLimit, readScope } from "../api/lists.ts";
import { type ApiContext, ApiError, inSearchTime, listReply } from "../api/route.ts";
import { isInApp } from "../formats/sentry/frames.ts";
import { groupEvent } from "../formats/sentry/grouping.ts";
import type {
  Breadcrumb,
  Exception,
  Frame,
  NormalizedEvent,
  RequestInfo,
  Stacktrace,
  Thread,
  User,
} from "../formats/sentry/normalized_event.ts";
import { culpritOf, metadataOf } from "../formats/sentry/title.ts";
import type { Queryable, Sql } from "../store/database.ts";
import type { IssueAccess } from "./api/issue_access.ts";
import { metadataJson, releaseJson } from "./api/issue_json.ts";
import {
  type EventRow,
  findEvent,
  findEventOfIssue,
  listEventsOfIssue,
  listWholeEventsOfIssue,
  neighbours,
  type StoredEvent,
} from "./events.ts";
import { placeOfEvent } from "./issue_hits.ts";

/** `recommended`, or `helpful`, is the one that Sentry thinks helps most; here the latest. */
const WORDS: Readonly<Record<string, "latest" | "oldest">> = {
  latest: "latest",
  recommended: "latest",
  helpful: "latest",
  oldest: "oldest",
};

/** What a search means: a condition on a row `t` of the events of a project. @throws {ApiError} 400 */
export type EventsMatching = (
  sql: Queryable,
  query: string,
  project: { readonly id: string; readonly slug: string },
) => postgres.Fragment;

/** The events of an issue, newest first, that a search finds; with `?full=true` everything in them. */
export async function issueEventsReply(
  ctx: ApiContext,
  { access: { project }, issue }: IssueAccess,
  eventsMatching: EventsMatching,
): Promise<Response> {
  const { sql, config } = ctx.state.services;
  const { searchParams } = ctx.url;
  const text = searchParams.get("query")?.trim() ?? "";
  const query = {
    projectId: project.id,
    issueId: issue.id,
    ...text === "" ? {} : { matching: (by: Queryable) => eventsMatching(by, text, project) },
    ...readScope(searchParams, config.retentionDays),
    cursor: searchParams.get("cursor") || null,
    limit: readLimit(searchParams.get("limit") ?? searchParams.get("per_page")),
  };
  if (/^(?:true|1)$/i.test(searchParams.get("full") ?? "")) {
    const page = await inSearchTime(listWholeEventsOfIssue(sql, query));
    return listReply(ctx, page.rows.map((event) => eventJson(event, project.id)), page);
  }
  const page = await inSearchTime(listEventsOfIssue(sql, query));
  return listReply(ctx, page.rows.map((event) => eventRowJson(event, project.id)), page);
}

/** One event of an issue: `latest`, `oldest`, or by its id. */
export async function issueEventReply(
  ctx: ApiContext,
  { access: { project }, issue }: IssueAccess,
) {
  const { sql } = ctx.state.services;
  const which = readEventName(ctx.params.event ?? "");
  const event = await findEventOfIssue(sql, project.id, issue.id, which);
  return await foundEventJson(sql, project.id, event);
}

/** One event of a project, by its id. */
export async function eventReply(ctx: ApiContext, { project }: ProjectAccess) {
  const event = await requireStoredEvent(ctx, project.id);
  return await foundEventJson(ctx.state.services.sql, project.id, event);
}

/** The event of a project that the address names. @throws {ApiError} 404 when there is none */
export async function requireStoredEvent(ctx: ApiContext, projectId: string): Promise<StoredEvent> {
  const { sql } = ctx.state.services;
  const event = await findEvent(sql, projectId, readEventId(ctx.params.event ?? ""));
  if (event === null) throw eventNotFound();
  return event;
}

/** An event by its id, wherever in the organization it is. */
export async function eventIdReply(ctx: ApiContext, accesses: readonly ProjectAccess[]) {
  const { sql } = ctx.state.services;
  const eventId = readEventId(ctx.params.event ?? "");
  const place = await placeOfEvent(sql, accesses.map(({ project }) => project.id), eventId);
  const access = accesses.find(({ project }) => project.id === place?.projectId);
  if (place === null || access === undefined) throw eventNotFound();
  return {
    organizationSlug: access.organization.slug,
    projectSlug: access.project.slug,
    groupId: place.issueId,
    eventId,
    event: await foundEventJson(
      sql,
      place.projectId,
      await findEvent(sql, place.projectId, eventId),
    ),
  };
}

async function foundEventJson(sql: Sql, projectId: string, event: StoredEvent | null) {
  if (event === null) throw eventNotFound();
  return eventJson(event, projectId, await neighbours(sql, projectId, event));
}

function readEventName(name: string): string {
  return Object.hasOwn(WORDS, name) ? WORDS[name] ?? "" : readEventId(name);
}

/** 32 lower-case hex digits out of what clients write. @throws {ApiError} 404 for anything else */
function readEventId(text: string): string {
  const id = text.replaceAll("-", "").toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(id)) throw eventNotFound();
  return id;
}

/** Also for events that exist where the actor may not look. */
function eventNotFound(): ApiError {
  return ApiError.detail(404, "Event not found");
}

/** The events just after and before one, of the same issue. */
interface Neighbours {
  readonly newer: string | null;
  readonly older: string | null;
}

const NO_NEIGHBOURS: Neighbours = { newer: null, older: null };

/** What Relay would say of values that it changed: nothing here is marked so. */
const NO_META = {
  entries: {},
  message: null,
  user: null,
  contexts: null,
  sdk: null,
  context: null,
  packages: null,
  tags: {},
};

/** An event as Sentry's API lists it. */
function eventRowJson(event: EventRow, projectId: string) {
  return {
    ...identityJson(event, projectId),
    "event.type": "error",
    message: event.title,
    location: null,
    culprit: event.transaction,
    user: event.userKey === null ? null : userJson(userOfKey(event.userKey)),
  };
}

/** An event with everything in it. */
export function eventJson(
  stored: StoredEvent,
  projectId: string,
  { newer, older }: Neighbours = NO_NEIGHBOURS,
) {
  // Written by `toErrorEvent()`, so it needs no check.
  const event: NormalizedEvent = JSON.parse(stored.payload);
  const { version, hashes } = groupEvent(event);
  const metadata = metadataOf(event);
  return {
    ...identityJson(stored, projectId),
    type: event.type,
    size: stored.payload.length,
    message: event.logentry?.formatted ?? event.logentry?.message ?? "",
    location: metadata.filename ?? null,
    culprit: culpritOf(event),
    metadata: metadataJson({ type: event.type, title: stored.title, metadata }),
    dateReceived: stored.receivedAt,
    release: releaseJson(stored.release),
    dist: event.dist ?? null,
    user: event.user === undefined ? null : userJson(event.user),
    sdk: event.sdk ?? null,
    sdkUpdates: [],
    contexts: event.contexts ?? {},
    context: event.extra ?? {},
    packages: event.modules ?? {},
    fingerprints: hashes,
    groupingConfig: { id: `watchpost:${version}`, enhancements: "" },
    entries: entriesOf(event),
    errors: event.errors ?? [],
    occurrence: null,
    userReport: null,
    nextEventID: newer,
    previousEventID: older,
    _meta: NO_META,
  };
}

function identityJson(event: EventRow, projectId: string) {
  return {
    id: event.eventId,
    eventID: event.eventId,
    groupID: event.issueId,
    projectID: projectId,
    title: event.title,
    platform: event.platform,
    dateCreated: event.timestamp,
    crashFile: null,
    tags: event.tags.map(([key, value]) => ({ key, value })),
  };
}

/** Sentry's clients expect every name of a user, known or not. */
function userJson(user: User) {
  return { id: null, email: null, username: null, ip_address: null, name: null, ...user };
}

/** `email:a@b.c` as `{ email: "a@b.c" }`; the address is called `ip_address` in events. */
function userOfKey(userKey: string): User {
  const colon = userKey.indexOf(":");
  const kind = userKey.slice(0, colon);
  return { [kind === "ip" ? "ip_address" : kind]: userKey.slice(colon + 1) };
}

/** One part of an event, as Sentry's API shows it. */
interface Entry {
  readonly type: string;
  readonly data: unknown;
}

/** The parts of an event in Sentry's order: what happened, where, and what went before. */
export function entriesOf(event: NormalizedEvent): Entry[] {
  const { exception, stacktrace, logentry, threads, template, request, breadcrumbs, platform } =
    event;
  const parts: [type: string, data: unknown][] = [
    ["exception", exception && exceptionsJson(exception.values, platform)],
    ["stacktrace", stacktrace && stacktraceJson(stacktrace, platform)],
    ["message", logentry && { ...logentry, formatted: logentry.formatted ?? logentry.message }],
    [
      "threads",
      threads && { values: threads.values.map((thread) => threadJson(thread, platform)) },
    ],
    ["template", template],
    ["request", request && requestJson(request)],
    ["breadcrumbs", breadcrumbs && { values: breadcrumbs.values.map(breadcrumbJson) }],
    ["debugmeta", event.debug_meta],
    ["csp", event.csp],
  ];
  return parts.flatMap(([type, data]) => data === undefined ? [] : [{ type, data }]);
}

function exceptionsJson(exceptions: readonly Exception[], platform: string) {
  return {
    values: exceptions.map((exception) => ({
      type: exception.type ?? null,
      value: exception.value ?? null,
      module: exception.module ?? null,
      threadId: exception.thread_id ?? null,
      mechanism: exception.mechanism ?? null,
      stacktrace: stacktraceJson(exception.stacktrace, platform),
      rawStacktrace: stacktraceJson(exception.raw_stacktrace, platform),
    })),
    hasSystemFrames: exceptions.some(({ stacktrace }) => hasSystemFrames(stacktrace, platform)),
    excOmitted: null,
  };
}

function threadJson(thread: Thread, platform: string) {
  return {
    id: thread.id ?? null,
    name: thread.name ?? null,
    crashed: thread.crashed ?? false,
    current: thread.current ?? false,
    state: thread.state ?? null,
    stacktrace: stacktraceJson(thread.stacktrace, platform),
    rawStacktrace: stacktraceJson(thread.raw_stacktrace, platform),
  };
}

function requestJson(request: RequestInfo) {
  return {
    url: request.url ?? null,
    method: request.method ?? null,
    query: request.query_string ?? [],
    fragment: request.fragment ?? null,
    headers: request.headers ?? [],
    cookies: request.cookies ?? [],
    env: request.env ?? null,
    data: request.data ?? null,
    inferredContentType: request.inferred_content_type ?? null,
  };
}

function breadcrumbJson(crumb: Breadcrumb) {
  return {
    type: crumb.type,
    level: crumb.level,
    category: crumb.category ?? null,
    message: crumb.message ?? null,
    data: crumb.data ?? null,
    timestamp: crumb.timestamp === undefined ? null : new Date(crumb.timestamp * 1000),
    event_id: null,
  };
}

/** A stack as Sentry's API shows it; null stays null. @param platform of the event */
export function stacktraceJson(stacktrace: Stacktrace | undefined, platform: string) {
  if (stacktrace === undefined) return null;
  return {
    frames: stacktrace.frames.map((frame) => frameJson(frame, platform)),
    framesOmitted: stacktrace.frames_omitted ?? null,
    registers: stacktrace.registers ?? null,
    hasSystemFrames: hasSystemFrames(stacktrace, platform),
  };
}

/** Whether there are frames both of the application and of others, so that hiding some makes sense. */
function hasSystemFrames(stacktrace: Stacktrace | undefined, platform: string): boolean {
  const own = new Set(stacktrace?.frames.map((frame) => isInApp(frame, platform)));
  return own.size > 1;
}

function frameJson(frame: Frame, platform: string) {
  return {
    filename: frame.filename ?? null,
    absPath: frame.abs_path ?? null,
    module: frame.module ?? null,
    package: frame.package ?? null,
    platform: frame.platform ?? null,
    instructionAddr: frame.instruction_addr ?? null,
    symbolAddr: null,
    function: frame.function ?? null,
    rawFunction: frame.raw_function ?? null,
    symbol: frame.symbol ?? null,
    context: sourceLines(frame),
    lineNo: frame.lineno ?? null,
    colNo: frame.colno ?? null,
    inApp: isInApp(frame, platform),
    trust: null,
    errors: null,
    vars: frame.vars ?? null,
  };
}

/** The source around a frame, each line with its number. */
function sourceLines(
  { lineno, pre_context = [], context_line, post_context = [] }: Frame,
): [number, string][] {
  if (lineno === undefined || context_line === undefined) return [];
  const first = lineno - pre_context.length;
  return [...pre_context, context_line, ...post_context].map((line, i) => [first + i, line]);
}
