/** How ready-made dashboards are written down: names differ between clients, and the first that is there is taken. */
import type { Message } from "../../core/language/translate.ts";
import type { Aggregation, Formula, MatchOperator } from "../../metrics/mod.ts";
import type { PanelView } from "../content.ts";

/** Other names of one label; the first that series have is meant. */
export type LabelNames = readonly [string, ...string[]];

export interface ReadyQuery {
  readonly id: string;
  readonly metric: string;
  readonly aggregation: Aggregation;
  readonly filter?: readonly {
    readonly labels: LabelNames;
    readonly operator: MatchOperator;
    readonly value: string;
  }[];
  readonly groupBy?: readonly LabelNames[];
}

export interface ReadyVariant {
  readonly queries: readonly ReadyQuery[];
  readonly formulas?: readonly Formula[];
  /** Ids that are not drawn. */
  readonly hidden?: readonly string[];
}

export interface ReadyPanel {
  readonly title: Message;
  /** @default "line" */
  readonly view?: PanelView;
  /** In columns and rows. @default 6 by 7 */
  readonly w?: number;
  readonly h?: number;
  /** The first of which all metrics are there is taken. */
  readonly variants: readonly ReadyVariant[];
}

export interface ReadyDashboard {
  /** Of its address. */
  readonly id: string;
  readonly name: Message;
  readonly description: Message;
  /** What viewers may narrow it to, where series have it. */
  readonly variable: LabelNames;
  readonly panels: readonly ReadyPanel[];
}

/** A panel with its variants, and how it looks unless it is usual. */
export function panel(
  title: Message,
  variants: readonly ReadyVariant[],
  look: Pick<ReadyPanel, "view" | "w" | "h"> = {},
): ReadyPanel {
  return { title, variants, ...look };
}

/** One query of one metric, as most panels have it. */
export function one(
  metric: string,
  aggregation: Aggregation,
  groupBy: readonly LabelNames[] = [],
): ReadyVariant {
  return { queries: [{ id: "a", metric, aggregation, groupBy }] };
}

/** Several metrics in one chart. */
export function beside(
  ...queries: readonly (readonly [metric: string, aggregation: Aggregation])[]
): ReadyVariant {
  return { queries: withIds(queries.map(([metric, aggregation]) => ({ metric, aggregation }))) };
}

/** What a formula makes of queries `a`, `b`, …, which are not drawn themselves. */
export function calculated(
  expression: string,
  unit: string,
  queries: readonly Omit<ReadyQuery, "id">[],
): ReadyVariant {
  const named = withIds(queries);
  return {
    queries: named,
    formulas: [{ id: "f1", expression, unit }],
    hidden: named.map(({ id }) => id),
  };
}

/** The mean of what two counters add up: seconds by how often. */
export function meanOf(
  sum: string,
  count: string,
  unit: string,
  groupBy: readonly LabelNames[] = [],
): ReadyVariant {
  return calculated("a / b", unit, [
    { metric: sum, aggregation: "rate", groupBy },
    { metric: count, aggregation: "rate", groupBy },
  ]);
}

/** A share of one as percent. */
export function percentOf(
  metric: string,
  aggregation: Aggregation,
  groupBy: readonly LabelNames[] = [],
): ReadyVariant {
  return calculated("100 * a", "%", [{ metric, aggregation, groupBy }]);
}

function withIds(queries: readonly Omit<ReadyQuery, "id">[]): ReadyQuery[] {
  return queries.map((query, index) => ({ id: "abcdefgh".charAt(index), ...query }));
}
