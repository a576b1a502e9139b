import { fieldOf } from "../../ui/form.ts";
import { loadQueryForm, type QueryForm } from "../../metrics/mod.ts";
import type { Sql } from "../../store/database.ts";
import type { FormErrors } from "../../ui/components/fields.tsx";
import { checkAlert, DAY_MINUTES, EACH_ISSUE, isOfIssues, MAX_NAME } from "../check_input.ts";
import { ERROR_MEASURES, TRANSACTION_MEASURES, type ValueKind } from "../measures.ts";
import type { AlertInput, AlertSource, Comparison, Condition, Schedule } from "../rule.ts";
import type { StoredRule } from "../rules.ts";
import { suggestedName, valueKindOf } from "../words.ts";
import { allOf, fieldOfProblem, parseLevel } from "./form_params.ts";
import { t } from "../../core/language/translate.ts";

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

/** What a form says, as far as it can be understood, and what cannot. */
interface ReadAlert {
  /** Null while its source is not whole: there is nothing to look at. */
  readonly source: AlertSource | null;
  /** Null when there are errors. */
  readonly input: AlertInput | null;
  readonly environments: readonly string[];
  readonly windowMinutes: number;
  readonly errors: FormErrors;
}

/** A sentence for each field that is wrong, by its name. */
type Errors = Record<string, string>;

/** What an alert keeps that its form does not show. */
type Unshown = Pick<AlertInput, "mutedUntil" | "isEnabled">;

/**
 * Reads the fields of the alert form; never throws.
 *
 * @param queries of `loadQueryForm()` on the same form
 */
export function readInput(
  form: URLSearchParams,
  queries: QueryForm,
  { mutedUntil, isEnabled }: Unshown = { mutedUntil: null, isEnabled: true },
): ReadAlert {
  const errors: Errors = {};
  const source = readSource(form, queries, errors);
  const environments = allOf(form, "environment");
  const windowMinutes = readMinutes(form, "window");
  // What cannot be read has a stand-in, so that the rest is checked nevertheless.
  const candidate = {
    name: fieldOf(form, "name"),
    source: source ?? { kind: "errors", measure: "events", search: "" } as const,
    environments,
    condition: source === null ? EACH_ISSUE : readCondition(form, source, errors),
    windowMinutes,
    forMinutes: readMinutes(form, "for"),
    noData: form.get("noData"),
    channelIds: allOf(form, "channel"),
    schedule: readSchedule(form),
    mutedUntil,
    isEnabled,
  };
  const name = candidate.name === "" ? shortName(candidate) : candidate.name;
  const result = checkAlert({ ...candidate, name });
  const problems = result.ok ? [] : result.problems;
  const isWhole = !problems.some(({ field }) => field.startsWith("source"));
  const all: Errors = {};
  for (const { field, message } of problems) {
    const own = fieldOfProblem(field, candidate.source);
    all[own] ??= SENTENCES[own]?.() ?? message;
  }
  Object.assign(all, errors);
  return {
    source: isWhole ? source : null,
    input: result.ok && Object.keys(errors).length === 0 ? result.input : null,
    environments,
    windowMinutes: all.window === undefined ? windowMinutes : 1,
    errors: all,
  };
}

/** What the form says in place of the API's sentences, by field. */
const SENTENCES: Readonly<Record<string, () => string>> = {
  comparison: () => t("Choose above or below."),
  window: () =>
    t("Choose whole minutes from {from} to {to}.", { from: 1, to: String(DAY_MINUTES) }),
  for: () => t("Choose whole minutes from {from} to {to}.", { from: 0, to: String(DAY_MINUTES) }),
  noData: () => t("Choose what a window without data means."),
  from: () => t("Enter a time of the day, such as 09:00."),
  to: () => t("Enter a time of the day, such as 09:00."),
  timeZone: () => t("This is no time zone: write one as Europe/Berlin or UTC."),
};

/** Names made of what is watched are cut to what a name may have. */
function shortName(input: Pick<AlertInput, "source" | "condition">): string {
  const name = suggestedName(input);
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 1).toWellFormed()}…`;
}

function readCondition(
  form: URLSearchParams,
  source: AlertSource,
  errors: Errors,
): Condition {
  if (isOfIssues({ source })) return EACH_ISSUE;
  const kind = valueKindOf(source);
  const critical = readLevel(form, "critical", kind, errors);
  const warning = readLevel(form, "warning", kind, errors);
  const recovery = readLevel(form, "recovery", kind, errors);
  if (critical === null) errors.critical ??= t("Enter the level from which on this is critical.");
  // Checked with all the rest.
  const comparison = form.get("comparison") as Comparison;
  return { comparison, critical: critical ?? NaN, warning, recovery };
}

/** Null where nothing is entered, and where it is no number, which is then an error. */
function readLevel(
  form: URLSearchParams,
  field: string,
  kind: ValueKind,
  errors: Errors,
): number | null {
  const text = fieldOf(form, field);
  if (text === "") return null;
  const value = parseLevel(text, kind);
  if (Number.isFinite(value)) return value;
  errors[field] = t("“{text}” is not a number that this can be compared with.", {
    text: text.slice(0, 40),
  });
  return null;
}

/** NaN for what is no whole number. */
function readMinutes(form: URLSearchParams, field: string): number {
  const text = fieldOf(form, field);
  return /^\d{1,5}$/.test(text) ? Number(text) : NaN;
}

/**
 * Reads what an alert watches.
 *
 * @param queries of `loadQueryForm()` on the same form
 * @param errors takes a sentence for each field that is wrong
 * @returns null while it is not whole
 */
function readSource(
  form: URLSearchParams,
  queries: QueryForm,
  errors: Errors,
): AlertSource | null {
  switch (form.get("source")) {
    case "errors": {
      const measure = form.get("errorMeasure") ?? "";
      if (isNameIn(ERROR_MEASURES, measure)) {
        return { kind: "errors", measure, search: fieldOf(form, "search") };
      }
      errors.errorMeasure = t("Choose what about errors is watched.");
      return null;
    }
    case "transactions": {
      const measure = form.get("transactionMeasure") ?? "";
      if (isNameIn(TRANSACTION_MEASURES, measure)) {
        const transaction = fieldOf(form, "transaction") || null;
        return { kind: "transactions", measure, transaction };
      }
      errors.transactionMeasure = t("Choose what about transactions is watched.");
      return null;
    }
    case "metric":
      return readMetricSource(form, queries, errors);
    default:
      errors.source = t("Choose what is watched: transactions, errors or a metric.");
      return null;
  }
}

function isNameIn<Name extends string>(
  table: Readonly<Record<Name, unknown>>,
  text: string,
): text is Name {
  return Object.hasOwn(table, text);
}

function readMetricSource(
  form: URLSearchParams,
  { queries, formulas, problems, known }: QueryForm,
  errors: Errors,
): AlertSource | null {
  for (const { field, message } of problems) errors[field] ??= message;
  const ids = [...queries, ...formulas].map(({ id }) => id);
  if (ids.length === 0) {
    errors["a.metric"] ??= t("Choose a metric.");
    return null;
  }
  const asked = form.get("judged");
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

/** Reads when notices go out, whatever it makes of it; null for always. */
function readSchedule(form: URLSearchParams): Schedule | null {
  if (form.get("scheduled") !== "on") return null;
  const toMinute = readClock(form, "to");
  return {
    days: allOf(form, "day").filter((day) => /^[0-6]$/.test(day)).map(Number),
    fromMinute: readClock(form, "from"),
    // Midnight at the end is the end of the day.
    toMinute: toMinute === 0 ? DAY_MINUTES : toMinute,
    timeZone: fieldOf(form, "timeZone"),
  };
}

/** Minutes of the day; NaN for what is no time. */
function readClock(form: URLSearchParams, field: string): number {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)(?::\d\d)?$/.exec(fieldOf(form, field)) ??
    [];
  return Number(hours) * 60 + Number(minutes);
}
