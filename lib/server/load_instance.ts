import { type Accepted, acceptedOf, type Usage, usageOf } from "../usage/mod.ts";
import { listAllOrganizations, type Organization } from "../accounts/organizations.ts";
import { listProjects } from "../accounts/projects.ts";
import { type QuotaUse, quotaUse } from "../accounts/quotas.ts";
import { checkStores, type Health, type IntakeState, intakeState, spoolState } from "./health.ts";
import type { SpoolState } from "../ingest/spool.ts";
import type { Services } from "./services.ts";
import type { Sql } from "../store/database.ts";
import { NO_PROJECT } from "../records/mod.ts";
import { withTimeLimit } from "../core/waiting.ts";
import { monthOf } from "../usage/load_usage.ts";

const LIMIT_MS = 2_000;

export interface OrganizationLine {
  readonly organization: Organization;
  readonly projects: number;
  readonly quota: QuotaUse;
  readonly bytesQuota: QuotaUse;
  /** Stored this month; what was refused has cost nothing. */
  readonly accepted: Accepted;
}

export interface InstanceView {
  readonly health: Health;
  readonly intake: IntakeState;
  readonly spool: SpoolState | null;
  readonly startedAt: Date;
  readonly baseUrl: string;
  readonly organizations: readonly OrganizationLine[];
  /** Requests of this month that belong to no project. */
  readonly strangers: Usage["reasons"];
}

/** The state of the instance, as its administrator looks at it. */
export async function loadInstance(services: Services): Promise<InstanceView> {
  const { kv, sql, startedAt, config } = services;
  const [health, spool, organizations] = await Promise.all([
    checkStores(services),
    spoolState(services),
    listAllOrganizations(kv),
  ]);
  const lines = await Promise.all(organizations.map((each) => lineOf(services, each)));
  return {
    health,
    intake: intakeState(health, spool, services.disk.isLow()),
    spool,
    startedAt,
    baseUrl: config.baseUrl,
    organizations: lines,
    strangers: await strangersIn(sql),
  };
}

async function lineOf(
  { kv, sql }: Services,
  organization: Organization,
): Promise<OrganizationLine> {
  const ids = (await listProjects(kv, organization.id)).map(({ id }) => id);
  return {
    organization,
    projects: ids.length,
    quota: await quotaUse(kv, organization.id),
    bytesQuota: await quotaUse(kv, organization.id, new Date(), "bytes"),
    accepted: await storedThisMonth(sql, ids),
  };
}

/** What of an organization was stored this month; nothing while Postgres is away. */
export async function acceptedThisMonth(
  { kv, sql }: Pick<Services, "kv" | "sql">,
  organizationId: string,
): Promise<Accepted> {
  const ids = (await listProjects(kv, organizationId)).map(({ id }) => id);
  return await storedThisMonth(sql, ids);
}

function storedThisMonth(sql: Sql, projectIds: readonly string[]): Promise<Accepted> {
  return orElse({ requests: 0, bytes: 0 }, () => acceptedOf(sql, projectIds, monthOf(null)));
}

async function strangersIn(sql: Sql): Promise<Usage["reasons"]> {
  return await orElse([], async () => (await usageOf(sql, [NO_PROJECT], monthOf(null))).reasons);
}

/** The page is most needed while a store is away. */
async function orElse<T>(fallback: T, read: () => Promise<T>): Promise<T> {
  try {
    return await withTimeLimit(read(), LIMIT_MS);
  } catch {
    return fallback;
  }
}
