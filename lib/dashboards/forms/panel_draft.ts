/** A panel as it stands in its form. */
import {
  COLUMNS,
  type Measure,
  MEASURES,
  newPanelId,
  type Panel,
  PANEL_KINDS,
  PANEL_VIEWS,
  type PanelKind,
} from "../content.ts";
import { PanelSchema, problemsOf } from "../content_schema.ts";
import { freePlace } from "../layout.ts";
import { LIMITS, usualSize } from "../limits.ts";
import type { Sql } from "../../store/database.ts";
import { parseIssueSearch } from "../../errors/issue_search.ts";
import type { FormErrors } from "../../ui/components/form_summary.tsx";
import { fieldOf } from "../../ui/form.ts";
import { explorationParams } from "../../metrics/paths.ts";
import { loadQueryForm, type QueryForm } from "../../metrics/query_form/load_query_form.ts";

export interface PanelDraft {
  readonly kind: PanelKind;
  readonly title: string;
  readonly w: number;
  readonly h: number;
  /** Of panels of metrics. */
  readonly queryForm: QueryForm | null;
  readonly search: string;
  readonly measure: Measure;
  readonly transaction: string;
  readonly markdown: string;
}

/** The fields of a panel, as its form sends them. */
export function paramsOf(panel: Panel): URLSearchParams {
  const { kind, title, place } = panel;
  const params = new URLSearchParams({ kind, title, w: String(place.w), h: String(place.h) });
  if (kind === "metrics") {
    for (const [name, value] of explorationParams(panel)) params.append(name, value);
  } else if (kind === "errors") params.set("search", panel.search);
  else if (kind === "text") params.set("markdown", panel.markdown);
  else {
    params.set("measure", panel.measure);
    params.set("transaction", panel.transaction);
  }
  return params;
}

/** Reads what a form or an address says of a panel. */
export async function readDraft(
  sql: Sql,
  projectId: string,
  params: URLSearchParams,
): Promise<PanelDraft> {
  const kind = PANEL_KINDS.find((each) => each === params.get("kind")) ?? "metrics";
  const view = PANEL_VIEWS.find((each) => each === params.get("view")) ?? "line";
  const usual = usualSize(kind, view);
  return {
    kind,
    title: fieldOf(params, "title"),
    w: within(params.get("w"), COLUMNS) ?? usual.w,
    h: within(params.get("h"), LIMITS.height) ?? usual.h,
    queryForm: kind === "metrics" ? await loadQueryForm(sql, projectId, params) : null,
    search: fieldOf(params, "search"),
    measure: MEASURES.find((each) => each === params.get("measure")) ?? "p95",
    transaction: fieldOf(params, "transaction"),
    markdown: (params.get("markdown") ?? "").replaceAll("\r\n", "\n"),
  };
}

/**
 * The panel that a draft describes.
 *
 * @param panels those of the dashboard
 * @param id of the panel; null for a new one
 * @returns the panel, or what is wrong by field
 */
export function panelOf(
  draft: PanelDraft,
  panels: readonly Panel[],
  id: string | null,
): { readonly panel: Panel } | { readonly errors: FormErrors } {
  const errors = errorsOf(draft);
  if (Object.keys(errors).length > 0) return { errors };
  const { w, h } = draft;
  const existing = panels.find((panel) => panel.id === id);
  const place = existing ? { ...existing.place, w, h } : freePlace(panels, { w, h });
  const x = Math.min(place.x, COLUMNS - w);
  const result = PanelSchema.safeParse({
    id: existing?.id ?? newPanelId(panels),
    kind: draft.kind,
    title: draft.title,
    place: { ...place, x },
    ...contentOf(draft),
  });
  return result.success
    ? { panel: result.data }
    : { errors: { "": problemsOf(result.error).join(" ") } };
}

function contentOf(draft: PanelDraft): Record<string, unknown> {
  const { kind, queryForm, search, measure, transaction, markdown } = draft;
  if (kind === "errors") return { search };
  if (kind === "transactions") return { measure, transaction };
  if (kind === "text") return { markdown };
  if (queryForm === null) return {};
  const { queries, formulas, hidden, stepMs, comparesPrevious } = queryForm;
  const view = PANEL_VIEWS.find((each) => each === queryForm.view) ?? "line";
  return { queries, formulas, hidden, view, stepMs, comparesPrevious };
}

function errorsOf({ kind, queryForm, search, markdown, title }: PanelDraft): FormErrors {
  const errors: Record<string, string> = {};
  if (title.length > LIMITS.title) {
    errors.title = `Titles have at most ${LIMITS.title} characters.`;
  }
  if (kind === "metrics") {
    for (const { field, message } of queryForm?.problems ?? []) errors[field] = message;
    if (queryForm?.queries.length === 0 && Object.keys(errors).length === 0) {
      errors[`${queryForm.drafts[0]?.id ?? "a"}.metric`] = "Choose a metric.";
    }
  }
  if (kind === "errors") {
    const { problems } = parseIssueSearch(search);
    const [problem] = problems;
    if (problem) errors.search = `${problem.part}: ${problem.reason}.`;
  }
  if (kind === "text" && markdown.trim() === "") errors.markdown = "Write something.";
  if (markdown.length > LIMITS.markdown) {
    errors.markdown = `Texts have at most ${LIMITS.markdown} characters.`;
  }
  return errors;
}

function within(text: string | null, most: number): number | null {
  const number = /^\d{1,3}$/.test(text ?? "") ? Number(text) : NaN;
  return number >= 1 && number <= most ? number : null;
}
