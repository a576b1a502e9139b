/** How large a dashboard may be. */
import { COLUMNS, type PanelKind, type PanelView, type Place } from "./content.ts";

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
