/** A dashboard in the browser: moving and sizing panels with a pointer, saving where they stand, loading anew. */
import { t } from "../core/language/translate.ts";
import { canAnswer } from "../ui/page_again.ts";
import { COLUMNS, type Place } from "./content.ts";
import { type Placed, placePanel } from "./layout.ts";

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
function show(grid: HTMLElement, panels: readonly Placed[]): void {
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

/** Where columns and rows of a grid are on the screen. */
const ROW = 40;

interface GridGeometry {
  /** The column whose start is nearest to a place right of the grid's edge, in px; 0 to 12. */
  readonly columnAt: (px: number) => number;
  /** The row whose start is nearest to a place below the grid's edge, in px. */
  readonly rowAt: (px: number) => number;
}

/**
 * Geometry from the used sizes of a grid: rows grow with what is in them.
 *
 * @param width of the grid in px
 * @param rows heights of its rows in px
 */
export function gridGeometry(width: number, rows: readonly number[]): GridGeometry {
  const pitch = (width + GAP) / COLUMNS;
  const starts = [0];
  for (const height of rows) starts.push((starts.at(-1) ?? 0) + height + GAP);
  const end = starts.at(-1) ?? 0;
  return {
    columnAt: (px) => Math.min(COLUMNS, Math.max(0, Math.round(px / pitch))),
    rowAt(px) {
      if (px >= end) return starts.length - 1 + Math.round((px - end) / (ROW + GAP));
      return nearest(starts, px);
    },
  };
}

/** Measures a grid as it is drawn. */
function measureGrid(grid: HTMLElement): GridGeometry {
  const rows = getComputedStyle(grid).gridTemplateRows.split(" ").map(Number.parseFloat);
  return gridGeometry(grid.clientWidth, rows.filter(Number.isFinite));
}

function nearest(starts: readonly number[], px: number): number {
  let best = 0;
  for (const [index, start] of starts.entries()) {
    if (Math.abs(start - px) < Math.abs((starts[best] ?? 0) - px)) best = index;
  }
  return best;
}

/** What became of it; `version` is that of the dashboard as it is now. */
export interface LayoutAnswer {
  readonly isSaved: boolean;
  /** Null when nobody could tell. */
  readonly version: number | null;
  /** What to say. */
  readonly sentence: string;
}

function noResponse(): LayoutAnswer {
  const sentence = t("The layout could not be saved: the service did not respond.");
  return { isSaved: false, version: null, sentence };
}

/** Saves a layout unless somebody changed the dashboard in the meantime. Never throws. */
export async function saveLayout(
  path: string,
  version: number,
  panels: readonly Placed[],
): Promise<LayoutAnswer> {
  const layout = JSON.stringify(panels.map(({ id, place }) => ({ id, place })));
  try {
    const response = await fetch(path, {
      method: "POST",
      body: new URLSearchParams({ version: String(version), layout }),
      redirect: "error",
    });
    const answer: unknown = await response.json();
    return isAnswer(answer) ? answer : noResponse();
  } catch {
    return noResponse();
  }
}

function isAnswer(value: unknown): value is LayoutAnswer {
  return typeof value === "object" && value !== null && "isSaved" in value && "version" in value &&
    "sentence" in value;
}

/** How often it is looked whether the time has come, and again after nobody answered. */
const LOOK_MS = 1_000;
const AGAIN_MS = 5_000;

/**
 * Loads the page anew whenever so much time has passed, at the place where it is scrolled to. It waits while the page is
 * out of sight, while somebody has a menu open or is in a field, and while the service is away: what is shown would give
 * way to the browser's error, from which nothing comes back.
 *
 * @param onAway is told when the service is found away
 * @returns stops it
 */
export function refreshEvery(intervalMs: number, onAway: () => void): () => void {
  let due = Date.now() + intervalMs;
  const end = new AbortController();
  const look = async () => {
    if (Date.now() < due || document.hidden || isBusy()) return;
    due = Date.now() + AGAIN_MS;
    if (await canAnswer("/readyz", { signal: end.signal })) location.reload();
    else if (!end.signal.aborted) onAway();
  };
  const timer = setInterval(look, LOOK_MS);
  document.addEventListener("visibilitychange", look, { signal: end.signal });
  return () => {
    clearInterval(timer);
    end.abort();
  };
}

function isBusy(): boolean {
  return document.querySelector("details[data-menu][open]") !== null ||
    document.activeElement?.matches("input, select, textarea") === true;
}
