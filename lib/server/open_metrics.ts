import { scopeNamesOf } from "../metrics/scope_names.ts";
import type { State } from "./define.ts";
import { type OpenedTracing, openTracing } from "./open_scoped_page.ts";

interface Asking {
  readonly req: Request;
  readonly url: URL;
  readonly state: State;
  readonly params: Record<string, string>;
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
