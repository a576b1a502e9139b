import { storable } from "../../core/errors.ts";
import type { Sql } from "../../store/database.ts";
import { findMetrics, labelKeys, labelValues, metricNames, type StoredMetric } from "../catalog.ts";
import { type ReadExploration, readQueries } from "../exploration.ts";
import { aggregationsOf } from "../query_types.ts";
import { unitName } from "../units.ts";
import type { Completion } from "./assist.ts";

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

const MAX_SHOWN = 20;
const MAX_LENGTH = 1_000;

/**
 * Answers `what=metric`, `label` and `value` with completions, and `what=aggregation` with the names of a metric's
 * aggregations, the usual one first; nothing for anything else.
 */
export async function complete(
  sql: Sql,
  projectId: string,
  params: URLSearchParams,
): Promise<readonly Completion[] | readonly string[]> {
  const text = (name: string) => storable((params.get(name) ?? "").slice(0, MAX_LENGTH));
  const metric = text("metric");
  switch (params.get("what")) {
    case "metric":
      return await completeNames(sql, projectId, text("prefix").trim());
    case "label": {
      const wanted = text("prefix").trim().toLowerCase();
      const keys = await labelKeys(sql, projectId, metric);
      return plain(beginning(keys, wanted));
    }
    case "value":
      return plain(await labelValues(sql, projectId, metric, text("label"), text("prefix")));
    case "aggregation": {
      const [known] = await findMetrics(sql, projectId, metric);
      return known ? aggregationsOf(known) : [];
    }
    default:
      return [];
  }
}

async function completeNames(sql: Sql, projectId: string, text: string): Promise<Completion[]> {
  const names = (await metricNames(sql, projectId, text)).slice(0, MAX_SHOWN);
  return await Promise.all(names.map(async (name) => {
    const [metric] = await findMetrics(sql, projectId, name);
    const unit = unitName(metric?.unit ?? "");
    return { text: name, note: metric ? [metric.kind, unit].filter(Boolean).join(", ") : "" };
  }));
}

/** Those that begin as wanted, then those that hold it elsewhere. */
function beginning(keys: readonly string[], wanted: string): string[] {
  const holding = keys.filter((key) => key.toLowerCase().includes(wanted));
  const isFirst = (key: string) => key.toLowerCase().startsWith(wanted);
  return [...holding.filter(isFirst), ...holding.filter((key) => !isFirst(key))];
}

function plain(texts: readonly string[]): Completion[] {
  return texts.slice(0, MAX_SHOWN).map((text) => ({ text, note: "" }));
}
