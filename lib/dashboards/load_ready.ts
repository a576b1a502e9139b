import { makeReady, READY_DASHBOARDS, wantedMetrics } from "./ready/make_ready.ts";
import type { Sql } from "../store/database.ts";
import { knownLabels, knownMetrics } from "./ready/known_metrics.ts";
import type { ShownDashboard } from "./dashboard_view.ts";

/** A ready-made dashboard of the metrics that a project has; null when there is none of this id. */
export async function loadReady(
  sql: Sql,
  projectId: string,
  id: string,
): Promise<Extract<ShownDashboard, { kind: "ready" }> | null> {
  const ready = READY_DASHBOARDS.find((each) => each.id === id);
  if (ready === undefined) return null;
  const known = await knownMetrics(sql, projectId, wantedMetrics([ready]));
  const labels = await knownLabels(sql, projectId, [...known.keys()]);
  return { kind: "ready", id, name: ready.name, content: makeReady(ready, known, labels) };
}
