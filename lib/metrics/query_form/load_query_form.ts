import type { Sql } from "../../store/database.ts";
import { findMetrics, type StoredMetric } from "../catalog.ts";
import { aggregationsOf } from "../aggregations.ts";
import { type ReadExploration, readQueries } from "../read_exploration.ts";

export interface QueryForm extends ReadExploration {
  /** The metrics there are of each name that the drafts mention, the one seen last first. */
  readonly known: Readonly<Record<string, readonly StoredMetric[]>>;
}

/**
 * Reads queries out of an address or a form as `readQueries()` does, and looks their metrics up, so that a query without
 * an aggregation has the usual one of its metric's kind.
 *
 * @param prefix before the names of all fields
 */
export async function loadQueryForm(
  sql: Sql,
  projectId: string,
  params: URLSearchParams,
  prefix = "",
): Promise<QueryForm> {
  const read = readQueries(params, prefix);
  const names = [...new Set(read.drafts.map(({ metric }) => metric))].filter((name) => name !== "");
  const known = Object.fromEntries(
    await Promise.all(names.map(async (name): Promise<[string, readonly StoredMetric[]]> => [
      name,
      await findMetrics(sql, projectId, name),
    ])),
  );
  const isChosen = new Set(
    read.drafts.filter(({ aggregation }) => aggregation !== null).map(({ id }) => id),
  );
  return {
    ...read,
    known,
    queries: read.queries.map((query) => {
      const kind = query.kind ?? known[query.metric]?.[0]?.kind;
      const usual = kind && aggregationsOf({ name: query.metric, kind })[0];
      return isChosen.has(query.id) || !usual ? query : { ...query, aggregation: usual };
    }),
  };
}
