/** What the frame around every page shows: who is signed in, which projects there are, how it looks. */
import { type Actor, listVisibleOrganizations } from "../accounts/authorize.ts";
import { listProjects } from "../accounts/projects.ts";
import type { State, Theme } from "../server/define.ts";
import { readCookie } from "../server/session.ts";
import { type Flash, readFlash } from "./flash.ts";
import type { TooLarge } from "../usage/counts.ts";
import { quotaUse } from "../accounts/quotas.ts";
import { loadTooLarge } from "../usage/load_usage.ts";
import { type QuotaWarning, WARN_FROM } from "../usage/banners.tsx";
import { MAX_RECENT, RAIL_COOKIE, RECENT_COOKIE } from "./shell_cookies.ts";

export interface ShellProject {
  readonly id: string;
  readonly name: string;
  readonly platform: string;
}

export interface ShellOrganization {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** By name. */
  readonly projects: readonly ShellProject[];
}

export interface Shell {
  readonly user: { readonly name: string; readonly email: string } | null;
  readonly organizations: readonly ShellOrganization[];
  /** The project that the page belongs to. */
  readonly project: ShellProject | null;
  /** Ids of the projects looked at last, newest first. */
  readonly recent: readonly string[];
  readonly theme: Theme;
  /** The rail shows icons only. */
  readonly isRailNarrow: boolean;
  /** Path and query of the page: where the frame's own forms return to. */
  readonly path: string;
  readonly flash: Flash | null;
  /** May look after the whole instance. */
  readonly isInstanceAdmin: boolean;
  /** Quotas of the page's organization, or of all of them, that are nearly or wholly used up. */
  readonly quotaWarnings: readonly QuotaWarning[];
  /** Of the page's project, or of all of its organization, those that lose what is sent in requests that are too large. */
  readonly tooLarge: readonly TooLargeWarning[];
}

export interface TooLargeWarning {
  readonly project: ShellProject;
  readonly lost: readonly TooLarge[];
}

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
  const { kv } = state.services;
  const organizations = await organizationsOf(kv, state.actor);
  const ofPage = organizationsOfPage(organizations, project, params.organization);
  const isOfOne = project !== null || params.organization !== undefined;
  const projects = project !== null ? [project] : ofPage.flatMap(({ projects }) => projects);
  return {
    user,
    organizations,
    isInstanceAdmin: user?.isInstanceAdmin ?? false,
    quotaWarnings: await quotaWarningsOf(kv, ofPage),
    tooLarge: user === null || !isOfOne ? [] : await tooLargeOf(state.services, projects),
    project,
    recent: (readCookie(req, RECENT_COOKIE) ?? "").split(".").filter(Boolean).slice(0, MAX_RECENT),
    theme: state.theme,
    isRailNarrow: readCookie(req, RAIL_COOKIE) === "narrow",
    path: url.pathname + url.search,
    flash: readFlash(req),
  };
}

/** Pages that belong to no organization warn of this many at most: each costs a read. */
const MAX_WARNED = 10;

async function tooLargeOf(
  services: State["services"],
  projects: readonly ShellProject[],
): Promise<TooLargeWarning[]> {
  const lost = await loadTooLarge(services, projects.map(({ id }) => id));
  return projects
    .map((project) => ({
      project,
      lost: lost.filter(({ projectId }) => projectId === project.id),
    }))
    .filter((warning) => warning.lost.length > 0)
    .slice(0, MAX_WARNED);
}

async function quotaWarningsOf(
  kv: Deno.Kv,
  organizations: readonly ShellOrganization[],
): Promise<QuotaWarning[]> {
  const warnings = await Promise.all(
    organizations.slice(0, MAX_WARNED).map(async (organization) => ({
      organization,
      ...await quotaUse(kv, organization.id),
    })),
  );
  return warnings.filter(({ used, quota }) => quota > 0 && used >= WARN_FROM * quota);
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
  return await Promise.all(organizations.map(async ({ id, slug, name }) => {
    const projects = await listProjects(kv, id);
    return { id, slug, name, projects: projects.toSorted((a, b) => a.name.localeCompare(b.name)) };
  }));
}
