import { z } from "zod";
import { emailOf } from "../../accounts/authorize.ts";
import { type Project, settingsOf } from "../../accounts/projects.ts";
import type { Backend } from "../../store/stores.ts";
import { onProject } from "../../api/access.ts";
import { PAGE_QUERY, readInterval, readLimit, TIME_QUERY } from "../../api/lists.ts";
import { type ApiRoutes, listReply, notFound } from "../../api/route.ts";
import {
  CheckJson,
  checkJson,
  CommentBody,
  IncidentJson,
  incidentJson,
  MonitorBody,
  MonitorJson,
  monitorJson,
  onMonitor,
  readMonitor,
  WholeIncidentJson,
  wholeIncidentJson,
} from "./api.ts";
import { listChecks } from "./checks.ts";
import { addComment, endIncident, findIncident, listIncidents } from "./incidents.ts";
import { changeMonitor, createMonitor, deleteMonitor, listMonitors } from "./monitors.ts";
import type { NoticePlace } from "./notices.ts";
import { MONITOR_WRITE } from "./pages/actions.ts";

const MONITORS = "/projects/:organization/:project/uptime";
const MONITOR = `${MONITORS}/:uptime`;
/** Checks are kept for so long. */
const CHECK_DAYS = 30;
const MAX_INCIDENTS = 200;

function placeOf({ config }: Pick<Backend, "config">, project: Project): NoticePlace {
  const { language } = settingsOf(project);
  return { projectName: project.name, baseUrl: config.baseUrl, language };
}

/** What the addresses below `/api/0` do that are about uptime monitors, by method. */
export const uptimeRoutes: ApiRoutes = {
  [MONITORS]: {
    GET: onProject("project:read", {
      summary: "The uptime monitors of a project",
      answer: z.array(MonitorJson),
    }, async (ctx, { project }) => {
      const monitors = await listMonitors(ctx.state.services.sql, project.id);
      return listReply(ctx, monitors.map(monitorJson));
    }),
    POST: onProject(MONITOR_WRITE, {
      summary: "Makes an uptime monitor",
      body: MonitorBody,
      answer: MonitorJson,
      status: 201,
    }, async ({ state: { services, actor } }, { project }, { body }) => {
      const input = readMonitor(body, null);
      return monitorJson(await createMonitor(services, project.id, input, emailOf(actor)));
    }),
  },
  [MONITOR]: {
    GET: onMonitor("project:read", {
      summary: "One uptime monitor, without its secrets",
      answer: MonitorJson,
    }, (_, { monitor }) => monitorJson(monitor)),
    PUT: onMonitor(MONITOR_WRITE, {
      summary: "Changes what the body names of an uptime monitor",
      body: MonitorBody,
      answer: MonitorJson,
    }, async ({ state: { services, actor } }, { project, monitor }, { body }) => {
      const input = readMonitor(body, monitor);
      const changed = await changeMonitor(services, monitor, input, emailOf(actor));
      if (input.isPaused && changed !== null) {
        await endIncident(services.sql, changed, "paused", placeOf(services, project));
      }
      return monitorJson(changed);
    }),
    DELETE: onMonitor(MONITOR_WRITE, {
      summary: "Deletes an uptime monitor with its incidents",
    }, async ({ state: { services } }, { project, monitor }) => {
      await endIncident(services.sql, monitor, "deleted", placeOf(services, project));
      await deleteMonitor(services.sql, monitor);
    }),
  },
  [`${MONITOR}/checks`]: {
    GET: onMonitor("project:read", {
      summary: "The checks of an uptime monitor, the latest first",
      query: z.object({ ...TIME_QUERY, ...PAGE_QUERY }),
      answer: z.array(CheckJson),
    }, async (ctx, { monitor }, { query: { cursor = null, per_page = null } }) => {
      const interval = readInterval(ctx.url.searchParams, CHECK_DAYS);
      const page = await listChecks(ctx.state.services.sql, monitor, interval, {
        cursor,
        limit: readLimit(per_page),
      });
      return listReply(ctx, page.rows.map(checkJson), page);
    }),
  },
  [`${MONITOR}/incidents`]: {
    GET: onMonitor("project:read", {
      summary: `The newest ${MAX_INCIDENTS} incidents of an uptime monitor`,
      answer: z.array(IncidentJson),
    }, async (ctx, { monitor: { projectId, monitorId } }) => {
      const { sql } = ctx.state.services;
      const incidents = await listIncidents(sql, projectId, monitorId, { limit: MAX_INCIDENTS });
      return listReply(ctx, incidents.map(incidentJson));
    }),
  },
  [`${MONITOR}/incidents/:incident`]: {
    GET: onMonitor("project:read", {
      summary: "One incident with what was seen when it opened",
      answer: WholeIncidentJson,
    }, async (ctx, { monitor: { projectId, monitorId } }) => {
      const { sql } = ctx.state.services;
      const found = await findIncident(sql, projectId, monitorId, ctx.params.incident ?? "");
      if (found === null) throw notFound();
      return wholeIncidentJson(found);
    }),
  },
  [`${MONITOR}/incidents/:incident/comments`]: {
    POST: onMonitor(MONITOR_WRITE, {
      summary: "Adds a comment to an incident",
      body: CommentBody,
      status: 201,
    }, async (ctx, { monitor: { projectId, monitorId } }, { body: { text } }) => {
      const { services: { sql }, actor } = ctx.state;
      const found = await findIncident(sql, projectId, monitorId, ctx.params.incident ?? "");
      if (found === null || !await addComment(sql, found, { by: emailOf(actor), text })) {
        throw notFound();
      }
    }),
  },
};
