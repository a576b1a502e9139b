import type { Project } from "../accounts/projects.ts";
import { loadShell } from "./shell.tsx";
import type { Shell } from "../ui/shell.ts";
import { loadTracing, type Tracing } from "../releases/request_scope.ts";
import { requireProject } from "../accounts/authorize.ts";
import type { State } from "./define.ts";

interface Asking {
  readonly req: Request;
  readonly url: URL;
  readonly state: State;
  readonly params: Record<string, string>;
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
