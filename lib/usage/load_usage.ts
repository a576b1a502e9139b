import { listProjects, type Project } from "../accounts/projects.ts";
import { type QuotaUse, quotaUse } from "../accounts/quotas.ts";
import type { Services } from "../server/services.ts";
import { type Usage, usageOf, type UsageRow, usageRows } from "./usage.ts";
import { type Month, monthOf } from "./month.ts";

/** What a query string asks for. */
export interface UsageQuestion {
  readonly month: Month;
  /** All of the organization. */
  readonly projects: readonly Project[];
  /** The project that is looked at, or null for all. */
  readonly project: Project | null;
}

export interface OrganizationUsage extends UsageQuestion {
  readonly usage: Usage;
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
  const question = await readQuestion(kv, organizationId, search, now);
  const [usage, quota] = await Promise.all([
    usageOf(sql, idsOf(question), question.month),
    quotaUse(kv, organizationId, now),
  ]);
  return { ...question, usage, quota };
}

/** The same in full detail. */
export async function loadUsageRows(
  { kv, sql }: Pick<Services, "kv" | "sql">,
  organizationId: string,
  search: URLSearchParams,
  now: Date = new Date(),
): Promise<UsageQuestion & { readonly rows: readonly UsageRow[] }> {
  const question = await readQuestion(kv, organizationId, search, now);
  return { ...question, rows: await usageRows(sql, idsOf(question), question.month) };
}

async function readQuestion(
  kv: Deno.Kv,
  organizationId: string,
  search: URLSearchParams,
  now: Date,
): Promise<UsageQuestion> {
  const projects = await listProjects(kv, organizationId);
  const project = projects.find(({ id }) => id === search.get("project")) ?? null;
  return { month: monthOf(search.get("month"), now), projects, project };
}

function idsOf({ projects, project }: UsageQuestion): string[] {
  return (project === null ? projects : [project]).map(({ id }) => id);
}
