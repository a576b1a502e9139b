import { checkAlert, isOfIssues } from "../check_input.ts";
import type {
  AlertInput,
  AlertSource,
  Comparison,
  Condition,
} from "../rule.ts";
import type { FormErrors } from "../../ui/components/form_summary.tsx";
import type { QueryForm } from "../../metrics/query_form/load_query_form.ts";
import { fieldOfProblem } from "./form_fields.ts";
import { FIELDS } from "./form_params.ts";
import { allOf, textOf } from "./form_text.ts";
import { parseLevel } from "./level_input.ts";
import { readSchedule } from "./read_schedule.ts";
import { readSource } from "./read_source.ts";
import { type ValueKind, valueKindOf } from "../values.ts";
import { suggestedName } from "../words.ts";

const COMPARISONS: readonly Comparison[] = [">", ">=", "<", "<="];
const DAY_MINUTES = 1_440;
/** What an issue is judged by; the check puts it there anyway. */
const ONE_ISSUE: Condition = { comparison: ">=", warning: null, critical: 1, recovery: null };

/** What a form says, as far as it can be understood, and what cannot. */
export interface ReadAlert {
  /** Null while its source is not whole: there is nothing to look at. */
  readonly source: AlertSource | null;
  /** Null when there are errors. */
  readonly input: AlertInput | null;
  readonly environments: readonly string[];
  readonly windowMinutes: number;
  readonly errors: FormErrors;
}

/** What an alert keeps that its form does not show. */
export type Unshown = Pick<AlertInput, "mutedUntil" | "isEnabled">;

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
  const errors: Record<string, string> = {};
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
    name: textOf(form, FIELDS.name),
    source,
    environments,
    condition: condition ?? ANY_CONDITION,
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
/** Stands in for levels that cannot be read, so that the rest is checked nevertheless. */
const ANY_CONDITION = ONE_ISSUE;

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

type Errors = Record<string, string>;

/** Names made of what is watched are cut to what a name may have. */
const MAX_NAME = 100;

function shortName(input: AlertInput): string {
  const name = suggestedName(input);
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 1).toWellFormed()}…`;
}

function readCondition(
  form: URLSearchParams,
  source: AlertSource,
  errors: Errors,
): Condition | null {
  if (isOfIssues({ source })) return ONE_ISSUE;
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
  const text = textOf(form, field);
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
  const text = textOf(form, field);
  const minutes = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (minutes >= least && minutes <= DAY_MINUTES) return minutes;
  errors[field] = `Choose whole minutes from ${least} to ${DAY_MINUTES}.`;
  return least;
}
