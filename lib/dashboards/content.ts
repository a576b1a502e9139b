/** What a dashboard consists of, as it is stored, exported and shown. */
import type { Formula, MetricQuery } from "../metrics/query_types.ts";

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
