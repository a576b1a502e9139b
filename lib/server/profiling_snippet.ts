import { profiling } from "../projects/snippets/profiling.ts";
import type { State } from "./define.ts";
import { serverDsn } from "./server_dsn.ts";

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
