import { HttpError } from "fresh";
import { roleAllows } from "../accounts/members.ts";
import { requireProject } from "../accounts/authorize.ts";
import { findUser } from "../accounts/users.ts";
import { type Dashboard, findDashboard } from "../dashboards/dashboards.ts";
import { scopeNamesOf } from "../metrics/scope_names.ts";
import { loadTracing, type Tracing } from "../releases/request_scope.ts";
import { formatRelative } from "../ui/format.ts";
import type { Shell } from "../ui/shell.ts";
import type { State } from "./define.ts";
import type { Project } from "../accounts/projects.ts";
import { loadShell } from "./shell.tsx";

interface Asking {
  readonly req: Request;
  readonly url: URL;
  readonly state: State;
  readonly params: Record<string, string>;
}

export interface OpenedDashboards {
  readonly shell: Shell;
  /** With the project and the scope. */
  readonly tracing: Tracing;
  readonly mayEdit: boolean;
  /** Who asks; null for the holder of the instance's token. */
  readonly userId: string | null;
}

/**
 * Opens a page of dashboards for those who may see the project, or who may change its dashboards.
 *
 * @throws {Denied} as `requireProject()`
 */
export async function openDashboards(
  ctx: Asking,
  permission: "project:read" | "dashboard:write",
): Promise<OpenedDashboards> {
  const { role, userId } = await requireProject(ctx, permission);
  const { shell, tracing } = await openMetrics(ctx);
  return { shell, tracing, mayEdit: roleAllows(role, "dashboard:write"), userId };
}

/** The dashboard of the address. @throws {HttpError} 404 */
export async function requireDashboard(
  { state, params }: Pick<Asking, "state" | "params">,
  projectId: string,
): Promise<Dashboard> {
  const { sql } = state.services;
  const dashboard = await findDashboard(sql, projectId, params.dashboard ?? "");
  if (dashboard === null) {
    throw new HttpError(404, "There is no such dashboard. Somebody may have deleted it.");
  }
  return dashboard;
}

/** Says who changed a dashboard in the meantime, and when. */
export async function conflictSentence(kv: Deno.Kv, current: Dashboard): Promise<string> {
  const user = current.updatedBy === null ? null : await findUser(kv, current.updatedBy);
  return `${user?.name ?? "Somebody"} changed this dashboard ${
    formatRelative(current.updatedAt)
  }, while you had it open.`;
}

/**
 * Opens a page of metrics for those who may see the project: its scope can also be chosen from what only metrics name.
 *
 * @throws {Denied} as `requireProject()`
 */
export async function openMetrics(ctx: Asking): Promise<OpenedTracing> {
  const opened = await openTracing(ctx);
  const { tracing, project } = opened;
  const names = await scopeNamesOf(ctx.state.services.sql, project.id);
  return {
    ...opened,
    tracing: {
      ...tracing,
      environments: joined(tracing.environments, names.environments).sort(),
      releases: joined(tracing.releases, names.releases),
      services: joined(tracing.services, names.services).sort(),
    },
  };
}

function joined(some: readonly string[], others: readonly string[]): string[] {
  return [...new Set([...some, ...others])];
}

export interface OpenedTracing {
  readonly project: Project;
  readonly shell: Shell;
  readonly tracing: Tracing;
}

/**
 * Opens a page of traces for those who may see the project, with what all of them show.
 *
 * @throws {Denied} as `requireProject()`
 */
export async function openTracing(ctx: Asking): Promise<OpenedTracing> {
  const { project } = await requireProject(ctx, "project:read");
  const [shell, tracing] = await Promise.all([
    loadShell(ctx, project),
    loadTracing(ctx.state.services.sql, project, ctx.url.searchParams),
  ]);
  return { project, shell, tracing };
}
