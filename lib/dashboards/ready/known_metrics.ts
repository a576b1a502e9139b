import type { KnownLabels, KnownMetrics } from "./make_ready.ts";
import type { Sql } from "../../store/database.ts";
import { labelKeys } from "../../metrics/catalog.ts";
import type { MetricKind } from "../../records/mod.ts";

/** What was not seen for longer is no longer offered. */
const SEEN_SINCE = "30 days";

/** Which of these metrics a project has sent lately, with their kinds, the one seen last first. */
export async function knownMetrics(
  sql: Sql,
  projectId: string,
  names: readonly string[],
): Promise<KnownMetrics> {
  const rows = await sql<{ name: string; kind: MetricKind }[]>`
    select name, kind from metrics
    where project_id = ${projectId} and name = any (${[...names]}::text[])
      and seen_on > now() - ${SEEN_SINCE}::interval
    order by seen_on desc, metric_id
  `;
  const byName = Map.groupBy(rows, ({ name }) => name);
  return new Map([...byName].map(([name, found]) => [name, found.map(({ kind }) => kind)]));
}

/** The labels that series of these metrics have. */
export async function knownLabels(
  sql: Sql,
  projectId: string,
  metrics: readonly string[],
): Promise<KnownLabels> {
  return new Map(
    await Promise.all(metrics.map(async (metric): Promise<[string, string[]]> => [
      metric,
      await labelKeys(sql, projectId, metric),
    ])),
  );
}
