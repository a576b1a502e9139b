import type { Sql } from "../../store/database.ts";
import type { StoredRule } from "../rules.ts";
import { loadQueryForm, type QueryForm } from "../../metrics/query_form/load_query_form.ts";
import { type ReadAlert, readInput } from "./read_input.ts";

/** A form with what its fields come to. */
export interface ReadForm extends ReadAlert {
  readonly params: URLSearchParams;
  readonly queries: QueryForm;
}

/**
 * Reads the alert form, looking up the metrics that it names.
 *
 * @param rule the alert that is changed; null for a new one
 */
export async function readAlertForm(
  sql: Sql,
  projectId: string,
  params: URLSearchParams,
  rule: StoredRule | null,
): Promise<ReadForm> {
  const queries = await loadQueryForm(sql, projectId, params);
  return { params, queries, ...readInput(params, queries, rule ?? undefined) };
}
