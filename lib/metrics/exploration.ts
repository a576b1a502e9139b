/**
 * What a person asks of metrics, as addresses and forms have it: everything that the explorer shows stands in its address.
 * What cannot be read is named and kept out; as typed it stays among the drafts, so that the form shows it again.
 */
import { t } from "../core/language/translate.ts";
import type { Metric, MetricKind } from "../records/mod.ts";
import { sectionPath } from "../ui/links.ts";
import { type Scope, scopeParams } from "../ui/scope.ts";
import { formatFilter, parseFilter } from "./filter.ts";
import {
  type Aggregation,
  AGGREGATIONS,
  aggregationsOf,
  type Formula,
  InvalidQuery,
  METRIC_KINDS,
  type MetricQuery,
} from "./query_types.ts";

/** A query as it stands in the form. */
export interface QueryDraft {
  readonly id: string;
  /** `""`: not chosen yet. */
  readonly metric: string;
  readonly kind: MetricKind | null;
  readonly unit: string | null;
  /** Null: the usual one of the metric's kind. */
  readonly aggregation: Aggregation | null;
  /** As typed. */
  readonly filter: string;
  readonly groupBy: readonly string[];
  readonly top: number;
}

export interface FieldProblem {
  /** Name of the field, with the prefix. */
  readonly field: string;
  /** A sentence. */
  readonly message: string;
}

export interface ReadExploration extends Exploration {
  /** At least one; some may be empty or have problems. */
  readonly drafts: readonly QueryDraft[];
  readonly formulaDrafts: readonly Formula[];
  readonly problems: readonly FieldProblem[];
}

export const MAX_QUERIES = 10;
export const MAX_FORMULAS = 10;
const MAX_TOP = 100;
const MAX_NAME_LENGTH = 255;
const MAX_LABELS = 10;
const MAX_EXPRESSION_LENGTH = 500;
const MAX_STEP_SECONDS = 30 * 86_400;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/**
 * Reads queries, formulas and how they are shown.
 *
 * `add=query`, `add=formula` and `remove=<id>` are the form's own buttons: an empty row more, or one row less.
 *
 * @param prefix before the names of all fields
 */
export function readQueries(params: URLSearchParams, prefix = ""): ReadExploration {
  const problems: FieldProblem[] = [];
  const fields = new Fields(params, prefix, problems);
  const drafts = readDrafts(fields);
  const formulaDrafts = readFormulas(fields);
  const queries = drafts.flatMap((draft) => queryOf(draft, fields) ?? []);
  const formulas = formulaDrafts.filter(({ expression }) => expression !== "");
  const ids = new Set([...drafts, ...formulaDrafts].map(({ id }) => id));
  return {
    queries,
    formulas,
    hidden: [...new Set(fields.all("hide"))].filter((id) => ids.has(id)),
    view: VIEWS.find((view) => view === fields.text("view")) ?? EXPLORE_DEFAULTS.view,
    stepMs: readStep(fields),
    comparesPrevious: fields.text("compare") === "1",
    drafts,
    formulaDrafts,
    problems,
  };
}

/** The query of a draft as far as it can be read; null without a metric. */
function queryOf(draft: QueryDraft, fields: Fields): MetricQuery | null {
  const { id, metric, kind } = draft;
  if (metric === "") return null;
  if (metric.length > MAX_NAME_LENGTH) {
    fields.complain(
      `${id}.metric`,
      t("Names of metrics have at most {most} characters.", { most: MAX_NAME_LENGTH }),
    );
    return null;
  }
  try {
    const usual = kind === null ? "avg" : aggregationsOf({ name: metric, kind })[0] ?? "avg";
    const aggregation = draft.aggregation ?? usual;
    return { ...draft, aggregation, filter: parseFilter(draft.filter) };
  } catch (error) {
    if (!(error instanceof InvalidQuery)) throw error;
    fields.complain(`${id}.filter`, error.message);
    return null;
  }
}

function readDrafts(fields: Fields): QueryDraft[] {
  const removed = fields.text("remove");
  const ids = [...LETTERS].filter((id) => id !== removed && fields.has(`${id}.metric`));
  if (ids.length > MAX_QUERIES) {
    fields.complain(
      `${ids[MAX_QUERIES]}.metric`,
      t("There are at most {n} query at once.|There are at most {n} queries at once.", {
        n: MAX_QUERIES,
      }),
    );
  }
  const kept = ids.slice(0, MAX_QUERIES);
  const next = [...LETTERS].find((id) => !kept.includes(id) && id !== removed);
  const isWanted = kept.length === 0 || fields.text("add") === "query";
  if (next !== undefined && isWanted && kept.length < MAX_QUERIES) kept.push(next);
  return kept.map((id) => readDraft(id, fields));
}

function readDraft(id: string, fields: Fields): QueryDraft {
  const metric = fields.text(`${id}.metric`);
  // The form says which metric the kind, the unit and the aggregation were chosen for.
  const chosenFor = fields.has(`${id}.of`) ? fields.text(`${id}.of`) : metric;
  const isSame = chosenFor === metric;
  const identity = isSame ? readIdentity(id, fields) : NO_IDENTITY;
  const aggregation = fields.text(`${id}.agg`);
  const known = AGGREGATIONS.find((name) => name === aggregation) ?? null;
  if (aggregation !== "" && known === null) {
    fields.complain(
      `${id}.agg`,
      t("There is no aggregation “{name}”.", { name: aggregation.slice(0, 20) }),
    );
  }
  const groupBy = fields.all(`${id}.by`).flatMap((text) => text.split(","))
    .map((label) => label.trim()).filter((label) => label !== "");
  return {
    id,
    metric,
    ...identity,
    aggregation: isSame ? known : null,
    filter: fields.text(`${id}.filter`),
    groupBy: [...new Set(groupBy)].slice(0, MAX_LABELS),
    top: readTop(`${id}.top`, fields),
  };
}

const NO_IDENTITY = { kind: null, unit: null } as const;

/** Which of the metrics of one name is meant: the form's choice is `<kind>:<unit>`, `""` for the one seen last. */
function readIdentity(id: string, fields: Fields): Pick<QueryDraft, "kind" | "unit"> {
  if (!fields.has(`${id}.as`)) {
    const kind = METRIC_KINDS.find((kind) => kind === fields.text(`${id}.kind`)) ?? null;
    return { kind, unit: fields.has(`${id}.unit`) ? fields.text(`${id}.unit`) : null };
  }
  const [, chosen, unit] = /^(\w+):(.*)$/s.exec(fields.text(`${id}.as`)) ?? [];
  const kind = METRIC_KINDS.find((kind) => kind === chosen) ?? null;
  return kind === null ? NO_IDENTITY : { kind, unit: unit ?? null };
}

function readTop(field: string, fields: Fields): number {
  const text = fields.text(field);
  if (text === "") return EXPLORE_DEFAULTS.top;
  const top = Number(text);
  if (Number.isInteger(top) && top >= 1 && top <= MAX_TOP) return top;
  fields.complain(
    field,
    t("How many groups are shown is a number from 1 to {most}.", { most: MAX_TOP }),
  );
  return EXPLORE_DEFAULTS.top;
}

function readFormulas(fields: Fields): Formula[] {
  const removed = fields.text("remove");
  const all = Array.from({ length: MAX_FORMULAS }, (_, index) => `f${index + 1}`);
  const ids = all.filter((id) => id !== removed && fields.has(id));
  const next = all.find((id) => !ids.includes(id) && id !== removed);
  if (fields.text("add") === "formula" && next !== undefined) ids.push(next);
  return ids.map((id) => ({
    id,
    expression: fields.text(id).slice(0, MAX_EXPRESSION_LENGTH),
    unit: fields.text(`${id}.unit`).slice(0, MAX_NAME_LENGTH),
  }));
}

function readStep(fields: Fields): number | null {
  const text = fields.text("step");
  if (text === "") return null;
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_STEP_SECONDS) {
    return seconds * 1000;
  }
  fields.complain("step", t("The step is a whole number of seconds, at most 30 days of them."));
  return null;
}

/** The fields of one form, by their names without the prefix. */
class Fields {
  constructor(
    readonly params: URLSearchParams,
    readonly prefix: string,
    readonly problems: FieldProblem[],
  ) {}

  has(name: string): boolean {
    return this.params.has(this.prefix + name);
  }

  text(name: string): string {
    return this.params.get(this.prefix + name)?.trim() ?? "";
  }

  all(name: string): string[] {
    return this.params.getAll(this.prefix + name);
  }

  complain(name: string, message: string): void {
    this.problems.push({ field: this.prefix + name, message });
  }
}

/** How results are drawn. */
const VIEWS = ["line", "area", "bars", "table", "value", "heatmap"] as const;
export type View = (typeof VIEWS)[number];

export interface Exploration {
  readonly queries: readonly MetricQuery[];
  readonly formulas: readonly Formula[];
  /** Ids of queries and formulas that are not drawn. */
  readonly hidden: readonly string[];
  readonly view: View;
  /** Null: automatic. */
  readonly stepMs: number | null;
  readonly comparesPrevious: boolean;
}

export const EXPLORE_DEFAULTS = {
  top: 10,
  view: "line",
} as const;

/** `/projects/<id>/metrics/explore` with the scope and everything that is not at its default. */
export function exploreHref(projectId: string, exploration: Exploration, scope: Scope): string {
  const params = new URLSearchParams([...scopeParams(scope), ...explorationParams(exploration)]);
  const path = explorePath(projectId);
  return params.size === 0 ? path : `${path}?${params}`;
}

/**
 * An exploration as parameters: of each query `a.metric`, `a.kind`, `a.unit`, `a.agg`, `a.filter`, `a.by` (labels, one
 * each), `a.top`; of each formula `f1` and `f1.unit`; then `hide`, `view`, `step` (seconds), `compare=1`.
 */
export function explorationParams(exploration: Exploration): [name: string, value: string][] {
  const { queries, formulas, hidden, view, stepMs, comparesPrevious } = exploration;
  const params: [string, string][] = queries.flatMap(queryParams);
  for (const { id, expression, unit } of formulas) {
    params.push([id, expression]);
    if (unit !== "") params.push([`${id}.unit`, unit]);
  }
  for (const id of hidden) params.push(["hide", id]);
  if (view !== EXPLORE_DEFAULTS.view) params.push(["view", view]);
  if (stepMs !== null) params.push(["step", String(stepMs / 1000)]);
  if (comparesPrevious) params.push(["compare", "1"]);
  return params;
}

function queryParams(query: MetricQuery): [string, string][] {
  const { id, metric, kind, unit, aggregation, filter, groupBy, top } = query;
  const params: [string, string][] = [[`${id}.metric`, metric]];
  if (kind !== null) params.push([`${id}.kind`, kind]);
  if (unit !== null) params.push([`${id}.unit`, unit]);
  params.push([`${id}.agg`, aggregation]);
  if (filter.length > 0) params.push([`${id}.filter`, formatFilter(filter)]);
  for (const label of groupBy) params.push([`${id}.by`, label]);
  if (top !== EXPLORE_DEFAULTS.top) params.push([`${id}.top`, String(top)]);
  return params;
}

/** Address that completes names of metrics, labels and values while one types. */
export function metricCompletionsPath(projectId: string): string {
  return `${sectionPath(projectId, "metrics")}/completions`;
}

/** Address of the explorer. */
export function explorePath(projectId: string): string {
  return `${sectionPath(projectId, "metrics")}/explore`;
}

/** The explorer with one metric in the usual way. */
export function metricHref(
  projectId: string,
  { name, kind, unit }: Pick<Metric, "name" | "kind" | "unit">,
  scope: Scope,
): string {
  const [aggregation = "avg"] = aggregationsOf({ name, kind });
  const { top, view } = EXPLORE_DEFAULTS;
  const query = { id: "a", metric: name, kind, unit, aggregation, filter: [], groupBy: [], top };
  return exploreHref(projectId, {
    queries: [query],
    formulas: [],
    hidden: [],
    view,
    stepMs: null,
    comparesPrevious: false,
  }, scope);
}
