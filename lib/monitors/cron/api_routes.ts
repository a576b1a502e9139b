import { z } from "zod";
import { onOrganization, onProject, onProjectsOfQuery } from "../../api/access.ts";
import { PAGE_QUERY, readInterval, TIME_QUERY } from "../../api/lists.ts";
import { ApiError, type ApiRoutes, listReply, notFound } from "../../api/route.ts";
import { shortIdOf } from "../../errors/mod.ts";
import {
  CheckInJson,
  checkInJson,
  MonitorBody,
  MonitorJson,
  monitorJson,
  onMonitor,
  ProcessingErrorJson,
  projectOfBody,
  readBuckets,
  readMonitor,
} from "./api.ts";
import { statsByEnvironment, statsOf } from "./api_stats.ts";
import { readConfig } from "./config.ts";
import {
  checkSlug,
  createMonitor,
  createNamed,
  deleteMonitor,
  listMonitors,
  type Monitor,
  muteEnvironment,
  updateMonitor,
} from "./monitors.ts";
import { MONITOR_WRITE } from "./pages/actions.ts";
import { deleteError, listErrors, type ProcessingError } from "./processing_errors.ts";
import { issuesOfRuns, listRuns } from "./runs.ts";
import { nextTimes } from "./schedule.ts";
import { standingOf, STANDINGS } from "./words.ts";

const ORGANIZATION = "/organizations/:organization";
const PROJECT = "/projects/:organization/:project";
const MAX_PAGE = 100;
const PAGE = 25;

const ListQuery = z.object({
  query: z.string().max(200, "write at most 200 characters").default(""),
  environment: z.array(z.string()),
  project: z.array(z.string()),
  sort: z.enum(["status", "name", "muted"], "write status, name or muted").default("status"),
  asc: z.string().optional().describe("0 turns the order round"),
});
const RunQuery = z.object({
  environment: z.array(z.string()),
  expand: z.array(z.string()),
  ...TIME_QUERY,
  ...PAGE_QUERY,
});
const StatQuery = z.object({
  environment: z.array(z.string()),
  since: z.string().optional().describe("Seconds since 1970"),
  until: z.string().optional(),
  resolution: z.string().optional().describe("As 1h"),
});
const DeleteQuery = z.object({
  environment: z.array(z.string()).describe("Only these; absent: all of it"),
});
const StatJson = z.object({
  ts: z.int(),
  ok: z.int(),
  error: z.int(),
  missed: z.int(),
  timeout: z.int(),
  in_progress: z.int(),
  unknown: z.int(),
  duration: z.int(),
});

/** The worst first, then by name. */
function compare(sort: "status" | "name" | "muted") {
  const rank = (monitor: Monitor) => {
    if (sort === "name") return 0;
    if (sort === "muted") return monitor.isMuted ? 0 : 1;
    const states = monitor.environments.map((state) => standingOf(monitor, state));
    const ranks = states.map((state) => STANDINGS.indexOf(state));
    return ranks.length === 0 ? STANDINGS.indexOf(standingOf(monitor, null)) : Math.min(...ranks);
  };
  return (a: Monitor, b: Monitor) => rank(a) - rank(b);
}

function matches(monitor: Monitor, query: string, environments: readonly string[]): boolean {
  const text = `${monitor.name} ${monitor.slug}`.toLowerCase();
  const isNamed = query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  return isNamed && (environments.length === 0 ||
    monitor.environments.some(({ environment }) => environments.includes(environment)));
}

function errorJson({ errorId, slug, environment, type, detail, notedAt }: ProcessingError) {
  return {
    id: errorId,
    checkin: { payload: { monitor_slug: slug, environment }, ts: notedAt },
    errors: [{ type, ...(detail !== "" && { detail }) }],
  };
}

/** What the addresses of one monitor do; both below its organization and below its project. */
function monitorRoutes(path: string): ApiRoutes {
  return {
    [path]: {
      GET: onMonitor("project:read", {
        summary: "One monitor of a cron job, by slug or id",
        answer: MonitorJson,
      }, (_, { project, monitor }) => monitorJson(monitor, project)),
      PUT: onMonitor(MONITOR_WRITE, {
        summary: "Changes what the body names of a monitor",
        errors: [409],
        body: MonitorBody,
        answer: MonitorJson,
      }, async (ctx, { project, monitor }, { body }) => {
        if (body.slug !== undefined && body.slug !== monitor.slug) {
          throw ApiError.fields({ slug: ["Jobs report as it: it cannot be changed."] });
        }
        const { sql } = ctx.state.services;
        const changed = await updateMonitor(sql, monitor, readMonitor(body, monitor));
        if (changed === null) throw notFound();
        return monitorJson(changed, project);
      }),
      DELETE: onMonitor(MONITOR_WRITE, {
        summary: "Deletes a monitor, or some of its environments",
        query: DeleteQuery,
        status: 202,
      }, async (ctx, { monitor }, { query: { environment } }) => {
        const chosen = environment.length === 0 ? null : environment;
        await deleteMonitor(ctx.state.services.sql, monitor, chosen);
      }),
    },
    [`${path}/checkins`]: {
      GET: onMonitor("project:read", {
        summary: "The runs of a monitor, the newest first",
        query: RunQuery,
        answer: z.array(CheckInJson),
      }, async (ctx, { project, monitor }, { query }) => {
        const { sql, config } = ctx.state.services;
        const { start } = readInterval(ctx.url.searchParams, config.retentionDays);
        const page = await listRuns(sql, {
          projectId: project.id,
          slug: monitor.slug,
          environments: query.environment,
          since: start,
          cursor: query.cursor ?? null,
          limit: Math.min(
            MAX_PAGE,
            Math.max(1, Math.trunc(Number(query.per_page ?? PAGE)) || PAGE),
          ),
        });
        const rows = page.rows.map(checkInJson);
        if (!query.expand.includes("groups")) return listReply(ctx, rows, page);
        const issues = await issuesOfRuns(sql, project.id, page.rows);
        const withGroups = page.rows.map((run, index) => ({
          ...rows[index],
          groups: (issues.get(run.traceId ?? "") ?? []).map(({ id, number }) => ({
            id,
            shortId: shortIdOf(project.slug, number),
          })),
        }));
        return listReply(ctx, withGroups, page);
      }),
    },
    [`${path}/stats`]: {
      GET: onMonitor("project:read", {
        summary: "How many runs a monitor had, by steps of time",
        query: StatQuery,
        answer: z.array(StatJson),
      }, (ctx, { monitor }, { query }) =>
        statsOf(
          ctx.state.services.sql,
          monitor,
          query.environment,
          readBuckets(ctx.url.searchParams),
        )),
    },
    [`${path}/environments/:environment`]: {
      PUT: onMonitor(MONITOR_WRITE, {
        summary: "Mutes one environment of a monitor, or no longer",
        body: z.object({ isMuted: z.boolean() }),
        answer: MonitorJson.shape.environments.element,
      }, async (ctx, { project, monitor }, { body: { isMuted } }) => {
        const { environment = "" } = ctx.params;
        const { sql } = ctx.state.services;
        if (!await muteEnvironment(sql, monitor, environment, isMuted)) throw notFound();
        const all = monitorJson(monitor, project).environments;
        const found = all.find(({ name }) => name === environment);
        return found && { ...found, isMuted: isMuted || monitor.isMuted };
      }),
      DELETE: onMonitor(MONITOR_WRITE, {
        summary: "Deletes one environment of a monitor with its runs",
        status: 202,
      }, async (ctx, { monitor }) => {
        const { environment = "" } = ctx.params;
        await deleteMonitor(ctx.state.services.sql, monitor, [environment]);
      }),
    },
    [`${path}/processing-errors`]: {
      GET: onMonitor("project:read", {
        summary: "Check-ins of a monitor that were not taken, of the last week",
        answer: z.array(ProcessingErrorJson),
      }, async (ctx, { project, monitor }) => {
        const errors = await listErrors(ctx.state.services.sql, project.id, monitor.slug);
        return listReply(ctx, errors.map(errorJson));
      }),
    },
    [`${path}/processing-errors/:error`]: {
      DELETE: onMonitor(MONITOR_WRITE, {
        summary: "Takes one of them away",
      }, async (ctx, { project, monitor }) => {
        const { sql } = ctx.state.services;
        const { error = "" } = ctx.params;
        if (!await deleteError(sql, project.id, monitor.slug, error)) throw notFound();
      }),
    },
  };
}

/** What the addresses below `/api/0` do that are about cron jobs, by method. */
export const cronRoutes: ApiRoutes = {
  [`${ORGANIZATION}/monitors`]: {
    GET: onProjectsOfQuery("project:read", {
      summary: "The monitors of an organization's cron jobs",
      query: ListQuery,
      answer: z.array(MonitorJson),
    }, async (ctx, accesses, { query: { query, environment, sort, asc } }) => {
      const projects = new Map(accesses.map(({ project }) => [project.id, project]));
      const all = await listMonitors(ctx.state.services.sql, [...projects.keys()]);
      const found = all.filter((each) => matches(each, query, environment)).sort(compare(sort));
      if (asc === "0") found.reverse();
      return listReply(
        ctx,
        found.flatMap((each) => {
          const project = projects.get(each.projectId);
          return project === undefined ? [] : [monitorJson(each, project)];
        }),
      );
    }),
    POST: onOrganization(MONITOR_WRITE, {
      summary: "Makes a monitor of a cron job",
      errors: [409],
      body: MonitorBody,
      answer: MonitorJson,
      status: 201,
    }, async (ctx, _, { body }) => {
      const input = readMonitor(body, null);
      const slug = body.slug === undefined ? null : checkSlug(body.slug);
      const project = await projectOfBody(ctx, body.project, MONITOR_WRITE);
      const { sql } = ctx.state.services;
      const made = slug === null
        ? await createNamed(sql, project.id, input)
        : await createMonitor(sql, project.id, slug, input);
      return monitorJson(made, project);
    }),
    PUT: onProjectsOfQuery(MONITOR_WRITE, {
      summary: "Changes monitors that `ids` names",
      body: MonitorBody.extend({ ids: z.array(z.string()).max(MAX_PAGE) }),
      answer: z.object({ updated: z.array(MonitorJson), errored: z.array(MonitorJson) }),
    }, async (ctx, accesses, { body: { ids, ...changes } }) => {
      const projects = new Map(accesses.map(({ project }) => [project.id, project]));
      const { sql } = ctx.state.services;
      const all = await listMonitors(sql, [...projects.keys()]);
      const updated = [];
      for (const each of all.filter(({ monitorId }) => ids.includes(monitorId))) {
        const project = projects.get(each.projectId);
        const changed = await updateMonitor(sql, each, readMonitor(changes, each));
        if (changed && project) updated.push(monitorJson(changed, project));
      }
      return { updated, errored: [] };
    }),
  },
  [`${ORGANIZATION}/monitors-stats`]: {
    GET: onProjectsOfQuery("project:read", {
      summary: "How many runs several monitors had, by steps of time and environment",
      query: StatQuery.extend({ monitor: z.array(z.string()).describe("Ids") }),
      answer: z.record(z.string(), z.array(z.tuple([z.int(), z.looseObject({})]))),
    }, async (ctx, accesses, { query }) => {
      const { sql } = ctx.state.services;
      const buckets = readBuckets(ctx.url.searchParams);
      const all = await listMonitors(sql, accesses.map(({ project }) => project.id));
      const chosen = all.filter(({ monitorId }) => query.monitor.includes(monitorId));
      const entries: [string, unknown][] = [];
      for (const [projectId, some] of Map.groupBy(chosen, (each) => each.projectId)) {
        const slugs = some.map(({ slug }) => slug);
        const stats = await statsByEnvironment(sql, projectId, slugs, query.environment, buckets);
        for (const { monitorId, slug } of some) entries.push([monitorId, stats.get(slug) ?? []]);
      }
      return Object.fromEntries(entries);
    }),
  },
  [`${ORGANIZATION}/monitors-schedule-data`]: {
    GET: onOrganization("project:read", {
      summary: "The next times of a schedule, in seconds since 1970",
      query: z.object({
        schedule_type: z.string().default("crontab"),
        schedule: z.string().describe("A crontab, or [number, unit] as JSON"),
        timezone: z.string().default("UTC"),
      }),
      answer: z.array(z.int()),
    }, (_ctx, _access, { query }) => {
      const schedule = query.schedule_type === "interval" ? listIn(query.schedule) : query.schedule;
      const read = readConfig({ ...query, schedule }, null);
      if (!read.ok) {
        throw ApiError.fields(
          Object.fromEntries(read.problems.map(({ field, message }) => [field, [message]])),
        );
      }
      return nextTimes(read.config, new Date(), PAGE).map((at) => at.getTime() / 1000);
    }),
  },
  ...monitorRoutes(`${ORGANIZATION}/monitors/:monitor`),
  ...monitorRoutes(`${PROJECT}/monitors/:monitor`),
  [`${PROJECT}/processing-errors`]: {
    GET: onProject("project:read", {
      summary: "Check-ins of a project that were not taken, of the last week",
      answer: z.array(ProcessingErrorJson),
    }, async (ctx, { project }) => {
      const errors = await listErrors(ctx.state.services.sql, project.id, null);
      return listReply(ctx, errors.map(errorJson));
    }),
  },
};

function listIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
