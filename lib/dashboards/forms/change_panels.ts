/** What the buttons at panels do. */
import { type DashboardContent, newPanelId, type Panel } from "../content.ts";
import { checkContent } from "../document.ts";
import { freePlace, movePanel, MOVES, resizePanel, RESIZES } from "../layout.ts";
import { InvalidInput } from "../../core/invalid_input.ts";
import { panelTitle } from "../panels/panel_title.ts";

export interface PanelChange {
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
    return change(rest, `Removed “${panelTitle(panel)}”.`, null);
  }
  if (action !== "duplicate-panel") return null;
  const copy = { ...panel, id: newPanelId(panels), place: freePlace(panels, panel.place) };
  return change([...panels, copy], `Duplicated “${panelTitle(panel)}”.`, copy.id);
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
    throw new InvalidInput("layout", "This is no layout.");
  }
}
