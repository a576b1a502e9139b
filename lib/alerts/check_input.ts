/** What people fill in to make an alert rule, and whether it makes one: for forms, for the API, and for what is stored. */
import { type Message, message, t } from "../core/language/translate.ts";
import { parseIssueSearch } from "../errors/mod.ts";
import { z } from "zod";
import { RE2JS } from "re2js";
import { AGGREGATIONS, checkRequest, InvalidQuery } from "../metrics/mod.ts";
import { storable } from "../core/errors.ts";
import { isOfCalendar } from "../core/time.ts";
import { ERROR_MEASURES, TRANSACTION_MEASURES } from "./measures.ts";

interface AlertProblem {
  /** Path of the property, as `condition.critical` or `source.queries.0.metric`. */
  readonly field: string;
  /** A whole sentence. */
  readonly message: string;
}

type CheckedAlert =
  | { readonly ok: true; readonly input: AlertInput }
  | { readonly ok: false; readonly problems: readonly AlertProblem[] };

export const MAX_NAME = 100;
const MAX_TEXT = 500;
const MAX_LABEL = 1_024;
export const DAY_MINUTES = 1_440;

const text = (most: number, error: () => string) =>
  z.string({ error }).transform((value) => storable(value.toWellFormed())).pipe(
    z.string().trim().max(most, { error }),
  );
const someText = (most: number, error: () => string) =>
  text(most, error).pipe(z.string().min(1, { error }));
const oneOf = <const T extends readonly string[]>(values: T, what: Message) =>
  z.enum(values, {
    error: () => t("{what} is one of {values}.", { what: t(what), values: values.join(", ") }),
  });
const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>) =>
  Object.keys(table) as Name[];
const wholeNumber = (least: number, most: number, error: () => string) =>
  z.number({ error }).int({ error }).min(least, { error }).max(most, { error });
const few = <T extends z.ZodType>(each: T, most: number, what: Message) =>
  z.array(each, { error: () => t("{what} are a list.", { what: t(what) }) }).max(most, {
    error: () => t("At most {most} {what}.", { most, what: t(what) }),
  });

const Matcher = z.object({
  label: someText(256, () => t("Name the label to filter by.")),
  operator: oneOf(["=", "!=", "=~", "!~"], message("The operator of a filter")),
  value: text(
    MAX_LABEL,
    () => t("Values of filters have at most {n} characters.", { n: MAX_LABEL }),
  ),
}).refine(({ operator, value }) => operator.length === 1 || operator === "!=" || isPattern(value), {
  path: ["value"],
  error: () => t("This is no regular expression that RE2 understands."),
});

const Query = z.object({
  id: z.string().regex(/^[a-z]$/, {
    error: () => t("A query is called by one lower-case letter."),
  }),
  metric: someText(255, () => t("Choose a metric.")),
  kind: oneOf(["counter", "gauge", "histogram"], message("The kind of a metric")).nullable()
    .default(null),
  unit: text(64, () => t("Units have at most 64 characters.")).nullable().default(null),
  aggregation: oneOf(AGGREGATIONS, message("The aggregation")),
  filter: few(Matcher, 20, message("filters")).default([]),
  groupBy: few(
    someText(256, () => t("Name the label to group by.")),
    10,
    message("labels to group by"),
  ).default([]),
  top: wholeNumber(1, 100, () => t("A query answers 1 to 100 groups.")).default(100),
});

const Formula = z.object({
  id: z.string().regex(/^f\d{1,2}$/, { error: () => t("A formula is called f1, f2, and so on.") }),
  expression: someText(MAX_TEXT, () => t("Write a formula of the queries, as a / b * 100.")),
  unit: text(64, () => t("Units have at most 64 characters.")).default(""),
});

/** Judges one query or formula; each of its groups has a state of its own. */
const Metric = z.object({
  kind: z.literal("metric"),
  queries: few(Query, 10, message("queries")).min(1, { error: () => t("Choose a metric.") }),
  formulas: few(Formula, 10, message("formulas")).default([]),
  /** Id of the query or formula that is judged. */
  judged: z.string({ error: () => t("Say which query or formula is judged.") }),
}).superRefine((source, context) => {
  const ids = idsOf(source);
  if (new Set(ids).size < ids.length) {
    context.addIssue({
      code: "custom",
      path: ["queries"],
      message: t("Two queries have one name."),
    });
  }
  if (!ids.includes(source.judged)) {
    const message = t("Judge one of the queries and formulas: {ids}.", { ids: ids.join(", ") });
    context.addIssue({ code: "custom", path: ["judged"], message });
  }
  source.formulas.forEach((formula, place) => {
    const message = problemOfFormula({ queries: source.queries, formulas: [formula] });
    if (message === null) return;
    context.addIssue({ code: "custom", path: ["formulas", place, "expression"], message });
  });
});

const Errors = z.object({
  kind: z.literal("errors"),
  measure: oneOf(namesOf(ERROR_MEASURES), message("The measure")),
  /** In the words of the issue search, as `level:error !release:1.2`; `""`: all. */
  search: text(MAX_TEXT, () => t("A search has at most {n} characters.", { n: MAX_TEXT })).default(
    "",
  ),
}).superRefine(({ search }, context) => {
  for (const { part, reason } of parseIssueSearch(search).problems) {
    const message = t("The search has a part that is not understood: {part}. {reason}.", {
      part,
      reason,
    });
    context.addIssue({ code: "custom", path: ["search"], message });
  }
});

const Transactions = z.object({
  kind: z.literal("transactions"),
  measure: oneOf(namesOf(TRANSACTION_MEASURES), message("The measure")),
  /** Name of the transaction, or null for all together. */
  transaction: text(200, () => t("Names of transactions have at most 200 characters.")).nullable()
    .default(null).transform((name) => name === "" ? null : name),
});

const level = z.number({ error: () => t("Write a number.") }).refine(
  (value) => Math.abs(value) < 1e15,
  { error: () => t("Write a number below 1,000,000,000,000,000.") },
);
const Levels = z.object({
  comparison: oneOf([">", ">=", "<", "<="], message("The comparison")),
  /** Null: no warnings. */
  warning: level.nullable().default(null),
  critical: level,
  /** Back to normal once the value no longer compares so; null: the lower of the two levels. */
  recovery: level.nullable().default(null),
});

/** When notices go out; outside it states are still kept. Times are minutes of the day in `timeZone`. */
const Times = z.object({
  /** 0 is Sunday. */
  days: few(wholeNumber(0, 6, () => t("Days are 0 (Sunday) to 6.")), 7, message("days"))
    .min(1, { error: () => t("Choose at least one day.") })
    .transform((days) => [...new Set(days)].sort()),
  fromMinute: wholeNumber(0, DAY_MINUTES - 1, () => t("Write a time of the day, as 09:00.")),
  /** Exclusive. Not above `fromMinute`: until then on the day after. */
  toMinute: wholeNumber(0, DAY_MINUTES, () => t("Write a time of the day, as 18:00.")),
  /** IANA name. */
  timeZone: z.string().refine(isTimeZone, {
    error: () => t("Name a time zone, as Europe/Berlin."),
  }),
});

const Alert = z.object({
  name: someText(
    MAX_NAME,
    () => t("Give the alert a name of at most {n} characters.", { n: MAX_NAME }),
  ),
  source: z.discriminatedUnion("kind", [Metric, Errors, Transactions], {
    error: () => t("Choose what is watched: metric, errors or transactions."),
  }),
  /** Empty means all. */
  environments: few(
    someText(200, () => t("Environments have at most 200 characters.")),
    50,
    message("environments"),
  )
    .default([]),
  condition: Levels.superRefine(checkOrder),
  /** What a value is taken over. */
  windowMinutes: wholeNumber(1, DAY_MINUTES, () => t("A window has 1 to 1440 whole minutes.")),
  /** How long the condition must hold before it fires; 0: at once. */
  forMinutes: wholeNumber(0, DAY_MINUTES, () => t("Write 0 to 1440 whole minutes.")).default(0),
  /** What a window without any data means. */
  noData: oneOf(["ok", "keep", "alert"], message("No data")).default("ok"),
  /** None: only the history is kept. */
  channelIds: few(z.guid({ error: () => t("There is no such channel.") }), 20, message("channels"))
    .default([])
    .transform((ids) => [...new Set(ids.map((id) => id.toLowerCase()))]),
  schedule: Times.nullable().default(null),
  /** Notices are held back until then. */
  mutedUntil: z.union(
    [z.date(), z.iso.datetime({ offset: true }).transform((at) => new Date(at))],
    {
      error: () => t("Write a time as 2026-11-30T18:00:00Z."),
    },
  ).refine((at) => isOfCalendar(at.getTime()), {
    error: () => t("Write a time as 2026-11-30T18:00:00Z."),
  }).nullable().default(null),
  isEnabled: z.boolean({ error: () => t("Write true or false.") }).default(true),
});

/** The same to look at and not to change. */
type Fixed<T> = T extends Date ? T : { readonly [Key in keyof T]: Fixed<T[Key]> };

/** What a person fills in. */
export type AlertInput = Fixed<z.output<typeof Alert>>;

/** What issue measures are judged by: each issue is one, and that is enough. */
export const EACH_ISSUE: AlertInput["condition"] = {
  comparison: ">=",
  warning: null,
  critical: 1,
  recovery: null,
};

/**
 * Checks what somebody has filled in. What is left out has its default; issues that are new or came back need no
 * condition, and what is given there has no meaning.
 *
 * @param value of any shape
 */
export function checkAlert(value: unknown): CheckedAlert {
  const checked = Alert.safeParse(withoutCondition(value), { error: problemOf });
  if (checked.success) return { ok: true, input: checked.data };
  const problems = checked.error.issues.map(({ path, message }) => ({
    field: path.map(String).join("."),
    message,
  }));
  return { ok: false, problems };
}

/** Whether each issue alerts by itself, once. */
export function isOfIssues({ source }: Pick<AlertInput, "source">): boolean {
  return source.kind === "errors" &&
    (source.measure === "new_issue" || source.measure === "regression");
}

const IssueMeasure = z.looseObject({
  source: z.looseObject({
    kind: z.literal("errors"),
    measure: z.enum(["new_issue", "regression"]),
  }),
});

function withoutCondition(value: unknown): unknown {
  const found = IssueMeasure.safeParse(value);
  if (!found.success) return value;
  return { ...found.data, condition: EACH_ISSUE, forMinutes: 0, noData: "ok" };
}

function problemOf({ input }: { input?: unknown }): string | undefined {
  return input === undefined ? t("This is needed.") : undefined;
}

/** Why a formula cannot be calculated, or null: else the alert would be saved and never judged. */
function problemOfFormula(asked: Parameters<typeof checkRequest>[0]): string | null {
  try {
    checkRequest(asked);
    return null;
  } catch (error) {
    if (error instanceof InvalidQuery) return error.message;
    throw error;
  }
}

function idsOf({ queries, formulas }: Parameters<typeof checkRequest>[0]): string[] {
  return [...queries, ...formulas].map(({ id }) => id);
}

/** The critical level lies beyond the warning, and recovery on the other side of both. */
function checkOrder(condition: z.output<typeof Levels>, context: z.RefinementCtx): void {
  const { comparison, warning, critical, recovery } = condition;
  const isUp = comparison.startsWith(">");
  const beyond = (a: number, b: number) => isUp ? a > b : a < b;
  if (warning !== null && !beyond(critical, warning)) {
    const message = isUp
      ? t("The warning lies below the critical level.")
      : t("The warning lies above the critical level.");
    context.addIssue({ code: "custom", path: ["warning"], message });
  }
  if (recovery !== null && beyond(recovery, warning ?? critical)) {
    const message = isUp
      ? t("Recovery lies not above the levels.")
      : t("Recovery lies not below the levels.");
    context.addIssue({ code: "custom", path: ["recovery"], message });
  }
}

function isPattern(pattern: string): boolean {
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}

/** Whether `Intl` knows a time zone of this name. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
