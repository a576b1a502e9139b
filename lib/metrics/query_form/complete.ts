import type { Sql } from "../../store/database.ts";
import {
  findMetrics,
  labelKeys,
  labelValues,
  metricNames,
} from "../catalog.ts";
import { aggregationsOf } from "../aggregations.ts";
import { storable } from "../../core/storable.ts";
import { unitName } from "../units.ts";
import type { Completion } from "./fetch_completions.ts";

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
