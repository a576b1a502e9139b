/** Dashboards as JSON, to keep, to share and to bring elsewhere, with everything checked. */
import { t } from "../core/language/translate.ts";
import { z } from "zod";
import { InvalidInput, storable } from "../core/errors.ts";
import { AGGREGATIONS, METRIC_KINDS } from "../metrics/mod.ts";
import { COLUMNS, type DashboardContent, LIMITS, MEASURES, PANEL_VIEWS } from "./content.ts";
import { settle } from "./layout.ts";

const MAX_STEP_MS = 31 * 86_400_000;

/** As Postgres can keep it. */
function text(most: number) {
  return z.string()
    .max(most, { error: () => t("has at most {most} characters", { most }) })
    .transform((value) => storable(value).toWellFormed());
}

function name(most: number) {
  return text(most).refine((value) => value.trim() !== "", { error: () => t("must not be empty") });
}

function whole(least: number, most: number) {
  const problem = {
    error: () => t("is a whole number from {least} to {most}", { least, most }),
  };
  return z.number(problem).int(problem).min(least, problem).max(most, problem);
}

function atMost<T extends z.ZodType>(what: T, most: number) {
  return z.array(what).max(most, { error: () => t("has at most {most} entries", { most }) });
}

const queryId = z.string().regex(/^[a-z]$/, { error: () => t("is one lower-case letter") });
const formulaId = z.string().regex(/^f\d{1,2}$/, { error: () => t("is f1, f2, …") });

const Matcher = z.strictObject({
  label: name(LIMITS.label),
  operator: z.enum(["=", "!=", "=~", "!~"]),
  value: text(LIMITS.labelValue),
});

const Query = z.strictObject({
  id: queryId,
  metric: name(LIMITS.label),
  kind: z.enum(METRIC_KINDS).nullable().default(null),
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
  id: z.string().regex(/^p\d{1,6}$/, { error: () => t("is p1, p2, …") }),
  title: text(LIMITS.title).default(""),
  place: PlaceSchema,
};

const MetricsSchema = z.strictObject({
  ...base,
  kind: z.literal("metrics"),
  queries: atMost(Query, LIMITS.queries).min(1, { error: () => t("has at least one query") })
    .refine((queries) => areDifferent(queries.map(({ id }) => id)), {
      error: () => t("has an id twice"),
    }),
  formulas: atMost(FormulaSchema, LIMITS.formulas).default([])
    .refine((formulas) => areDifferent(formulas.map(({ id }) => id)), {
      error: () => t("has an id twice"),
    }),
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
const contentShape = {
  description: text(LIMITS.description).default(""),
  variables: atMost(VariableSchema, LIMITS.variables).default([])
    .refine((variables) => areDifferent(variables.map(({ label }) => label)), {
      error: () => t("has a label twice"),
    }),
  panels: atMost(PanelSchema, LIMITS.panels).default([])
    .refine((panels) => areDifferent(panels.map(({ id }) => id)), {
      error: () => t("has an id twice"),
    }),
};

export const ContentSchema = z.strictObject(contentShape);
const NameSchema = name(LIMITS.name).transform((value) => value.trim());

/** Sentences for what is wrong, as `panels[2].place.w is a whole number from 1 to 12.`; the first ten. */
export function problemsOf(error: z.ZodError): string[] {
  return [
    ...new Set(error.issues.map(({ path, message, code }) => {
      const where = path.reduce<string>(
        (all, part) =>
          typeof part === "number" ? `${all}[${part}]` : `${all}${all && "."}${String(part)}`,
        "",
      );
      const subject = where === "" ? t("The dashboard") : where;
      if (code === "unrecognized_keys") {
        return t("{subject} has properties that mean nothing here ({problem}).", {
          subject,
          problem: message,
        });
      }
      return t("{subject} {problem}.", {
        subject,
        problem: OURS.test(message) ? message : t("is wrong ({problem})", { problem: message }),
      });
    })),
  ].slice(0, 10);
}

/** Ours follow their subject; the library's begin as sentences do. */
const OURS = /^\p{Ll}/u;

function areDifferent(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

/** A dashboard apart from where it is kept. */
export interface NamedContent {
  readonly name: string;
  readonly content: DashboardContent;
}

const FORMAT = "watchpost-dashboard";
const VERSION = 1;

/** A dashboard as it is exported. */
export const DocumentSchema = z.strictObject({
  format: z.literal(FORMAT, {
    error: () => t('is "{format}": this is another kind of file', { format: FORMAT }),
  }),
  version: z.literal(VERSION, {
    error: () => t("is {version}: others are not known here", { version: VERSION }),
  }),
  name: NameSchema,
  ...contentShape,
});

/** What `DocumentSchema` lets in. */
type DashboardDocument = z.infer<typeof DocumentSchema>;

/** The document that an export writes; reading it gives the same dashboard again. */
export function toDocument({ name, content }: NamedContent): DashboardDocument {
  const { description, variables, panels } = ContentSchema.parse(content);
  return { format: FORMAT, version: VERSION, name, description, variables, panels };
}

/** The same as text, to be read by people as well. */
export function writeDocument(dashboard: NamedContent): string {
  return `${JSON.stringify(toDocument(dashboard), null, 2)}\n`;
}

/**
 * Reads an exported dashboard.
 *
 * @throws {InvalidInput} of the field `json` with sentences for everything that is wrong
 */
export function readDocument(text: string): NamedContent {
  return fromDocument(parse(text));
}

/**
 * The same of what is parsed already.
 *
 * @param field that errors belong to
 * @throws {InvalidInput} as `readDocument()`
 */
export function fromDocument(value: unknown, field = "json"): NamedContent {
  const result = DocumentSchema.safeParse(value);
  if (!result.success) throw new InvalidInput(field, problemsOf(result.error).join(" "));
  const { name, description, variables, panels } = result.data;
  return { name, content: checkContent({ description, variables, panels }) };
}

/** Checks a content and puts its panels in order. @throws {InvalidInput} of the field `""` */
export function checkContent(content: DashboardContent): DashboardContent {
  const result = ContentSchema.safeParse(content);
  if (!result.success) throw new InvalidInput("", problemsOf(result.error).join(" "));
  const panels = settle(result.data.panels);
  const rows = Math.max(0, ...panels.map(({ place }) => place.y + place.h));
  if (rows > LIMITS.rows) {
    throw new InvalidInput(
      "",
      t("The panels are {rows} rows high together; {most} is the most.", {
        rows,
        most: LIMITS.rows,
      }),
    );
  }
  const written = panels.reduce(
    (sum, panel) => sum + (panel.kind === "text" ? panel.markdown.length : 0),
    0,
  );
  if (written > LIMITS.allMarkdown) {
    throw new InvalidInput(
      "",
      t("The texts have {written} characters together; {most} is the most.", {
        written,
        most: LIMITS.allMarkdown,
      }),
    );
  }
  return { ...result.data, panels };
}

/** Checks a name. @throws {InvalidInput} of the field `name` */
export function checkDashboardName(name: string): string {
  const result = NameSchema.safeParse(name);
  if (result.success) return result.data;
  throw new InvalidInput(
    "name",
    t("Enter a name of 1 to {most} characters.", { most: LIMITS.name }),
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidInput("json", t("This is not JSON: {reason}.", { reason }));
  }
}
