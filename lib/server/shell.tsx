import type { VNode } from "preact";
import { type Actor, listProjectsSeenBy, listVisibleOrganizations } from "../accounts/authorize.ts";
import { effectiveRole, type Permission, PERMISSIONS, roleAllows } from "../accounts/members.ts";
import type { User } from "../accounts/users.ts";
import type { Project } from "../accounts/projects.ts";
import { QUOTA_KINDS, quotaUse } from "../accounts/quotas.ts";
import { environmentsOf, releasesOf } from "../store/stats/series_names.ts";
import { MAX_RECENT, RAIL_COOKIE, readCookie, readFlash, RECENT_COOKIE } from "../ui/cookies.ts";
import { parseScope } from "../ui/scope.ts";
import type { ScopedView } from "../ui/scoped_page.tsx";
import type { Shell, ShellOrganization, ShellProject } from "../ui/shell.ts";
import { QuotaBanner, TooLargeBanner, WARN_FROM } from "../usage/banners.tsx";
import { loadTooLarge } from "../usage/load_usage.ts";
import { secondFactorBanners } from "./account/second_factor_banner.tsx";
import type { State } from "./define.ts";

/** The part of Fresh's context that the frame needs. */
interface Asking {
  readonly req: Request;
  readonly url: URL;
  readonly state: State;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Reads what the frame shows from KV and the request's cookies.
 *
 * @param project the project that the page belongs to, when it belongs to one
 */
export async function loadShell(
  { req, url, state, params }: Asking,
  project: ShellProject | null = null,
): Promise<Shell> {
  const user = state.actor.kind === "user" ? state.actor.user : null;
  const isInstanceAdmin = user?.isInstanceAdmin ?? false;
  const { kv } = state.services;
  const organizations = await organizationsOf(kv, state.actor);
  const ofPage = organizationsOfPage(organizations, project, params.organization);
  const isOfOne = project !== null || params.organization !== undefined;
  const projects = project !== null ? [project] : ofPage.flatMap(({ projects }) => projects);
  return {
    user,
    organizations,
    isInstanceAdmin,
    permissions: user === null ? [] : await permissionsIn(kv, user, ofPage),
    banners: [
      ...await secondFactorBanners(kv, state.actor),
      ...await quotaBanners(kv, ofPage, isInstanceAdmin),
      ...user === null || !isOfOne ? [] : await tooLargeBanners(state.services, projects),
    ],
    project,
    recent: (readCookie(req, RECENT_COOKIE) ?? "").split(".").filter(Boolean).slice(0, MAX_RECENT),
    theme: state.theme,
    isRailNarrow: readCookie(req, RAIL_COOKIE) === "narrow",
    path: url.pathname + url.search,
    flash: readFlash(req),
  };
}

/** What somebody may do in the one organization of a page. */
async function permissionsIn(
  kv: Deno.Kv,
  user: User,
  [organization, ...others]: readonly ShellOrganization[],
): Promise<Permission[]> {
  if (organization === undefined || others.length > 0) return [];
  const role = await effectiveRole(kv, organization.id, user);
  return role === null ? [] : PERMISSIONS.filter((permission) => roleAllows(role, permission));
}

/** Reads what the frame of a page shows that obeys the scope. */
export async function loadFrame(ctx: Asking, project: Project): Promise<ScopedView> {
  const { sql } = ctx.state.services;
  const [shell, environments, releases] = await Promise.all([
    loadShell(ctx, project),
    environmentsOf(sql, project.id),
    releasesOf(sql, project.id),
  ]);
  return { shell, project, scope: parseScope(ctx.url.searchParams), environments, releases };
}

/** Pages that belong to no organization warn of this many at most: each costs a read. */
const MAX_WARNED = 10;

async function quotaBanners(
  kv: Deno.Kv,
  organizations: readonly ShellOrganization[],
  mayRaise: boolean,
): Promise<VNode[]> {
  const uses = await Promise.all(
    organizations.slice(0, MAX_WARNED).flatMap((organization) =>
      QUOTA_KINDS.map(async (kind) => ({
        organization,
        kind,
        ...await quotaUse(kv, organization.id, new Date(), kind),
      }))
    ),
  );
  return uses.filter(({ used, quota }) => quota > 0 && used >= WARN_FROM * quota)
    .map((use) => (
      <QuotaBanner key={`${use.organization.slug} ${use.kind}`} {...use} mayRaise={mayRaise} />
    ));
}

async function tooLargeBanners(
  services: State["services"],
  projects: readonly ShellProject[],
): Promise<VNode[]> {
  const all = await loadTooLarge(services, projects.map(({ id }) => id));
  return projects
    .map((project) => ({ project, lost: all.filter(({ projectId }) => projectId === project.id) }))
    .filter(({ lost }) => lost.length > 0)
    .slice(0, MAX_WARNED)
    .map(({ project, lost }) => <TooLargeBanner key={project.id} project={project} lost={lost} />);
}

/** That of the page; all of them where it belongs to none. */
function organizationsOfPage(
  organizations: readonly ShellOrganization[],
  project: ShellProject | null,
  slugOrId: string | undefined,
): readonly ShellOrganization[] {
  if (project !== null) {
    return organizations.filter(({ projects }) => projects.some(({ id }) => id === project.id));
  }
  if (slugOrId === undefined) return organizations;
  return organizations.filter(({ id, slug }) => slug === slugOrId || id === slugOrId);
}

async function organizationsOf(kv: Deno.Kv, actor: Actor): Promise<ShellOrganization[]> {
  const organizations = await listVisibleOrganizations(kv, actor);
  return await Promise.all(organizations.map(async (organization) => {
    const { id, slug, name } = organization;
    const projects = await listProjectsSeenBy(kv, actor, organization);
    return { id, slug, name, projects: projects.toSorted((a, b) => a.name.localeCompare(b.name)) };
  }));
}
