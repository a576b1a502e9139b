/** What a dashboard may consist of, checked. */
import { z } from "zod";
import { AGGREGATIONS } from "../metrics/query_types.ts";
import { storable } from "../core/storable.ts";
import { COLUMNS, MEASURES, PANEL_VIEWS } from "./content.ts";
import { LIMITS } from "./limits.ts";

const MAX_STEP_MS = 31 * 86_400_000;

/** As Postgres can keep it. */
function text(most: number) {
  return z.string()
    .max(most, `has at most ${most} characters`)
    .transform((value) => storable(value).toWellFormed());
}

function name(most: number) {
  return text(most).refine((value) => value.trim() !== "", "must not be empty");
}

function whole(least: number, most: number) {
  const problem = `is a whole number from ${least} to ${most}`;
  return z.number({ error: problem }).int(problem).min(least, problem).max(most, problem);
}

function atMost<T extends z.ZodType>(what: T, most: number) {
  return z.array(what).max(most, `has at most ${most} entries`);
}

const queryId = z.string().regex(/^[a-z]$/, "is one lower-case letter");
const formulaId = z.string().regex(/^f\d{1,2}$/, "is f1, f2, …");

const Matcher = z.strictObject({
  label: name(LIMITS.label),
  operator: z.enum(["=", "!=", "=~", "!~"]),
  value: text(LIMITS.labelValue),
});

const Query = z.strictObject({
  id: queryId,
  metric: name(LIMITS.label),
  kind: z.enum(["counter", "gauge", "histogram"]).nullable().default(null),
  unit: text(LIMITS.label).nullable().default(null),
  aggregation: z.enum(AGGREGATIONS),
  filter: atMost(Matcher, LIMITS.matchers).default([]),
  groupBy: atMost(name(LIMITS.label), LIMITS.groupBy).default([]),
  top: whole(1, LIMITS.top).default(10),
});

const FormulaSchema = z.strictObject({
  id: formulaId,
  expression: name(LIMITS.expression),
  unit: text(LIMITS.label).default(""),
});

const PlaceSchema = z.strictObject({
  x: whole(0, COLUMNS - 1),
  y: whole(0, LIMITS.rows),
  w: whole(1, COLUMNS),
  h: whole(1, LIMITS.height),
});

const base = {
  id: z.string().regex(/^p\d{1,6}$/, "is p1, p2, …"),
  title: text(LIMITS.title).default(""),
  place: PlaceSchema,
};

const MetricsSchema = z.strictObject({
  ...base,
  kind: z.literal("metrics"),
  queries: atMost(Query, LIMITS.queries).min(1, "has at least one query")
    .refine((queries) => areDifferent(queries.map(({ id }) => id)), "has an id twice"),
  formulas: atMost(FormulaSchema, LIMITS.formulas).default([])
    .refine((formulas) => areDifferent(formulas.map(({ id }) => id)), "has an id twice"),
  hidden: atMost(z.union([queryId, formulaId]), LIMITS.queries + LIMITS.formulas).default([]),
  view: z.enum(PANEL_VIEWS).default("line"),
  stepMs: whole(1_000, MAX_STEP_MS).nullable().default(null),
  comparesPrevious: z.boolean().default(false),
});

const ErrorsSchema = z.strictObject({
  ...base,
  kind: z.literal("errors"),
  search: text(LIMITS.search).default(""),
});

const TransactionsSchema = z.strictObject({
  ...base,
  kind: z.literal("transactions"),
  measure: z.enum(MEASURES),
  transaction: text(LIMITS.transaction).default(""),
});

const TextSchema = z.strictObject({
  ...base,
  kind: z.literal("text"),
  markdown: text(LIMITS.markdown).default(""),
});

/** One panel. */
export const PanelSchema = z.discriminatedUnion("kind", [
  MetricsSchema,
  ErrorsSchema,
  TransactionsSchema,
  TextSchema,
]);

const VariableSchema = z.strictObject({
  label: name(LIMITS.label),
  value: text(LIMITS.labelValue).default(""),
});

/** Everything but the name. */
export const contentShape = {
  description: text(LIMITS.description).default(""),
  variables: atMost(VariableSchema, LIMITS.variables).default([])
    .refine((variables) => areDifferent(variables.map(({ label }) => label)), "has a label twice"),
  panels: atMost(PanelSchema, LIMITS.panels).default([])
    .refine((panels) => areDifferent(panels.map(({ id }) => id)), "has an id twice"),
};

export const ContentSchema = z.strictObject(contentShape);
export const NameSchema = name(LIMITS.name).transform((value) => value.trim());

/** Sentences for what is wrong, as `panels[2].place.w is a whole number from 1 to 12.`; the first ten. */
export function problemsOf(error: z.ZodError): string[] {
  return [
    ...new Set(error.issues.map(({ path, message, code }) => {
      const where = path.reduce<string>(
        (all, part) =>
          typeof part === "number" ? `${all}[${part}]` : `${all}${all && "."}${String(part)}`,
        "",
      );
      const what = OURS.test(message) ? message : `is wrong (${message})`;
      const subject = where === "" ? "The dashboard" : where;
      return code === "unrecognized_keys"
        ? `${subject} has properties that mean nothing here (${message}).`
        : `${subject} ${what}.`;
    })),
  ].slice(0, 10);
}

/** Ours follow their subject. */
const OURS = /^(?:has|is|must) /;

function areDifferent(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}
