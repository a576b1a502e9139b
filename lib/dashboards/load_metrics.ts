import type { MetricsPanel } from "./content.ts";
import { findMetrics } from "../metrics/catalog.ts";
import { type QueryServices, runQueries } from "../metrics/query/run_queries.ts";
import { heatQueryOf } from "../metrics/heat_query.ts";
import { loadHeat } from "../metrics/load_heat.ts";
import type { Tracing } from "../releases/load_tracing.ts";
import type { PanelData } from "./panels/panel_data.ts";

/**
 * Answers the queries of a panel over the time of the page.
 *
 * @param panel with the chosen values of variables
 * @throws {InvalidQuery} when there is no answer
 */
export async function loadMetrics(
  services: QueryServices,
  { project, scope: { environments, releases, services: names }, interval }: Tracing,
  panel: MetricsPanel,
): Promise<PanelData> {
  const { queries, formulas, hidden, view, stepMs, comparesPrevious } = panel;
  const request = {
    projectId: project.id,
    ...interval,
    scope: { environments, releases, services: names },
    stepMs,
    comparesPrevious,
  };
  if (view !== "heatmap") {
    const result = await runQueries(services, { ...request, queries, formulas });
    return { kind: "metrics", panel, result };
  }
  const found = queries.map(async ({ metric }) =>
    [metric, await findMetrics(services.sql, project.id, metric)] as const
  );
  const known = Object.fromEntries(await Promise.all(found));
  const query = heatQueryOf({ queries, hidden, known });
  return { kind: "heat", panel, heat: query && await loadHeat(services, request, query) };
}
