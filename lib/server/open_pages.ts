import { t } from "../core/language/translate.ts";
import { HttpError } from "fresh";
import { listKeys } from "../accounts/keys.ts";
import { roleAllows } from "../accounts/members.ts";
import { requireProject } from "../accounts/authorize.ts";
import { type Dashboard, findDashboard } from "../dashboards/dashboards.ts";
import { scopeNamesOf } from "../metrics/scope_names.ts";
import { snippetDsn } from "../projects/setup.tsx";
import type { Snippet } from "../projects/snippets/mod.ts";
import { profiling } from "../projects/snippets/profiling.ts";
import { hasReceived, loadPageScope, type PageView } from "../releases/request_scope.ts";
import type { CliClient } from "../ui/cli_commands.tsx";
import type { Asking } from "./form_handlers.ts";
import type { Project } from "../accounts/projects.ts";
import { loadShell } from "./shell.tsx";

export interface OpenedDashboards extends OpenedPage {
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
  const opened = await openMetrics(ctx);
  return { ...opened, mayEdit: roleAllows(role, "dashboard:write"), userId };
}

/** The dashboard of the address. @throws {HttpError} 404 */
export async function requireDashboard(
  { state, params }: Pick<Asking, "state" | "params">,
  projectId: string,
): Promise<Dashboard> {
  const { sql } = state.services;
  const dashboard = await findDashboard(sql, projectId, params.dashboard ?? "");
  if (dashboard === null) {
    throw new HttpError(404, t("There is no such dashboard. Somebody may have deleted it."));
  }
  return dashboard;
}

/**
 * Opens a page of metrics for those who may see the project: its scope can also be chosen from what only metrics name.
 *
 * @throws {Denied} as `requireProject()`
 */
export async function openMetrics(ctx: Asking): Promise<OpenedPage> {
  const opened = await openPage(ctx);
  const { pageScope, project } = opened;
  const names = await scopeNamesOf(ctx.state.services.sql, project.id);
  return {
    ...opened,
    pageScope: {
      ...pageScope,
      environments: joined(pageScope.environments, names.environments).sort(),
      releases: joined(pageScope.releases, names.releases),
      services: joined(pageScope.services, names.services).sort(),
    },
  };
}

function joined(some: readonly string[], others: readonly string[]): string[] {
  return [...new Set([...some, ...others])];
}

export interface OpenedPage extends PageView {
  readonly project: Project;
}

/**
 * Opens a page of a project for those who may see it, with what all of them show; while nothing has come in, with where to
 * send it.
 *
 * @throws {Denied} as `requireProject()`
 */
export async function openPage(ctx: Asking): Promise<OpenedPage> {
  const { project } = await requireProject(ctx, "project:read");
  const [shell, pageScope] = await Promise.all([
    loadShell(ctx, project),
    loadPageScope(ctx.state.services.sql, project, ctx.url.searchParams),
  ]);
  if (hasReceived(pageScope)) return { project, shell, pageScope };
  return {
    project,
    shell,
    pageScope: { ...pageScope, serverDsn: await serverDsn(ctx, SERVER) },
  };
}

/** For what servers run, whose key a browser must not have. */
export const SERVER = { key: "server", isKeyStrict: true } as const;
/** For what pages carry, which may have any key where there is none for browsers. */
export const BROWSER = { key: "browser" } as const;

/**
 * The DSN that a snippet shows on a project's pages; with a key of zeros for those who may see none.
 *
 * @throws {Denied} as `requireProject()`
 */
export async function serverDsn(
  ctx: Pick<Asking, "state" | "params">,
  snippet: Pick<Snippet, "key" | "isKeyStrict">,
): Promise<string> {
  const { project, role } = await requireProject(ctx, "project:read");
  const { kv, config } = ctx.state.services;
  const keys = roleAllows(role, "key:read") ? await listKeys(kv, project.id) : [];
  return snippetDsn({
    keys: keys.filter(({ isActive }) => isActive),
    projectId: project.id,
    baseUrl: config.baseUrl,
    snippet,
  });
}

/**
 * What a build has to know of this server to tell of releases.
 *
 * @throws {Denied} as `requireProject()`
 */
export async function cliClient(ctx: Pick<Asking, "state" | "params">): Promise<CliClient> {
  const { organization, project, role } = await requireProject(ctx, "project:read");
  return {
    url: ctx.state.services.config.baseUrl,
    organization: organization.slug,
    project: project.slug,
    mayMakeTokens: roleAllows(role, "token:write"),
  };
}

/**
 * What to run to send a first profile, as the setup page shows it; with a key of zeros for those who may see none.
 *
 * @throws {Denied} as `requireProject()`
 */
export async function profilingSnippet(
  ctx: Pick<Asking, "state" | "params">,
): Promise<string> {
  return profiling.steps(await serverDsn(ctx, profiling))[0]?.code ?? "";
}
