import { fieldOf } from "../../ui/form.ts";
import { loadQueryForm, type QueryForm } from "../../metrics/query_form/load_query_form.ts";
import type { Sql } from "../../store/database.ts";
import type { FormErrors } from "../../ui/components/fields.tsx";
import {
  checkAlert,
  DAY_MINUTES,
  EACH_ISSUE,
  isOfIssues,
  isTimeZone,
  MAX_NAME,
} from "../check_input.ts";
import {
  type AlertInput,
  type AlertSource,
  type Comparison,
  type Condition,
  ERROR_MEASURES,
  type Schedule,
  TRANSACTION_MEASURES,
} from "../rule.ts";
import type { StoredRule } from "../rules.ts";
import { suggestedName, type ValueKind, valueKindOf } from "../words.ts";
import { allOf, fieldOfProblem, FIELDS, parseLevel } from "./form_params.ts";

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

const COMPARISONS: readonly Comparison[] = [">", ">=", "<", "<="];

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
  const condition = source === null ? null : readCondition(form, source, errors);
  const schedule = readSchedule(form, errors);
  const windowMinutes = readMinutes(form, FIELDS.window, 1, errors);
  const forMinutes = readMinutes(form, FIELDS.for, 0, errors);
  const noData = (["ok", "keep", "alert"] as const).find((each) =>
    each === form.get(FIELDS.noData)
  );
  if (noData === undefined) errors[FIELDS.noData] = "Choose what a window without data means.";
  const environments = allOf(form, FIELDS.environment);
  if (source === null) return { source, input: null, environments, windowMinutes, errors };
  const candidate: AlertInput = {
    name: fieldOf(form, FIELDS.name),
    source,
    environments,
    // Stands in for levels that cannot be read, so that the rest is checked nevertheless.
    condition: condition ?? EACH_ISSUE,
    windowMinutes,
    forMinutes,
    noData: noData ?? "ok",
    channelIds: allOf(form, FIELDS.channel),
    schedule: hasErrors(errors, SCHEDULE_FIELDS) ? null : schedule,
    mutedUntil,
    isEnabled,
  };
  const named = candidate.name === "" ? { ...candidate, name: shortName(candidate) } : candidate;
  const { input, problems } = checked(named);
  const isWhole = !hasErrors(problems, sourceFieldsOf(problems));
  const all = { ...problems, ...errors };
  return {
    source: isWhole ? source : null,
    input: Object.keys(all).length === 0 ? input : null,
    environments,
    windowMinutes,
    errors: all,
  };
}

const SCHEDULE_FIELDS = [FIELDS.day, FIELDS.from, FIELDS.to, FIELDS.timeZone];

function checked(candidate: AlertInput): { input: AlertInput | null; problems: FormErrors } {
  const result = checkAlert(candidate);
  if (result.ok) return { input: result.input, problems: {} };
  const problems: Record<string, string> = {};
  for (const { field, message } of result.problems) {
    problems[fieldOfProblem(field, candidate.source)] ??= message;
  }
  return { input: null, problems };
}

function hasErrors(errors: FormErrors, fields: readonly string[]): boolean {
  return fields.some((field) => Object.hasOwn(errors, field));
}

/** The fields with errors that say what is watched: those of queries have a dot in their names, formulas a digit. */
function sourceFieldsOf(errors: FormErrors): string[] {
  const own: readonly string[] = [FIELDS.search, FIELDS.transaction, FIELDS.judged];
  return Object.keys(errors).filter((field) => own.includes(field) || /[.\d]/.test(field));
}

/** Names made of what is watched are cut to what a name may have. */
function shortName(input: AlertInput): string {
  const name = suggestedName(input);
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 1).toWellFormed()}…`;
}

function readCondition(
  form: URLSearchParams,
  source: AlertSource,
  errors: Errors,
): Condition | null {
  if (isOfIssues({ source })) return EACH_ISSUE;
  const kind = valueKindOf(source);
  const comparison = COMPARISONS.find((each) => each === form.get(FIELDS.comparison));
  const critical = readLevel(form, FIELDS.critical, kind, errors);
  const warning = readLevel(form, FIELDS.warning, kind, errors);
  const recovery = readLevel(form, FIELDS.recovery, kind, errors);
  if (comparison === undefined) errors[FIELDS.comparison] = "Choose above or below.";
  if (critical === null) {
    errors[FIELDS.critical] ??= "Enter the level from which on this is critical.";
  }
  if (comparison === undefined || critical === null) return null;
  return { comparison, critical, warning, recovery };
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
  errors[field] = `"${text.slice(0, 40)}" is not a number that this can be compared with.`;
  return null;
}

function readMinutes(
  form: URLSearchParams,
  field: string,
  least: number,
  errors: Errors,
): number {
  const text = fieldOf(form, field);
  const minutes = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (minutes >= least && minutes <= DAY_MINUTES) return minutes;
  errors[field] = `Choose whole minutes from ${least} to ${DAY_MINUTES}.`;
  return least;
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
  switch (form.get(FIELDS.source)) {
    case "errors": {
      const measure = ERROR_MEASURES.find((each) => each === form.get(FIELDS.errorMeasure));
      if (measure !== undefined) {
        return { kind: "errors", measure, search: fieldOf(form, FIELDS.search) };
      }
      errors[FIELDS.errorMeasure] = "Choose what about errors is watched.";
      return null;
    }
    case "transactions": {
      const measure = TRANSACTION_MEASURES.find((each) =>
        each === form.get(FIELDS.transactionMeasure)
      );
      if (measure !== undefined) {
        const transaction = fieldOf(form, FIELDS.transaction) || null;
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
  errors: Errors,
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

/**
 * Reads when notices go out; null for always.
 *
 * @param errors takes a sentence for each field that is wrong
 */
function readSchedule(
  form: URLSearchParams,
  errors: Errors,
): Schedule | null {
  if (form.get(FIELDS.scheduled) !== "on") return null;
  const days = [...new Set(form.getAll(FIELDS.day))].filter((day) => /^[0-6]$/.test(day))
    .map(Number).sort((a, b) => a - b);
  if (days.length === 0) errors[FIELDS.day] = "Choose at least one day.";
  const fromMinute = readClock(form, FIELDS.from, errors);
  const toMinute = readClock(form, FIELDS.to, errors);
  const timeZone = fieldOf(form, FIELDS.timeZone);
  if (!isTimeZone(timeZone)) {
    errors[FIELDS.timeZone] = "This is no time zone: write one as Europe/Berlin or UTC.";
  }
  return {
    days,
    fromMinute,
    // Midnight at the end is the end of the day.
    toMinute: toMinute === 0 ? DAY_MINUTES : toMinute,
    timeZone,
  };
}

function readClock(form: URLSearchParams, field: string, errors: Errors): number {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)(?::\d\d)?$/.exec(fieldOf(form, field)) ??
    [];
  if (hours !== undefined) return Number(hours) * 60 + Number(minutes);
  errors[field] = "Enter a time of the day, such as 09:00.";
  return 0;
}
