import { listKeys } from "../control/keys.ts";
import { roleAllows } from "../control/roles.ts";
import { snippetDsn } from "../ui/setup/snippet_dsn.ts";
import { profiling } from "../ui/snippets/profiling.ts";
import { requireProject } from "./access.ts";
import type { State } from "./define.ts";

/**
 * What to run to send a first profile, as the setup page shows it; with a key of zeros for those who may see none.
 *
 * @throws {Denied} as `requireProject()`
 */
export async function profilingSnippet(
  ctx: { readonly state: State; readonly params: Record<string, string> },
): Promise<string> {
  const { project, role } = await requireProject(ctx, "project:read");
  const { kv, config } = ctx.state.services;
  const keys = roleAllows(role, "key:read") ? await listKeys(kv, project.id) : [];
  const dsn = snippetDsn({
    keys: keys.filter(({ isActive }) => isActive),
    projectId: project.id,
    baseUrl: config.baseUrl,
    snippet: profiling,
  });
  return profiling.steps(dsn)[0]?.code ?? "";
}
