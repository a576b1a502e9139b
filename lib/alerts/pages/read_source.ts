import {
  type AlertSource,
  ERROR_MEASURES,
  TRANSACTION_MEASURES,
} from "../rule.ts";
import type { QueryForm } from "../../metrics/query_form/load_query_form.ts";
import { FIELDS } from "./form_params.ts";
import { textOf } from "./form_text.ts";

/**
 * Reads what an alert watches.
 *
 * @param queries of `loadQueryForm()` on the same form
 * @param errors takes a sentence for each field that is wrong
 * @returns null while it is not whole
 */
export function readSource(
  form: URLSearchParams,
  queries: QueryForm,
  errors: Record<string, string>,
): AlertSource | null {
  switch (form.get(FIELDS.source)) {
    case "errors": {
      const measure = ERROR_MEASURES.find((each) => each === form.get(FIELDS.errorMeasure));
      if (measure !== undefined) {
        return { kind: "errors", measure, search: textOf(form, FIELDS.search) };
      }
      errors[FIELDS.errorMeasure] = "Choose what about errors is watched.";
      return null;
    }
    case "transactions": {
      const measure = TRANSACTION_MEASURES.find((each) =>
        each === form.get(FIELDS.transactionMeasure)
      );
      if (measure !== undefined) {
        const transaction = textOf(form, FIELDS.transaction) || null;
        return { kind: "transactions", measure, transaction };
      }
      errors[FIELDS.transactionMeasure] = "Choose what about transactions is watched.";
      return null;
    }
    case "metric":
      return readMetricSource(form, queries, errors);
    default:
      errors[FIELDS.source] = "Choose what is watched: transactions, errors or a metric.";
      return null;
  }
}

function readMetricSource(
  form: URLSearchParams,
  { queries, formulas, problems, known }: QueryForm,
  errors: Record<string, string>,
): AlertSource | null {
  for (const { field, message } of problems) errors[field] ??= message;
  const ids = [...queries, ...formulas].map(({ id }) => id);
  if (ids.length === 0) {
    errors["a.metric"] ??= "Choose a metric.";
    return null;
  }
  const asked = form.get(FIELDS.judged);
  // Formulas are made of the queries, so the last of them is most likely meant.
  const usual = formulas.at(-1)?.id ?? queries[0]?.id ?? "";
  const judged = ids.find((id) => id === asked) ?? usual;
  if (problems.length > 0) return null;
  // Pinned, since a level holds in one unit: what is in another later on must not be compared with it.
  const pinned = queries.map((query) => ({
    ...query,
    kind: query.kind ?? known[query.metric]?.[0]?.kind ?? null,
    unit: query.unit ?? known[query.metric]?.[0]?.unit ?? null,
  }));
  return { kind: "metric", queries: pinned, formulas, judged };
}
