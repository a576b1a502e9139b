/** All addresses below `/api/0`, and the document that tells of them. */
import { z } from "zod";
import type { Project } from "../accounts/projects.ts";
import { alertRoutes, channelRoutes } from "../alerts/api_routes.ts";
import { auditRoutes } from "../audit/api_routes.ts";
import { type ApiDocument, openApi } from "../api/openapi.ts";
import { VERSION } from "../core/config.ts";
import { dashboardRoutes } from "../dashboards/api.ts";
import { resolveFixed } from "../errors/mod.ts";
import { codeRoutes } from "../errors/code/api_routes.ts";
import { ownershipRoutes } from "../errors/ownership/api_routes.ts";
import { errorRoutes } from "../errors/api_routes.ts";
import { linkRoutes } from "../errors/links/api_routes.ts";
import { endUserRoutes } from "../end_users/api_routes.ts";
import { eventsMatching } from "../explore/mod.ts";
import { exploreRoutes } from "../explore/api_routes.ts";
import { metricRoutes } from "../metrics/api.ts";
import { uptimeRoutes } from "../monitors/uptime/api_routes.ts";
import { cronRoutes } from "../monitors/cron/api_routes.ts";
import { profileRoutes } from "../profiles/api_routes.ts";
import { projectRoutes } from "../projects/api_routes.ts";
import { commitsOf, markFixed, openFixes } from "../releases/mod.ts";
import { releaseRoutes } from "../releases/api_routes.ts";
import { sourceMapRoutes } from "../sourcemaps/api_routes.ts";
import { traceRoutes } from "../traces/api_routes.ts";
import { transferRoutes } from "../transfers/api_routes.ts";
import { type ApiContext, type ApiRoutes, open, tagged } from "../api/route.ts";

/** The management API, by address. */
export const API_ROUTES: ApiRoutes = {
  ...projectRoutes,
  ...tagged("Audit log", auditRoutes),
  ...tagged("End users", endUserRoutes),
  ...tagged("Exports and imports", transferRoutes),
  ...tagged("Issues", errorRoutes({ eventsMatching })),
  ...tagged("Issue links", linkRoutes),
  ...tagged("Releases", releaseRoutes({ onReleaseCommits: resolveByCommits })),
  ...tagged("Code", codeRoutes),
  ...tagged("Ownership", ownershipRoutes),
  ...tagged("Metrics", metricRoutes),
  ...tagged("Profiles", profileRoutes),
  ...tagged("Traces", traceRoutes),
  ...tagged("Explore", exploreRoutes),
  ...tagged("Alerts", alertRoutes),
  ...tagged("Channels", channelRoutes),
  ...tagged("Dashboards", dashboardRoutes),
  ...tagged("Uptime", uptimeRoutes),
  ...tagged("Cron jobs", cronRoutes),
  ...tagged("Source maps", sourceMapRoutes),
  "/openapi.json": {
    GET: open({
      tag: "API",
      summary: "This document",
      answer: z.looseObject({ openapi: z.string() }),
    }, apiDocument),
  },
};

/** Resolves the issues that the commits of a release say they fix. */
async function resolveByCommits(
  { state: { services } }: ApiContext,
  project: Project,
  version: string,
): Promise<void> {
  const { sql } = services;
  const [fixes, commits] = await Promise.all([
    openFixes(sql, project.id, version),
    commitsOf(sql, project.id, version),
  ]);
  const ids = commits.map(({ commitId }) => commitId);
  const done = await resolveFixed(services, project, version, fixes, ids);
  await markFixed(sql, project.id, version, done, new Date());
}

/** The document of the API, made when somebody asks for it first. */
export function apiDocument(): ApiDocument {
  return made ??= openApi(API_ROUTES, VERSION);
}

let made: ApiDocument | undefined;
