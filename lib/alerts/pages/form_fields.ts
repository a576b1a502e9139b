/** Which field of the form a problem belongs to that `checkAlert()` has found. */
import type { AlertSource } from "../rule.ts";
import { FIELDS } from "./form_params.ts";

const PLAIN: Readonly<Record<string, string>> = {
  name: FIELDS.name,
  "source.search": FIELDS.search,
  "source.transaction": FIELDS.transaction,
  "source.judged": FIELDS.judged,
  "condition.comparison": FIELDS.comparison,
  "condition.critical": FIELDS.critical,
  "condition.warning": FIELDS.warning,
  "condition.recovery": FIELDS.recovery,
  windowMinutes: FIELDS.window,
  forMinutes: FIELDS.for,
  noData: FIELDS.noData,
  environments: FIELDS.environment,
  channelIds: FIELDS.channel,
  "schedule.days": FIELDS.day,
  "schedule.fromMinute": FIELDS.from,
  "schedule.toMinute": FIELDS.to,
  "schedule.timeZone": FIELDS.timeZone,
};

/** What the properties of a query are called in the form, after its letter. */
const OF_QUERIES: Readonly<Record<string, string>> = {
  metric: "metric",
  kind: "metric",
  unit: "metric",
  aggregation: "agg",
  filter: "filter",
  groupBy: "by",
  top: "top",
};

/** The name of the field; `""`, the form as a whole, for what has none. */
export function fieldOfProblem(path: string, source: AlertSource): string {
  // Of a list, the field is where it is chosen.
  const plain = path.replace(/\.\d+$/, "");
  if (Object.hasOwn(PLAIN, plain)) return PLAIN[plain] ?? "";
  if (path === "source.measure") {
    return source.kind === "errors" ? FIELDS.errorMeasure : FIELDS.transactionMeasure;
  }
  const [, list, position, property = ""] =
    /^source\.(queries|formulas)\.(\d+)\.(\w+)/.exec(path) ??
      [];
  if (list === undefined || source.kind !== "metric") return "";
  if (list === "formulas") return source.formulas[Number(position)]?.id ?? "";
  const query = source.queries[Number(position)];
  const field = Object.hasOwn(OF_QUERIES, property) ? OF_QUERIES[property] : undefined;
  return query === undefined || field === undefined ? "" : `${query.id}.${field}`;
}
