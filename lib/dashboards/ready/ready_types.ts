/** How ready-made dashboards are written down: names differ between clients, and the first that is there is taken. */
import type { Formula, MatchOperator } from "../../metrics/query_types.ts";
import type { Aggregation } from "../../metrics/query_types.ts";
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
  readonly title: string;
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
  readonly name: string;
  readonly description: string;
  /** What viewers may narrow it to, where series have it. */
  readonly variable: LabelNames;
  readonly panels: readonly ReadyPanel[];
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
  return {
    queries: queries.map(([metric, aggregation], index) => ({
      id: "abcdefgh".charAt(index),
      metric,
      aggregation,
    })),
  };
}

/** The mean of what two counters add up: seconds by how often. */
export function meanOf(
  sum: string,
  count: string,
  unit: string,
  groupBy: readonly LabelNames[] = [],
): ReadyVariant {
  return {
    queries: [
      { id: "a", metric: sum, aggregation: "rate", groupBy },
      { id: "b", metric: count, aggregation: "rate", groupBy },
    ],
    formulas: [{ id: "f1", expression: "a / b", unit }],
    hidden: ["a", "b"],
  };
}

/** A share of one as percent. */
export function percentOf(
  metric: string,
  aggregation: Aggregation,
  groupBy: readonly LabelNames[] = [],
): ReadyVariant {
  return {
    ...one(metric, aggregation, groupBy),
    formulas: [{ id: "f1", expression: "100 * a", unit: "%" }],
    hidden: ["a"],
  };
}
