import { z } from "zod";
import type { ProjectAccess } from "../accounts/authorize.ts";
import { requireProject } from "../api/access.ts";
import { type ApiContext, ApiError, type ApiRoutes, listReply, readJson } from "../api/route.ts";
import {
  createDashboard,
  type Dashboard,
  DashboardChanged,
  type DashboardSummary,
  deleteDashboard,
  findDashboard,
  listDashboards,
  saveDashboard,
} from "./dashboards.ts";
import { fromDocument, type NamedContent, toDocument } from "./document.ts";

/** What the addresses below `/api/0` do that are about dashboards, by method. */
export const dashboardRoutes: ApiRoutes = {
  "/projects/:organization/:project/dashboards": {
    GET: async (ctx) => dashboardListReply(ctx, await requireProject(ctx, "project:read")),
    POST: async (ctx) => createDashboardReply(ctx, await requireProject(ctx, "dashboard:write")),
  },
  "/projects/:organization/:project/dashboards/:dashboard": {
    GET: async (ctx) => dashboardReply(ctx, await requireProject(ctx, "project:read")),
    PUT: async (ctx) => updateDashboardReply(ctx, await requireProject(ctx, "dashboard:write")),
    DELETE: async (ctx) => deleteDashboardReply(ctx, await requireProject(ctx, "dashboard:write")),
  },
};

const NewDashboard = z.object({ dashboard: z.unknown() });
const ChangedDashboard = NewDashboard.extend({
  version: z.number("Send the version that was changed, as GET gave it.").int(),
});

/** All dashboards of a project, by name. */
async function dashboardListReply(
  ctx: ApiContext,
  { project }: ProjectAccess,
): Promise<Response> {
  const dashboards = await listDashboards(ctx.state.services.sql, project.id);
  return listReply(ctx, dashboards.map(summaryJson));
}

/** Keeps the document in `dashboard` as a new one: 201. */
async function createDashboardReply(
  ctx: ApiContext,
  { project, userId }: ProjectAccess,
): Promise<Response> {
  const { dashboard } = await readJson(ctx.req, NewDashboard);
  const { sql } = ctx.state.services;
  const created = await createDashboard(sql, project.id, documentOf(dashboard), userId);
  return Response.json(dashboardJson(created), { status: 201 });
}

/** One dashboard. */
async function dashboardReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  return Response.json(dashboardJson(await requireDashboard(ctx, access)));
}

/** Puts the document in `dashboard` in place of what there is, unless it is no longer `version`: 409. */
async function updateDashboardReply(
  ctx: ApiContext,
  access: ProjectAccess,
): Promise<Response> {
  const { dashboardId } = await requireDashboard(ctx, access);
  const { project, userId } = access;
  const { dashboard, version } = await readJson(ctx.req, ChangedDashboard);
  const { sql } = ctx.state.services;
  const changed = documentOf(dashboard);
  try {
    const saved = await saveDashboard(sql, project.id, dashboardId, version, changed, userId);
    if (saved === null) throw notFound();
    return Response.json(dashboardJson(saved));
  } catch (error) {
    if (!(error instanceof DashboardChanged)) throw error;
    const detail =
      `This dashboard is at version ${error.current.version}, not ${version}: read it again, and change that.`;
    throw ApiError.detail(409, detail);
  }
}

/** Deletes a dashboard: 204. */
async function deleteDashboardReply(
  ctx: ApiContext,
  access: ProjectAccess,
): Promise<Response> {
  const { dashboardId } = await requireDashboard(ctx, access);
  await deleteDashboard(ctx.state.services.sql, access.project.id, dashboardId);
  return new Response(null, { status: 204 });
}

async function requireDashboard(
  { state, params }: ApiContext,
  { project }: ProjectAccess,
): Promise<Dashboard> {
  const found = await findDashboard(state.services.sql, project.id, params.dashboard ?? "");
  if (found === null) throw notFound();
  return found;
}

function documentOf(value: unknown): NamedContent {
  if (value === undefined) throw ApiError.fields({ dashboard: ["This field is required."] });
  return fromDocument(value, "dashboard");
}

function notFound(): ApiError {
  return ApiError.detail(404, "The requested resource does not exist.");
}

/** A dashboard in a list. */
function summaryJson(
  { dashboardId, name, panels, updatedAt, updatedBy }: DashboardSummary,
) {
  return {
    id: dashboardId,
    title: name,
    panelCount: panels,
    dateUpdated: updatedAt.toISOString(),
    updatedBy,
  };
}

/** A dashboard with the document that an export of it has. */
function dashboardJson(dashboard: Dashboard) {
  const { dashboardId, name, version, createdAt, updatedAt, updatedBy } = dashboard;
  return {
    id: dashboardId,
    title: name,
    version,
    dateCreated: createdAt.toISOString(),
    dateUpdated: updatedAt.toISOString(),
    updatedBy,
    dashboard: toDocument(dashboard),
  };
}
