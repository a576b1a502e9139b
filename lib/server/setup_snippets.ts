import { listKeys } from "../accounts/keys.ts";
import { roleAllows } from "../accounts/members.ts";
import { requireProject } from "../accounts/authorize.ts";
import { snippetDsn } from "../projects/setup.tsx";
import type { Snippet } from "../projects/snippets/mod.ts";
import { profiling } from "../projects/snippets/profiling.ts";
import type { State } from "./define.ts";

/**
 * The DSN that a snippet shows on a project's pages; with a key of zeros for those who may see none.
 *
 * @throws {Denied} as `requireProject()`
 */
export async function serverDsn(
  ctx: { readonly state: State; readonly params: Record<string, string> },
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
 * What to run to send a first profile, as the setup page shows it; with a key of zeros for those who may see none.
 *
 * @throws {Denied} as `requireProject()`
 */
export async function profilingSnippet(
  ctx: { readonly state: State; readonly params: Record<string, string> },
): Promise<string> {
  return profiling.steps(await serverDsn(ctx, profiling))[0]?.code ?? "";
}
