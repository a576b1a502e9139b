/** What the frame around every page shows: who is signed in, which projects there are, how it looks. */
import type { VNode } from "preact";
import type { Flash } from "./cookies.ts";

/** `system` follows the viewer's device. */
export type Theme = "system" | "light" | "dark";

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

interface ShellUser {
  readonly name: string;
  readonly email: string;
  /** Absent: UTC. */
  readonly timeZone?: string;
}

export interface Shell {
  readonly user: ShellUser | null;
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
  /** What the viewer may do in the organization that the page belongs to, by the names of permissions. */
  readonly permissions?: readonly string[];
  /** What goes wrong for the page's project or organizations: shown above every page. */
  readonly banners: readonly VNode[];
}

/** Whether to offer to create a project. Of several organizations only the form tells which allow it. */
export function offersNewProject({ organizations, permissions = [] }: Shell): boolean {
  return organizations.length !== 1 || permissions.includes("project:create");
}
