import { listAllOrganizations, type Organization } from "../../control/organizations.ts";
import { listProjects } from "../../control/projects.ts";
import { type QuotaUse, quotaUse } from "../../control/quotas.ts";
import { checkStores, type Health } from "../../health.ts";
import { type IntakeState, intakeState, spoolState } from "../../intake_state.ts";
import type { SpoolState } from "../../intake/spool.ts";
import type { Services } from "../../services.ts";
import { NO_PROJECT } from "../../telemetry/records.ts";
import { usageOf, type UsageRow } from "../../telemetry/usage.ts";
import { monthOf } from "../usage/month.ts";

export interface OrganizationLine {
  readonly organization: Organization;
  readonly projects: number;
  readonly quota: QuotaUse;
}

export interface InstanceView {
  readonly health: Health;
  readonly intake: IntakeState;
  readonly spool: SpoolState | null;
  readonly startedAt: Date;
  readonly organizations: readonly OrganizationLine[];
  /** Requests of this month that belong to no project. */
  readonly strangers: readonly UsageRow[];
}

/** The state of the instance, as its administrator looks at it. */
export async function loadInstance(services: Services): Promise<InstanceView> {
  const { kv, sql, startedAt } = services;
  const [health, spool, organizations] = await Promise.all([
    checkStores(services),
    spoolState(services),
    listAllOrganizations(kv),
  ]);
  const lines = await Promise.all(organizations.map(async (organization) => ({
    organization,
    projects: (await listProjects(kv, organization.id)).length,
    quota: await quotaUse(kv, organization.id),
  })));
  return {
    health,
    intake: intakeState(health, spool),
    spool,
    startedAt,
    organizations: lines,
    // The page is most needed while a store is away.
    strangers: await usageOf(sql, [NO_PROJECT], monthOf(null)).catch(() => []),
  };
}
