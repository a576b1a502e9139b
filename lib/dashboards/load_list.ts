import { findUser } from "../accounts/users.ts";
import { offered, wantedMetrics } from "./ready/make_ready.ts";
import type { Sql } from "../store/database.ts";
import { type DashboardSummary, listDashboards } from "./dashboards.ts";
import { knownMetrics } from "./ready/known_metrics.ts";

export interface ListedDashboard extends DashboardSummary {
  /** Name of who changed it last; null for the instance's token and for those who left. */
  readonly updatedByName: string | null;
}

export interface OfferedDashboard {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly panels: number;
}

export interface DashboardList {
  readonly dashboards: readonly ListedDashboard[];
  /** Ready-made ones of which the metrics have arrived. */
  readonly ready: readonly OfferedDashboard[];
}

/** The dashboards of a project, and those that are offered. */
export async function loadList(
  { kv, sql }: { readonly kv: Deno.Kv; readonly sql: Sql },
  projectId: string,
): Promise<DashboardList> {
  const [dashboards, known] = await Promise.all([
    listDashboards(sql, projectId),
    knownMetrics(sql, projectId, wantedMetrics()),
  ]);
  const names = await namesOf(kv, dashboards.map(({ updatedBy }) => updatedBy));
  return {
    dashboards: dashboards.map((dashboard) => ({
      ...dashboard,
      updatedByName: names.get(dashboard.updatedBy ?? "") ?? null,
    })),
    ready: offered(known).map(({ dashboard: { id, name, description }, panels }) => ({
      id,
      name,
      description,
      panels,
    })),
  };
}

/** Names of users by id; those who are gone are left out. */
export async function namesOf(
  kv: Deno.Kv,
  userIds: readonly (string | null)[],
): Promise<Map<string, string>> {
  const ids = [...new Set(userIds)].filter((id) => id !== null);
  const users = await Promise.all(ids.map((id) => findUser(kv, id)));
  return new Map(users.flatMap((user) => user === null ? [] : [[user.id, user.name]]));
}
