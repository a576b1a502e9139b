/** Alerts in plain words: what they watch, when they fire, what became of a change. */
import {
  type Aggregation,
  type MetricQuery,
  type MetricScale,
  queryWords,
  scaleOf,
} from "../metrics/mod.ts";
import { formatValue } from "../ui/charts/mod.ts";
import { isOfIssues } from "./check_input.ts";
import { ERROR_MEASURES, TRANSACTION_MEASURES, type ValueKind } from "./measures.ts";
import type {
  AlertInput,
  AlertSource,
  AlertStatus,
  AlertTransition,
  Comparison,
  MetricSource,
  Schedule,
} from "./rule.ts";
import { type Message, message, t } from "../core/language/translate.ts";

export const SOURCE_LABELS: Readonly<Record<AlertSource["kind"], Message>> = {
  transactions: message("Transactions"),
  errors: message("Errors"),
  metric: message("Metric"),
};

export const COMPARISON_LABELS: Readonly<Record<Comparison, Message>> = {
  ">": message("above"),
  ">=": message("at or above"),
  "<": message("below"),
  "<=": message("at or below"),
};

export const NO_DATA_LABELS: Readonly<Record<AlertInput["noData"], Message>> = {
  ok: message("Counts as fine"),
  keep: message("Keeps the state it had"),
  alert: message("Alerts"),
};

export const STATUS_LABELS: Readonly<Record<AlertStatus, Message>> = {
  ok: message("ok"),
  pending: message("pending"),
  firing: message("firing"),
  no_data: message("no data"),
};

export const NOTICE_LABELS: Readonly<Record<AlertTransition["notice"], Message>> = {
  sent: message("Sent"),
  muted: message("Held back: muted"),
  schedule: message("Held back: outside the schedule"),
  flapping: message("Held back: changes too often"),
  no_channel: message("No channel chosen"),
  none: message("None needed"),
};

/** From Sunday on, as `Date` counts. */
export const DAY_NAMES = [
  message("Sun"),
  message("Mon"),
  message("Tue"),
  message("Wed"),
  message("Thu"),
  message("Fri"),
  message("Sat"),
] as const;
const HOUR = 60;
const DAY = 1_440;

/** What is watched: `p95 duration of GET /cart`, `Number of errors matching level:fatal`. */
export function sourceWords(source: AlertSource): string {
  switch (source.kind) {
    case "errors":
      return source.search === ""
        ? t(ERROR_MEASURES[source.measure].label)
        : t("{measure} matching {search}", {
          measure: t(ERROR_MEASURES[source.measure].label),
          search: source.search,
        });
    case "transactions":
      return t("{measure} of {transaction}", {
        measure: t(TRANSACTION_MEASURES[source.measure].label),
        transaction: source.transaction ?? t("all transactions"),
      });
    case "metric":
      return metricWords(source);
  }
}

/** What has to hold: `above 1.5 s over 5 min, for 10 min`. */
export function conditionWords(
  rule: Pick<AlertInput, "source" | "condition" | "windowMinutes" | "forMinutes">,
): string {
  const { condition, windowMinutes, forMinutes } = rule;
  if (isOfIssues(rule)) return t("each issue once");
  const level = levelWords(rule, condition.critical);
  const window = minuteWords(windowMinutes);
  return forMinutes === 0
    ? t("{level} over {window}", { level, window })
    : t("{level} over {window}, for {held}", { level, window, held: minuteWords(forMinutes) });
}

/** A level of a rule, as `above 1.5 s`. */
export function levelWords(
  { source, condition }: Pick<AlertInput, "source" | "condition">,
  level: number,
): string {
  return `${t(COMPARISON_LABELS[condition.comparison])} ${
    formatAlertValue(level, valueKindOf(source))
  }`;
}

/** The name of an alert that nobody named. */
export function suggestedName(input: Pick<AlertInput, "source" | "condition">): string {
  const { source, condition } = input;
  const what = sourceWords(source);
  if (isOfIssues({ source })) return what;
  const level = formatAlertValue(condition.critical, valueKindOf(source));
  return `${what} ${condition.comparison} ${level}`;
}

/** What an alert would have done, for its preview. */
export function firedWords(times: number): string {
  if (times === 0) return t("It would not have fired in this time range.");
  return t(
    "It would have fired {n} time in this time range.|It would have fired {n} times in this time range.",
    { n: times },
  );
}

/** `5 min`, `2 h`, `1 d`, `90 min`. */
export function minuteWords(minutes: number): string {
  if (minutes > 0 && minutes % DAY === 0) return t("{n} d", { n: minutes / DAY });
  if (minutes > 0 && minutes % HOUR === 0) return t("{n} h", { n: minutes / HOUR });
  return t("{n} min", { n: minutes });
}

/** `Mon–Fri 09:00–17:00 Europe/Berlin`. */
export function scheduleWords({ days, fromMinute, toMinute, timeZone }: Schedule): string {
  const isWholeDay = fromMinute === 0 && toMinute === DAY;
  const time = isWholeDay ? t("all day") : `${clockText(fromMinute)}–${clockText(toMinute)}`;
  return `${dayWords(days)} ${time}, ${timeZone}`;
}

/** Minutes of the day as `09:05`; the day's end is `24:00`. */
export function clockText(minute: number): string {
  const hours = String(Math.floor(minute / HOUR)).padStart(2, "0");
  return `${hours}:${String(minute % HOUR).padStart(2, "0")}`;
}

/** Days from Monday on; runs of three and more as `Mon–Fri`. */
function dayWords(days: readonly number[]): string {
  // People's weeks begin on Monday, JavaScript's on Sunday.
  const sorted = [...new Set(days.map((day) => (day + 6) % 7))].sort((a, b) => a - b);
  if (sorted.length === 7) return t("every day");
  const runs: number[][] = [];
  for (const day of sorted) {
    const run = runs.at(-1);
    if (run !== undefined && run.at(-1) === day - 1) run.push(day);
    else runs.push([day]);
  }
  const name = (day: number | undefined) => t(DAY_NAMES[((day ?? 0) + 1) % 7] ?? "Mon");
  return runs.flatMap((run) =>
    run.length > 2 ? [`${name(run[0])}–${name(run.at(-1))}`] : run.map(name)
  ).join(", ");
}

function metricWords({ queries, formulas, judged }: MetricSource): string {
  const formula = formulas.find(({ id }) => id === judged);
  if (formula !== undefined) return formulaWords(formula.expression, queries);
  const query = queries.find(({ id }) => id === judged) ?? queries[0];
  return query === undefined ? t("a metric") : groupedWords(query);
}

/** `p95 of http.server.duration, route="/a" by host`. */
function groupedWords(query: MetricQuery): string {
  const words = queryWords(query);
  return query.groupBy.length === 0
    ? words
    : t("{query} by {labels}", { query: words, labels: query.groupBy.join(", ") });
}

function formulaWords(expression: string, queries: readonly MetricQuery[]): string {
  const parts = queries.filter(({ id }) => new RegExp(`\\b${id}\\b`).test(expression));
  return `${expression}, ${
    parts.map((query) => `${query.id} = ${groupedWords(query)}`).join(", ")
  }`;
}

/** What the values of a source are. */
export function valueKindOf(source: AlertSource): ValueKind {
  switch (source.kind) {
    case "errors":
      return ERROR_MEASURES[source.measure].values;
    case "transactions":
      return TRANSACTION_MEASURES[source.measure].values;
    case "metric":
      return { unit: unitOfJudged(source) };
  }
}

/** How values are drawn: times `factor` they are in `unit`. */
export function scaleOfKind(kind: ValueKind): MetricScale {
  if (typeof kind === "object") return scaleOf(kind.unit);
  return { unit: kind === "times" ? `number:${t("× baseline")}` : kind, factor: 1 };
}

/** A value with its unit, a dash for none. */
export function formatAlertValue(value: number | null, kind: ValueKind): string {
  const { unit, factor } = scaleOfKind(kind);
  return formatValue(value === null ? null : value * factor, unit);
}

/** These answer how many, not how much. */
const COUNTS: readonly Aggregation[] = ["count"];
/** These answer how many where the metric is a distribution. */
const COUNTS_OF_HISTOGRAMS: readonly Aggregation[] = ["rate", "increase", "count"];

/** The UCUM unit of what a metric alert judges, as far as the alert itself tells; `""` when it does not. */
export function unitOfJudged({ queries, formulas, judged }: MetricSource): string {
  const formula = formulas.find(({ id }) => id === judged);
  if (formula !== undefined) return formula.unit;
  const query = queries.find(({ id }) => id === judged) ?? queries[0];
  if (query === undefined) return "";
  const { aggregation, kind, unit } = query;
  const counts = kind === "histogram" ? COUNTS_OF_HISTOGRAMS : COUNTS;
  const base = counts.includes(aggregation) ? "" : unit ?? "";
  return aggregation === "rate" || (kind === "counter" && isOfRates(aggregation))
    ? `${base}/s`
    : base;
}

/** Of counters these are of the series' rates. */
function isOfRates(aggregation: Aggregation): boolean {
  return aggregation === "avg" || aggregation === "min" || aggregation === "max";
}
