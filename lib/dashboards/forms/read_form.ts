/** What the forms of a dashboard say: a panel, a change of the panels, settings. */
import { t } from "../../core/language/translate.ts";
import { InvalidInput } from "../../core/errors.ts";
import { parseIssueSearch } from "../../errors/mod.ts";
import { explorationParams, loadQueryForm, type QueryForm } from "../../metrics/mod.ts";
import type { Sql } from "../../store/database.ts";
import type { FormErrors } from "../../ui/components/fields.tsx";
import { fieldOf } from "../../ui/form.ts";
import {
  COLUMNS,
  type DashboardContent,
  LIMITS,
  type Measure,
  MEASURES,
  newPanelId,
  type Panel,
  PANEL_KINDS,
  PANEL_VIEWS,
  type PanelKind,
  usualSize,
  type Variable,
} from "../content.ts";
import {
  checkContent,
  checkDashboardName,
  type NamedContent,
  PanelSchema,
  problemsOf,
} from "../document.ts";
import { freePlace, movePanel, MOVES, resizePanel, RESIZES } from "../layout.ts";
import { panelTitle } from "../panels/panel_data.ts";

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
    errors.title = t("Titles have at most {most} characters.", { most: LIMITS.title });
  }
  if (kind === "metrics") {
    for (const { field, message } of queryForm?.problems ?? []) errors[field] = message;
    if (queryForm?.queries.length === 0 && Object.keys(errors).length === 0) {
      errors[`${queryForm.drafts[0]?.id ?? "a"}.metric`] = t("Choose a metric.");
    }
  }
  if (kind === "errors") {
    const { problems } = parseIssueSearch(search);
    const [problem] = problems;
    if (problem) errors.search = `${problem.part}: ${problem.reason}.`;
  }
  if (kind === "text" && markdown.trim() === "") errors.markdown = t("Write something.");
  if (markdown.length > LIMITS.markdown) {
    errors.markdown = t("Texts have at most {most} characters.", { most: LIMITS.markdown });
  }
  return errors;
}

function within(text: string | null, most: number): number | null {
  const number = /^\d{1,3}$/.test(text ?? "") ? Number(text) : NaN;
  return number >= 1 && number <= most ? number : null;
}

interface PanelChange {
  readonly content: DashboardContent;
  /** What was done, where the page does not show it by itself. */
  readonly said: string | null;
  /** The panel to return to; null when it is gone. */
  readonly panelId: string | null;
}

/**
 * Does what a button at a panel says: `move:left`, `size:wider`, `duplicate-panel`, `remove-panel`.
 *
 * @returns null when there is no such panel or button
 * @throws {InvalidInput} when the dashboard would become too large
 */
export function changePanel(
  content: DashboardContent,
  panelId: string,
  action: string,
): PanelChange | null {
  const { panels } = content;
  const panel = panels.find(({ id }) => id === panelId);
  if (panel === undefined) return null;
  const change = (changed: readonly Panel[], said: string | null, id: string | null) => ({
    content: checkContent({ ...content, panels: changed }),
    said,
    panelId: id,
  });
  const [verb, way] = action.split(":");
  const move = MOVES.find((each) => verb === "move" && each === way);
  if (move !== undefined) return change(movePanel(panels, panelId, move), null, panelId);
  const size = RESIZES.find((each) => verb === "size" && each === way);
  if (size !== undefined) return change(resizePanel(panels, panelId, size), null, panelId);
  if (action === "remove-panel") {
    const rest = panels.filter(({ id }) => id !== panelId);
    return change(rest, t("Removed “{panel}”.", { panel: panelTitle(panel) }), null);
  }
  if (action !== "duplicate-panel") return null;
  const copy = { ...panel, id: newPanelId(panels), place: freePlace(panels, panel.place) };
  return change(
    [...panels, copy],
    t("Duplicated “{panel}”.", { panel: panelTitle(panel) }),
    copy.id,
  );
}

/** The content with a panel put in place of its older self, or added. */
export function withPanel(content: DashboardContent, panel: Panel): DashboardContent {
  const isThere = content.panels.some(({ id }) => id === panel.id);
  const panels = isThere
    ? content.panels.map((each) => each.id === panel.id ? panel : each)
    : [...content.panels, panel];
  return checkContent({ ...content, panels });
}

/**
 * The content with its panels where a layout puts them; panels that it does not name stay where they are.
 *
 * @throws {InvalidInput} when it is no layout
 */
export function withLayout(content: DashboardContent, layout: string): DashboardContent {
  const placed = readLayout(layout);
  return checkContent({
    ...content,
    panels: content.panels.map((panel) => ({
      ...panel,
      place: placed.get(panel.id) ?? panel.place,
    })),
  });
}

function readLayout(text: string): Map<string, Panel["place"]> {
  try {
    const panels: { id: string; place: Panel["place"] }[] = JSON.parse(text);
    return new Map(panels.map(({ id, place: { x, y, w, h } }) => [id, { x, y, w, h }]));
  } catch {
    throw new InvalidInput("layout", t("This is no layout."));
  }
}

/** What the settings form says, as it is to be shown again. */
export interface EnteredSettings {
  readonly name: string;
  readonly description: string;
  readonly variables: readonly Variable[];
}

/** Reads the settings form; variables without a label are none. */
export function readSettings(form: URLSearchParams): EnteredSettings {
  const variables = Array.from({ length: LIMITS.variables }, (_, index) => ({
    label: fieldOf(form, `label${index}`),
    value: fieldOf(form, `value${index}`),
  })).filter(({ label }) => label !== "");
  return { name: fieldOf(form, "name"), description: fieldOf(form, "description"), variables };
}

/** The dashboard with its new settings. @throws {InvalidInput} naming the field */
export function withSettings(entered: EnteredSettings, content: DashboardContent): NamedContent {
  const { description, variables } = entered;
  if (description.length > LIMITS.description) {
    throw new InvalidInput(
      "description",
      t("Descriptions have at most {most} characters.", { most: LIMITS.description }),
    );
  }
  const again = variables.findIndex(({ label }, index) =>
    variables.slice(0, index).some((earlier) => earlier.label === label)
  );
  if (again !== -1) {
    throw new InvalidInput(`label${again}`, t("There is a variable of this label already."));
  }
  return {
    name: checkDashboardName(entered.name),
    content: checkContent({ ...content, description, variables }),
  };
}
