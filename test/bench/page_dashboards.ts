import type { Panel } from "@/lib/dashboards/content.ts";
import { createDashboard, type Dashboard, deleteDashboard } from "@/lib/dashboards/dashboards.ts";
import type { Aggregation, MetricQuery } from "@/lib/metrics/query_types.ts";
import type { Sql } from "@/lib/store/database.ts";

/** Addresses of dashboards with one panel each, which are deleted when it is disposed. */
export async function panelDashboards(sql: Sql, projectId: string) {
  const made: Dashboard[] = [];
  const addresses: string[] = [];
  for (const panel of await panelsOf(sql, projectId)) {
    const content = { description: "", variables: [], panels: [panel] };
    const dashboard = await createDashboard(sql, projectId, { name: panel.title, content }, null);
    made.push(dashboard);
    const label = encodeURIComponent(panel.title);
    for (const range of ["24h", "30d"]) {
      addresses.push(
        `/projects/${projectId}/dashboards/${dashboard.dashboardId}?range=${range}#${label}`,
      );
    }
    addresses.push(
      `/projects/${projectId}/dashboards/${dashboard.dashboardId}?range=30d&environment=production#${label}`,
    );
  }
  return {
    addresses,
    async [Symbol.asyncDispose]() {
      for (const { dashboardId } of made) await deleteDashboard(sql, projectId, dashboardId);
    },
  };
}

const PLACE = { x: 0, y: 0, w: 6, h: 7 };

async function panelsOf(sql: Sql, projectId: string): Promise<Panel[]> {
  const [named] = await sql<{ name: string }[]>`
    select name from transactions where project_id = ${projectId}
      and "timestamp" > now() - interval '20 days' and op = 'http.server'
    order by "timestamp" desc limit 1
  `;
  const metrics = await sql<{ name: string; kind: string }[]>`
    select name, kind from metrics where project_id = ${projectId} order by name limit 6
  `;
  const base = { id: "p1", place: PLACE };
  return [
    ...["", "browser:Firefox"].map((search): Panel => (
      { ...base, kind: "errors", title: `errors ${search}`, search }
    )),
    ...(["throughput", "p95", "failure_rate"] as const).flatMap((measure): Panel[] =>
      ["", named?.name ?? ""].map((transaction) => (
        { ...base, kind: "transactions", title: `${measure} ${transaction}`, measure, transaction }
      ))
    ),
    ...metrics.flatMap(({ name, kind }) =>
      (AGGREGATIONS[kind] ?? []).map((aggregation): Panel => ({
        ...base,
        kind: "metrics",
        title: `${aggregation} of ${name}`,
        queries: [queryOf(name, aggregation)],
        formulas: [],
        hidden: [],
        view: "line",
        stepMs: null,
        comparesPrevious: false,
      }))
    ),
  ];
}

const AGGREGATIONS: Readonly<Record<string, readonly Aggregation[]>> = {
  counter: ["rate"],
  gauge: ["avg", "max"],
  histogram: ["p95"],
};

function queryOf(metric: string, aggregation: Aggregation): MetricQuery {
  return { id: "a", metric, kind: null, unit: null, aggregation, filter: [], groupBy: [], top: 10 };
}
