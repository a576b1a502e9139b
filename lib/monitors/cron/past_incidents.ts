/** Incidents of cron jobs that were elsewhere, as an import brings them: they are over, and no issue hears of them. */
import type { Sql } from "../../store/database.ts";
import { type Columns, incoming } from "../../store/write_rows.ts";
import type { Incident } from "./runs.ts";

export interface PastCronIncident extends Incident {
  readonly slug: string;
  readonly resolvedAt: Date;
}

const COLUMNS: Columns<PastCronIncident> = {
  incident_id: ["uuid", ({ incidentId }) => incidentId],
  slug: ["text", ({ slug }) => slug],
  environment: ["text", ({ environment }) => environment],
  started_at: ["timestamptz", ({ startedAt }) => startedAt],
  resolved_at: ["timestamptz", ({ resolvedAt }) => resolvedAt],
  failures: ["integer", ({ failures }) => failures],
  issue_id: ["bigint", ({ issueId }) => issueId],
};

/** Keeps incidents of monitors that are there; those whose ids are known stay as they are. @returns how many are new */
export async function keepPastCronIncidents(
  sql: Sql,
  projectId: string,
  incidents: readonly PastCronIncident[],
): Promise<number> {
  if (incidents.length === 0) return 0;
  // Citus counts those that were there already.
  const { length } = await sql`
    insert into monitor_incidents (
      project_id, incident_id, slug, environment, started_at, resolved_at, failures, issue_id
    )
    select ${projectId}::bigint, incident_id, slug, environment, started_at, resolved_at, failures,
      issue_id
    from ${incoming(sql, incidents, COLUMNS)}
    on conflict do nothing returning incident_id
  `;
  return length;
}
