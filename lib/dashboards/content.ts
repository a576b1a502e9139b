/** What a dashboard consists of, how large it may be, and what the choices above its panels do to their filters. */
import type { Formula, LabelMatcher, MetricQuery } from "../metrics/mod.ts";

/** Width of the grid that panels stand on, in columns. */
export const COLUMNS = 12;

/** Where a panel stands: columns from the left and rows from the top, both from 0, and its size in them. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export const PANEL_KINDS = ["metrics", "errors", "transactions", "text"] as const;
export type PanelKind = (typeof PANEL_KINDS)[number];

/** How a panel of metrics draws its results. */
export const PANEL_VIEWS = ["line", "area", "bars", "table", "value", "heatmap"] as const;
export type PanelView = (typeof PANEL_VIEWS)[number];

export const MEASURES = ["throughput", "p50", "p95", "p99", "failure_rate", "apdex"] as const;
export type Measure = (typeof MEASURES)[number];

interface PanelBase {
  /** Unique in its dashboard: `p1`, `p2`, … */
  readonly id: string;
  /** May be `""` for texts. */
  readonly title: string;
  readonly place: Place;
}

/** An exploration of metrics. Filters may ask for `$label`, the value that is chosen for a variable. */
export interface MetricsPanel extends PanelBase {
  readonly kind: "metrics";
  readonly queries: readonly MetricQuery[];
  readonly formulas: readonly Formula[];
  /** Ids of queries and formulas that are not drawn. */
  readonly hidden: readonly string[];
  readonly view: PanelView;
  /** Null: automatic. */
  readonly stepMs: number | null;
  readonly comparesPrevious: boolean;
}

/** How many errors there were over time. */
export interface ErrorsPanel extends PanelBase {
  readonly kind: "errors";
  /** As in the search box of the issues; `""`: all errors. */
  readonly search: string;
}

/** How transactions did over time. */
export interface TransactionsPanel extends PanelBase {
  readonly kind: "transactions";
  readonly measure: Measure;
  /** Name of one; `""`: all of them. */
  readonly transaction: string;
}

/** Words in Markdown. */
export interface TextPanel extends PanelBase {
  readonly kind: "text";
  readonly markdown: string;
}

export type Panel = MetricsPanel | ErrorsPanel | TransactionsPanel | TextPanel;

/** A choice above the panels: a label of which viewers pick one value. Filters name it as `$label`. */
export interface Variable {
  readonly label: string;
  /** What is chosen when the address says nothing; `""`: all values. */
  readonly value: string;
}

export interface DashboardContent {
  readonly description: string;
  readonly variables: readonly Variable[];
  /** From the top to the bottom, and from the left to the right. They overlap nowhere. */
  readonly panels: readonly Panel[];
}

export const EMPTY_CONTENT: DashboardContent = { description: "", variables: [], panels: [] };

/** An id that no panel has yet. */
export function newPanelId(panels: readonly Pick<Panel, "id">[]): string {
  const numbers = panels.map(({ id }) => Number(/^p(\d{1,6})$/.exec(id)?.[1] ?? 0));
  return `p${Math.max(0, ...numbers) + 1}`;
}

export const LIMITS = {
  name: 100,
  description: 500,
  title: 200,
  markdown: 10_000,
  /** Of all texts of a dashboard together, which are made into elements whenever it is shown. */
  allMarkdown: 50_000,
  search: 500,
  transaction: 500,
  panels: 40,
  variables: 10,
  label: 256,
  labelValue: 1_024,
  queries: 10,
  formulas: 10,
  matchers: 20,
  groupBy: 10,
  top: 100,
  expression: 500,
  /** Rows of the grid: the style sheet knows as many. */
  rows: 240,
  height: 20,
  /** Of dashboards in a project. */
  dashboards: 500,
} as const;

/** The size that a new panel has. */
export function usualSize(kind: PanelKind, view: PanelView = "line"): Pick<Place, "w" | "h"> {
  if (kind === "text") return { w: COLUMNS, h: 2 };
  if (kind === "metrics" && view === "value") return { w: 3, h: 3 };
  return { w: 6, h: 7 };
}

/** The chosen value by label; `""`: all. */
export type Choices = ReadonlyMap<string, string>;

/** How an address says "all values": an empty parameter would be left out of links. */
export const ALL_VALUES = "*";

/** Name of the parameter that carries the choice of a variable. */
export function parameterOf(label: string): string {
  return `var.${label}`;
}

/** What an address chooses; variables that it does not name have their own value. */
export function readChoices(variables: readonly Variable[], search: URLSearchParams): Choices {
  return new Map(variables.map(({ label, value }) => {
    const asked = search.get(parameterOf(label));
    if (asked === ALL_VALUES) return [label, ""];
    return [label, asked === null ? value : asked.slice(0, LIMITS.labelValue)];
  }));
}

/** The choices as parameters of an address; those that are as the dashboard has them are left out. */
export function choiceParams(
  variables: readonly Variable[],
  choices: Choices,
): Record<string, string> {
  const changed = variables.filter(({ label, value }) => (choices.get(label) ?? value) !== value);
  return Object.fromEntries(
    changed.map(({ label }) => [parameterOf(label), choices.get(label) || ALL_VALUES]),
  );
}

/** A panel with the chosen values in its filters. Where all values are chosen, a filter asks for nothing. */
export function withChoices(panel: MetricsPanel, choices: Choices): MetricsPanel {
  return {
    ...panel,
    queries: panel.queries.map((query) => ({
      ...query,
      filter: query.filter.flatMap((matcher) => chosen(matcher, choices)),
    })),
  };
}

/** Names of metrics whose values a variable offers: of queries that ask for it, else of all. */
export function metricsOf({ panels }: DashboardContent, label: string): string[] {
  const queries = panels.flatMap((panel) => panel.kind === "metrics" ? panel.queries : []);
  const asking = queries.filter(({ filter }) => filter.some(({ value }) => value === `$${label}`));
  return [...new Set((asking.length > 0 ? asking : queries).map(({ metric }) => metric))];
}

function chosen(matcher: LabelMatcher, choices: Choices): LabelMatcher[] {
  const { operator, value } = matcher;
  const choice = value.startsWith("$") ? choices.get(value.slice(1)) : undefined;
  if (choice === undefined) return [matcher];
  if (choice === "") return [];
  const isPattern = operator === "=~" || operator === "!~";
  return [{ ...matcher, value: isPattern ? literal(choice) : choice }];
}

/** A pattern that matches the text alone. */
function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
