/** Monitors and check-ins in the shapes of Sentry's API. */
import { z } from "zod";
import { authorize } from "../../accounts/authorize.ts";
import type { Project } from "../../accounts/projects.ts";
import { listVisibleProjects } from "../../accounts/visibility.ts";
import { requireOrganization, requireProject } from "../../api/access.ts";
import { UNIT_MS } from "../../api/lists.ts";
import { type ApiContext, ApiError, behind, notFound } from "../../api/route.ts";
import { DAY_MS, SECOND_MS } from "../../core/time.ts";
import { readConfig } from "./config.ts";
import { checkName, findMonitor, type Monitor, type MonitorInput } from "./monitors.ts";
import type { StoredRun } from "./runs.ts";

const time = z.iso.datetime();

export const ConfigJson = z.looseObject({
  schedule_type: z.string().nullable(),
  schedule: z.union([z.string(), z.array(z.union([z.number(), z.string()]))]).nullable(),
});
const EnvironmentJson = z.object({
  name: z.string(),
  status: z.string(),
  isMuted: z.boolean(),
  dateCreated: time,
  lastCheckIn: time.nullable(),
  nextCheckIn: time.nullable(),
  nextCheckInLatest: time.nullable(),
  activeIncident: z.looseObject({ startingTimestamp: time }).nullable(),
}).meta({ title: "Cron environment" });
export const MonitorJson = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  status: z.string(),
  isMuted: z.boolean(),
  type: z.string(),
  config: ConfigJson,
  dateCreated: time,
  project: z.looseObject({ id: z.string(), slug: z.string() }),
  owner: z.null(),
  environments: z.array(EnvironmentJson),
}).meta({ title: "Cron monitor" });
export const CheckInJson = z.object({
  id: z.string(),
  environment: z.string(),
  status: z.string(),
  duration: z.int().nullable(),
  dateCreated: time,
  expectedTime: time.nullable(),
  attachmentId: z.null(),
  monitorConfig: ConfigJson.nullable(),
  groups: z.array(z.looseObject({})).optional(),
}).meta({ title: "Run" });
export const ProcessingErrorJson = z.object({
  id: z.string(),
  checkin: z.looseObject({}),
  errors: z.array(z.looseObject({ type: z.string() })),
}).meta({ title: "Processing error" });

/** Of a job that has none, as long as nobody has set it. */
const NO_CONFIG = { schedule_type: null, schedule: null };

/** A monitor as the API shows it. */
export function monitorJson(monitor: Monitor, { id, slug, name, platform }: Project) {
  const { isActive, config } = monitor;
  return {
    id: monitor.monitorId,
    slug: monitor.slug,
    name: monitor.name,
    status: isActive ? "active" : "disabled",
    isMuted: monitor.isMuted,
    type: "cron_job",
    config: config === null ? NO_CONFIG : { ...config, alert_rule_id: null },
    dateCreated: monitor.createdAt,
    project: { id, slug, name, platform },
    owner: null,
    environments: monitor.environments.map((state) => ({
      name: state.environment,
      status: isActive ? state.status : "disabled",
      isMuted: state.isMuted || monitor.isMuted,
      dateCreated: state.createdAt,
      lastCheckIn: state.lastCheckInAt,
      nextCheckIn: state.nextAt,
      nextCheckInLatest: state.latestAt,
      activeIncident: state.incident && {
        startingTimestamp: state.incident.startedAt,
        resolvingTimestamp: null,
        brokenNotice: null,
      },
    })),
  };
}

/** A run as the API shows it. */
export function checkInJson(run: StoredRun) {
  const { checkInId, environment, status, durationMs, startedAt, expectedAt, config } = run;
  return {
    id: uuidOf(checkInId),
    environment,
    status,
    duration: durationMs === null ? null : Math.round(durationMs),
    dateCreated: startedAt,
    expectedTime: expectedAt,
    attachmentId: null,
    monitorConfig: config,
  };
}

/** 32 hex digits with hyphens. */
function uuidOf(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Methods about the monitor in the address: of the project there, or the first of the organization that has it. */
export const onMonitor = behind(async (ctx, scope) => {
  const projects = ctx.params.project === undefined
    ? await projectsOf(ctx, scope)
    : [(await requireProject(ctx, scope)).project];
  for (const project of projects) {
    const found = await findMonitor(
      ctx.state.services.sql,
      project.id,
      ctx.params.monitor ?? "",
    );
    if (found !== null) return { project, monitor: found };
  }
  throw notFound();
});

async function projectsOf(
  ctx: ApiContext,
  scope: Parameters<typeof requireOrganization>[1],
): Promise<Project[]> {
  const access = await requireOrganization(ctx, scope);
  const projects = await listVisibleProjects(ctx.state.services.kv, access);
  const named = ctx.url.searchParams.getAll("project").filter((name) => name !== "-1");
  if (named.length === 0) return projects;
  return projects.filter(({ id, slug }) => named.includes(id) || named.includes(slug));
}

export const MonitorBody = z.looseObject({
  project: z.string().optional().describe("Slug or id, where the address names none"),
  name: z.string().optional(),
  slug: z.string().optional(),
  type: z.literal("cron_job").optional(),
  config: z.looseObject({}).optional(),
  status: z.enum(["active", "disabled"]).optional(),
  is_muted: z.boolean().optional(),
  isMuted: z.boolean().optional(),
});

/** The project that a body or the address names. @throws {Denied} as `authorize()` */
export async function projectOfBody(
  ctx: ApiContext,
  name: string | undefined,
  scope: Parameters<typeof requireOrganization>[1],
): Promise<Project> {
  if (name === undefined) throw ApiError.fields({ project: ["This field is required."] });
  const { organization } = await requireOrganization(ctx, scope);
  const target = { organizationSlug: organization.id, projectSlug: name };
  const { kv } = ctx.state.services;
  return (await authorize(kv, ctx.state.actor, target, scope)).project;
}

/**
 * Reads a monitor out of a body; what it does not name stays as it was.
 *
 * @param former null: it must have a name and a schedule
 * @throws {ApiError} 400 that names each wrong field, {InvalidInput} for a wrong name
 */
export function readMonitor(
  body: z.output<typeof MonitorBody>,
  former: Monitor | null,
): MonitorInput {
  const name = checkName(body.name ?? former?.name ?? "");
  const base = {
    name,
    isActive: body.status === undefined ? former?.isActive ?? true : body.status === "active",
    isMuted: body.is_muted ?? body.isMuted ?? former?.isMuted ?? false,
  };
  if (body.config === undefined) {
    if (former === null) throw ApiError.fields({ config: ["This field is required."] });
    return { ...base, config: former.config };
  }
  const kept = body.config.schedule === undefined && former?.config;
  const sent = kept
    ? { ...body.config, schedule: kept.schedule, schedule_type: kept.schedule_type }
    : body.config;
  const read = readConfig(sent, former?.config ?? null);
  if (read.ok) return { ...base, config: read.config };
  throw ApiError.fields(
    Object.fromEntries(read.problems.map(({ field, message }) => [`config.${field}`, [message]])),
  );
}

export interface Buckets {
  readonly since: Date;
  readonly until: Date;
  readonly resolutionMs: number;
}

const MAX_BUCKETS = 1_000;

/** Reads `since`, `until` (seconds since 1970) and `resolution` such as `1h`. @throws {ApiError} 400 */
export function readBuckets(search: URLSearchParams, now: Date = new Date()): Buckets {
  const [, count, unit = ""] = /^(\d{1,4})([smhdw])$/.exec(search.get("resolution") ?? "1h") ?? [];
  const resolutionMs = Number(count) * (UNIT_MS[unit] ?? NaN);
  const until = secondsOf(search.get("until"), now.getTime());
  const since = secondsOf(search.get("since"), until - DAY_MS);
  const buckets = Math.ceil((until - since) / resolutionMs);
  if (!(buckets > 0 && buckets <= MAX_BUCKETS)) {
    throw ApiError.detail(
      400,
      `Invalid since, until or resolution: ask for 1 to ${MAX_BUCKETS} steps such as 1h`,
    );
  }
  const begin = Math.floor(since / resolutionMs) * resolutionMs;
  return { since: new Date(begin), until: new Date(until), resolutionMs };
}

function secondsOf(text: string | null, otherwise: number): number {
  if (text === null || text === "") return otherwise;
  const seconds = Number(text);
  const isTime = seconds >= 0 && seconds < 1e11;
  return isTime ? seconds * SECOND_MS : NaN;
}
