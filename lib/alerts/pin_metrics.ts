import type { Sql } from "../store/database.ts";
import { findMetrics } from "../metrics/catalog.ts";
import type { MetricQuery } from "../metrics/query_types.ts";
import type { AlertInput } from "./rule.ts";

/**
 * An alert that says of each metric which kind and unit it means, where that is known: a level holds in one unit, and
 * what comes in another later on must not be compared with it.
 */
export async function pinMetrics(
  sql: Sql,
  projectId: string,
  input: AlertInput,
): Promise<AlertInput> {
  const { source } = input;
  if (source.kind !== "metric") return input;
  const queries = await Promise.all(source.queries.map((query) => pinned(sql, projectId, query)));
  return { ...input, source: { ...source, queries } };
}

async function pinned(sql: Sql, projectId: string, query: MetricQuery): Promise<MetricQuery> {
  if (query.kind !== null && query.unit !== null) return query;
  const found = (await findMetrics(sql, projectId, query.metric)).find(({ kind, unit }) =>
    (query.kind === null || query.kind === kind) && (query.unit === null || query.unit === unit)
  );
  return found === undefined ? query : { ...query, kind: found.kind, unit: found.unit };
}
