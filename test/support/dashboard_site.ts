import assert from "node:assert/strict";
import { createDashboard, type Dashboard, findDashboard } from "../../lib/dashboards/dashboards.ts";
import type { MetricSeries } from "../../lib/records/mod.ts";
import { EVERYTHING } from "../lib/dashboards/panels.ts";
import { counterSeries, metricBatch } from "./metric_series.ts";
import { shop } from "./shop.ts";
import { textOf } from "./ui_app.ts";

const MINUTE_MS = 60_000;

/** A shop of which these metrics are stored, with what tests of its dashboards need. */
export async function dashboardSite(...series: MetricSeries[]) {
  const app = await shop();
  const { sql, writer } = app.services;
  const { projectId } = app;
  const base = `/projects/${projectId}/dashboards`;
  if (series.length > 0) {
    await writer.commit(projectId, { records: [metricBatch(series)], outcomes: [] });
  }
  return {
    ...app,
    base,
    /** What the owner reads below the list of dashboards. */
    text: async (path: string) => textOf((await app.owner.get(base + path)).html),
    /** Keeps a dashboard and tells its id. */
    make: async (content = EVERYTHING, name = "All") => {
      const { dashboardId } = await createDashboard(sql, projectId, { name, content }, null);
      return dashboardId;
    },
    read: async (id: string): Promise<Dashboard> => {
      const found = await findDashboard(sql, projectId, id);
      assert.ok(found);
      return found;
    },
  };
}

/** A counter that has counted sixty orders a minute until a minute ago. */
export function orders(): MetricSeries {
  const now = Date.now();
  return counterSeries("shop.orders", { service: "api", way: "card" }, [
    [now - 3 * MINUTE_MS, 0],
    [now - 2 * MINUTE_MS, 60],
    [now - MINUTE_MS, 120],
  ]);
}
