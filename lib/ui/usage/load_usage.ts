import { listProjects, type Project } from "../../control/projects.ts";
import { type QuotaUse, quotaUse } from "../../control/quotas.ts";
import type { Services } from "../../services.ts";
import { usageOf, type UsageRow } from "../../telemetry/usage.ts";
import { type Month, monthOf } from "./month.ts";

export interface OrganizationUsage {
  readonly month: Month;
  readonly projects: readonly Project[];
  /** The project that is looked at, or null for all. */
  readonly project: Project | null;
  readonly rows: readonly UsageRow[];
  /** Of the current month. */
  readonly quota: QuotaUse;
}

/** What an organization sent in the month, and of the project, that the query names. */
export async function loadUsage(
  { kv, sql }: Pick<Services, "kv" | "sql">,
  organizationId: string,
  search: URLSearchParams,
  now: Date = new Date(),
): Promise<OrganizationUsage> {
  const month = monthOf(search.get("month"), now);
  const projects = await listProjects(kv, organizationId);
  const project = projects.find(({ id }) => id === search.get("project")) ?? null;
  const ids = project === null ? projects.map(({ id }) => id) : [project.id];
  const [rows, quota] = await Promise.all([
    usageOf(sql, ids, month),
    quotaUse(kv, organizationId, now),
  ]);
  return { month, projects, project, rows, quota };
}
