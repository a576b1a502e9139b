import { z } from "zod";
import { onProject, requireProject } from "../api/access.ts";
import { ApiError, type ApiRoutes, behind, listReply, notFound } from "../api/route.ts";
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
import { DocumentSchema, fromDocument, type NamedContent, toDocument } from "./document.ts";

const onDashboard = behind(async (ctx, scope) => {
  const access = await requireProject(ctx, scope);
  const { sql } = ctx.state.services;
  const dashboard = await findDashboard(sql, access.project.id, ctx.params.dashboard ?? "");
  if (dashboard === null) throw notFound();
  return { ...access, dashboard };
});

const NewDashboard = z.object({
  dashboard: z.unknown().describe("A document, as reading a dashboard gives it"),
});
const ChangedDashboard = NewDashboard.extend({
  version: z.number("Send the version that was changed, as GET gave it.").int(),
});

const common = {
  id: z.string(),
  title: z.string(),
  dateUpdated: z.iso.datetime(),
  updatedBy: z.string().nullable(),
};
const SummaryJson = z.object({ ...common, panelCount: z.int() });
const DashboardJson = z.object({
  ...common,
  version: z.int(),
  dateCreated: z.iso.datetime(),
  dashboard: DocumentSchema,
}).meta({ title: "Dashboard" });

/** What the addresses below `/api/0` do that are about dashboards, by method. */
export const dashboardRoutes: ApiRoutes = {
  "/projects/:organization/:project/dashboards": {
    GET: onProject("project:read", {
      summary: "All dashboards of a project, by name",
      answer: z.array(SummaryJson),
    }, async (ctx, { project }) => {
      const dashboards = await listDashboards(ctx.state.services.sql, project.id);
      return listReply(ctx, dashboards.map(summaryJson));
    }),
    POST: onProject("dashboard:write", {
      summary: "Keeps a document as a new dashboard",
      body: NewDashboard,
      answer: DashboardJson,
      status: 201,
    }, async (ctx, { project, userId }, { body: { dashboard } }) => {
      const { sql } = ctx.state.services;
      return dashboardJson(
        await createDashboard(sql, project.id, documentOf(dashboard), userId),
      );
    }),
  },
  "/projects/:organization/:project/dashboards/:dashboard": {
    GET: onDashboard("project:read", {
      summary: "One dashboard",
      answer: DashboardJson,
    }, (_, { dashboard }) => dashboardJson(dashboard)),
    PUT: onDashboard("dashboard:write", {
      summary: "Puts a document in place of a dashboard, unless it is no longer `version`: 409",
      errors: [409],
      body: ChangedDashboard,
      answer: DashboardJson,
    }, async (ctx, { project, userId, dashboard: { dashboardId } }, { body }) => {
      const { sql } = ctx.state.services;
      const changed = documentOf(body.dashboard);
      try {
        const { version } = body;
        const saved = await saveDashboard(sql, project.id, dashboardId, version, changed, userId);
        if (saved === null) throw notFound();
        return dashboardJson(saved);
      } catch (error) {
        if (!(error instanceof DashboardChanged)) throw error;
        const detail =
          `This dashboard is at version ${error.current.version}, not ${body.version}: read it again, and change that.`;
        throw ApiError.detail(409, detail);
      }
    }),
    DELETE: onDashboard("dashboard:write", {
      summary: "Deletes a dashboard",
    }, async (ctx, { project, dashboard }) => {
      await deleteDashboard(ctx.state.services.sql, project.id, dashboard.dashboardId);
    }),
  },
};

function documentOf(value: unknown): NamedContent {
  if (value === undefined) throw ApiError.fields({ dashboard: ["This field is required."] });
  return fromDocument(value, "dashboard");
}

/** A dashboard in a list. */
function summaryJson({ dashboardId, name, panels, updatedAt, updatedBy }: DashboardSummary) {
  return { id: dashboardId, title: name, panelCount: panels, dateUpdated: updatedAt, updatedBy };
}

/** A dashboard with the document that an export of it has. */
function dashboardJson(dashboard: Dashboard) {
  const { dashboardId, name, version, createdAt, updatedAt, updatedBy } = dashboard;
  return {
    id: dashboardId,
    title: name,
    version,
    dateCreated: createdAt,
    dateUpdated: updatedAt,
    updatedBy,
    dashboard: toDocument(dashboard),
  };
}
