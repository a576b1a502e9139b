/** What the frame around every page shows: who is signed in, which projects there are, how it looks. */
import { type Actor, listVisibleOrganizations } from "../control/authorize.ts";
import { listProjects } from "../control/projects.ts";
import type { State, Theme } from "../web/define.ts";
import { readCookie } from "../web/session_cookie.ts";
import { type Flash, readFlash } from "./flash.ts";
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
}

/** The part of Fresh's context that the frame needs. */
interface Asking {
  readonly req: Request;
  readonly url: URL;
  readonly state: State;
}

/**
 * Reads what the frame shows from KV and the request's cookies.
 *
 * @param project the project that the page belongs to, when it belongs to one
 */
export async function loadShell(
  { req, url, state }: Asking,
  project: ShellProject | null = null,
): Promise<Shell> {
  const user = state.actor.kind === "user" ? state.actor.user : null;
  return {
    user,
    organizations: await organizationsOf(state.services.kv, state.actor),
    project,
    recent: (readCookie(req, RECENT_COOKIE) ?? "").split(".").filter(Boolean).slice(0, MAX_RECENT),
    theme: state.theme,
    isRailNarrow: readCookie(req, RAIL_COOKIE) === "narrow",
    path: url.pathname + url.search,
    flash: readFlash(req),
  };
}

async function organizationsOf(kv: Deno.Kv, actor: Actor): Promise<ShellOrganization[]> {
  const organizations = await listVisibleOrganizations(kv, actor);
  return await Promise.all(organizations.map(async ({ id, slug, name }) => {
    const projects = await listProjects(kv, id);
    return { id, slug, name, projects: projects.toSorted((a, b) => a.name.localeCompare(b.name)) };
  }));
}
