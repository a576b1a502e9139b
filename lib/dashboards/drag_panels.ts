/** Moving panels by their heads and sizing them by their corners, with a pointer. */
import type { Place } from "./content.ts";
import { type Placed, placePanel } from "./layout.ts";
import { type GridGeometry, measureGrid } from "./grid_geometry.ts";

/** The grid has its columns from here on, as in `dashboards.css`. */
const WIDE = "(min-width: 64rem)";
/** Between panels, in px. */
const GAP = 12;

interface Hold {
  readonly panel: Placed;
  readonly before: readonly Placed[];
  readonly isResize: boolean;
  readonly geometry: GridGeometry;
  /** Of the cell within the grid when it was taken, in px. */
  readonly box: { left: number; top: number; right: number; bottom: number };
  /** Where the pointer was. */
  readonly from: { x: number; y: number };
}

/**
 * Makes the panels of a grid movable.
 *
 * @param current where they stand now
 * @param onDrop is told where they stand when one was let go somewhere else
 * @returns stops it
 */
export function dragPanels(
  grid: HTMLElement,
  current: () => readonly Placed[],
  onDrop: (panels: readonly Placed[]) => void,
): () => void {
  const end = new AbortController();
  const { signal } = end;
  let hold: Hold | null = null;
  let shown: readonly Placed[] = [];

  const letGo = (isKept: boolean) => {
    if (hold === null) return;
    const { panel, before } = hold;
    hold = null;
    cellOf(grid, panel.id)?.classList.remove("dash-held");
    if (!isKept) show(grid, before);
    else if (JSON.stringify(shown) !== JSON.stringify(before)) onDrop(shown);
  };
  grid.addEventListener("pointerdown", (event) => {
    hold = take(grid, event, current());
    if (hold === null) return;
    event.preventDefault();
    shown = hold.before;
    grid.setPointerCapture(event.pointerId);
    cellOf(grid, hold.panel.id)?.classList.add("dash-held");
  }, { signal });
  grid.addEventListener("pointermove", (event) => {
    if (hold === null) return;
    shown = placePanel(hold.before, hold.panel.id, placeUnder(hold, event));
    show(grid, shown);
  }, { signal });
  grid.addEventListener("pointerup", () => letGo(true), { signal });
  grid.addEventListener("pointercancel", () => letGo(false), { signal });
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") letGo(false);
  }, { signal });
  return () => end.abort();
}

/** Draws panels where they stand. */
export function show(grid: HTMLElement, panels: readonly Placed[]): void {
  for (const { id, place } of panels) {
    const cell = cellOf(grid, id);
    for (const [name, value] of Object.entries(place)) {
      cell?.style.setProperty(`--${name}`, String(value));
    }
  }
}

function take(grid: HTMLElement, event: PointerEvent, before: readonly Placed[]): Hold | null {
  const { target } = event;
  if (!(target instanceof Element) || event.button !== 0 || !matchMedia(WIDE).matches) return null;
  if (target.closest("a, button, input") !== null) return null;
  const corner = target.closest<HTMLElement>("[data-dash-corner]");
  const handle = target.closest<HTMLElement>("[data-dash-handle]");
  const id = corner?.dataset.dashCorner ?? handle?.dataset.dashHandle;
  const panel = before.find((each) => each.id === id);
  const cell = panel && cellOf(grid, panel.id);
  if (panel === undefined || !cell) return null;
  const outer = grid.getBoundingClientRect();
  const { left, top, right, bottom } = cell.getBoundingClientRect();
  return {
    panel,
    before,
    isResize: corner !== null,
    geometry: measureGrid(grid),
    box: {
      left: left - outer.left,
      top: top - outer.top,
      right: right - outer.left,
      bottom: bottom - outer.top,
    },
    from: { x: event.pageX, y: event.pageY },
  };
}

function placeUnder({ panel, isResize, geometry, box, from }: Hold, event: PointerEvent): Place {
  const { place } = panel;
  const x = event.pageX - from.x;
  const y = event.pageY - from.y;
  if (!isResize) {
    return { ...place, x: geometry.columnAt(box.left + x), y: geometry.rowAt(box.top + y) };
  }
  return {
    ...place,
    w: Math.max(1, geometry.columnAt(box.right + GAP + x) - place.x),
    h: Math.max(1, geometry.rowAt(box.bottom + GAP + y) - place.y),
  };
}

function cellOf(grid: HTMLElement, id: string): HTMLElement | null {
  return grid.querySelector<HTMLElement>(`[data-dash-cell="${CSS.escape(id)}"]`);
}
