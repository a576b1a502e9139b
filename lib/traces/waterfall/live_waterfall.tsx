import { t } from "../../core/language/translate.ts";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { spanProfiles, useSpanProfile } from "../span_profile.tsx";
import type { TraceSpanDetail } from "../trace_types.ts";
import { type CompactTrace, unpackTrace } from "./compact_trace.ts";
import { SpanPanel, type SpanReading } from "./span_panel.tsx";
import { colouring, rowId, rowProps, SpanRow } from "./span_row.tsx";
import { Toolbar } from "./toolbar.tsx";
import { type TraceModel, traceModel, type TraceNode } from "./trace_model.ts";
import { AxisRow, Brush, GridLines, Legend, Minimap } from "./waterfall_head.tsx";
import {
  close,
  firstState,
  open,
  pressed,
  rowOf,
  rowsOf,
  toggle,
  type WaterfallState,
  wholeView,
  zoomTo,
} from "./waterfall_state.ts";
import { spanDataPath, traceDataPath } from "../../ui/links.ts";
import { isTyping } from "../../ui/page_life.ts";

interface LiveWaterfallProps {
  readonly model: TraceModel;
  /** Attributes of the span that the address names, when they are read already. */
  readonly known: TraceSpanDetail | null;
  readonly projectId: string;
  /** Id of what the server drew in its place. */
  readonly staticId: string;
}

/** The waterfall that folds, searches, zooms and walks. Browser only. */
export function LiveWaterfall({ model, known, projectId, staticId }: LiveWaterfallProps) {
  const [state, setState] = useState(() =>
    firstState(model, openKeyIn(location.search), unfoldsGroupsIn(location.search))
  );
  // Keys come faster than renderings: what they act on is what was decided last, not what was drawn last.
  const latest = useRef(state);
  const box = useRef<HTMLDivElement>(null);
  const searchField = useRef<HTMLInputElement>(null);
  const rows = useMemo(
    () => rowsOf(model, state),
    [model, state.collapsed, state.found, state.showsOnlyFound],
  );
  const colourOf = useMemo(() => colouring(model, state.colourBy), [model, state.colourBy]);
  const opened = state.opened === null ? null : model.nodes[state.opened] ?? null;
  const [reading, retry] = useSpanReading(model.traceId, opened, known);
  const [firstProfile = null] = state.opened === null ? [] : spanProfiles(model, state.opened);
  const [profile, retryProfile] = useSpanProfile(firstProfile);

  const change = (next: WaterfallState) => {
    latest.current = next;
    setState(next);
  };
  const changeAndTell = (next: WaterfallState) => {
    change(next);
    writeAddress(next.opened === null ? null : model.nodes[next.opened]?.key ?? null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inSight = Math.floor((box.current?.clientHeight ?? 0) / ROW_PX) - 2;
    const next = pressed(event, model, latest.current, Math.max(1, inSight));
    if (next === null) return;
    event.preventDefault();
    changeAndTell(next);
  };
  const onClose = (event: Event) => {
    event.preventDefault();
    changeAndTell(close(latest.current));
    box.current?.focus({ preventScroll: true });
  };

  useLayoutEffect(() => document.getElementById(staticId)?.remove(), [staticId]);
  useEffect(() => {
    if (state.opened !== null && isPanelBelow()) box.current?.scrollIntoView({ block: "start" });
  }, [state.opened]);
  useEffect(() => {
    const onPopState = () => {
      const key = openKeyIn(location.search);
      const node = key === null ? undefined : model.byKey.get(key);
      change(node === undefined ? close(latest.current) : open(model, latest.current, node));
    };
    const onDocumentKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target)) return;
      if (event.key === "/") {
        event.preventDefault();
        searchField.current?.focus();
      } else if (["n", "N", "Escape"].includes(event.key)) onKeyDown(event);
    };
    globalThis.addEventListener("popstate", onPopState);
    document.addEventListener("keydown", onDocumentKey);
    return () => {
      globalThis.removeEventListener("popstate", onPopState);
      document.removeEventListener("keydown", onDocumentKey);
    };
  }, [model]);

  const legend = state.colourBy === "service" ? model.services : model.categories;
  return (
    <div>
      <Toolbar
        model={model}
        state={state}
        onChange={change}
        searchField={searchField}
        onLeaveSearch={() => box.current?.focus()}
      />
      <div class="trace-legend">
        <Legend entries={legend} label={t("Colours, with self time")} />
      </div>
      <Brush
        whole={wholeView(model)}
        view={state.view}
        onZoom={(view) => change(zoomTo(model, latest.current, view))}
      >
        <Minimap model={model} colourOf={colourOf} />
      </Brush>
      <div class="trace-layout" data-panel={opened === null ? undefined : ""}>
        <LiveRows
          {...{ model, state, rows, colourOf, box, onKeyDown }}
          onToggle={(node) => change({ ...toggle(model, latest.current, node), active: node })}
          onOpen={(node) => changeAndTell(open(model, latest.current, node))}
        />
        {state.opened !== null && (
          <SpanPanel
            key={state.opened}
            model={model}
            index={state.opened}
            reading={reading}
            profile={profile}
            projectId={projectId}
            closeHref={addressOf(null)}
            onClose={onClose}
            onRetry={retry}
            onRetryProfile={retryProfile}
          />
        )}
      </div>
    </div>
  );
}

/** Whether the panel of a span lies over the lower half of the window, as `trace.css` has it in small ones. */
function isPanelBelow(): boolean {
  return matchMedia("(max-width: 63.99rem)").matches;
}

/** Room that a label of the time axis takes, in pixels. */
const LABEL_PX = 90;

interface LiveRowsProps {
  readonly model: TraceModel;
  readonly state: WaterfallState;
  readonly rows: readonly number[];
  readonly colourOf: (node: TraceNode) => number;
  readonly box: RefObject<HTMLDivElement>;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onToggle: (node: number) => void;
  readonly onOpen: (node: number) => void;
}

/** The rows as a tree grid of which only what is in sight is in the document. */
function LiveRows(props: LiveRowsProps) {
  const { model, state, rows, colourOf, box, onKeyDown } = props;
  const { width, height } = useSize(box);
  const [scrollTop, setScrollTop] = useState(0);
  const { first, last } = rowsWindow(scrollTop, height, rows.length);
  const activeRow = rowOf(rows, state.active);
  const found = useMemo(() => new Set(state.found), [state.found]);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const wanted = scrollToShow(activeRow, element.scrollTop, element.clientHeight);
    if (wanted !== element.scrollTop) element.scrollTop = wanted;
    // A panel that opens below takes room from the rows.
  }, [state.active, state.opened]);

  const timeWidth = width < 640 ? width : width * 0.55;
  const axis = {
    view: state.view,
    labels: Math.max(2, Math.min(12, Math.floor(timeWidth / LABEL_PX))),
  };
  return (
    <div
      ref={box}
      role="treegrid"
      aria-label={t("Spans of the trace")}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={rowId(rows[activeRow] ?? 0)}
      tabindex={0}
      class="trace-rows trace-live"
      onKeyDown={onKeyDown}
      onClick={(event) => clicked(event, props)}
      onScroll={({ currentTarget }) => {
        const next = rowsWindow(currentTarget.scrollTop, height, rows.length);
        if (next.first !== first || next.last !== last) setScrollTop(currentTarget.scrollTop);
      }}
    >
      <AxisRow {...axis} />
      <div role="rowgroup" class="trace-body" style={{ height: `${rows.length * ROW_PX}px` }}>
        <GridLines {...axis} />
        <div
          role="presentation"
          class="trace-drawn"
          style={{ transform: `translateY(${first * ROW_PX}px)` }}
        >
          {rows.slice(first, last).map((index, place) => {
            const node = model.nodes[index];
            return node && (
              <SpanRow
                key={index}
                {...rowProps(model, state, index, node)}
                row={first + place}
                colour={colourOf(node)}
                isFound={found.has(index)}
                href={addressOf(node.key)}
                isLive
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

function clicked(event: MouseEvent, { onToggle, onOpen }: LiveRowsProps): void {
  if (!(event.target instanceof Element)) return;
  const index = event.target.closest<HTMLElement>("[data-node]")?.dataset.node;
  // With a modifier the link opens a tab or a window, as everywhere.
  if (index === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (event.target.closest("[data-toggle]")) onToggle(Number(index));
  else onOpen(Number(index));
}

function useSize(box: RefObject<HTMLDivElement>): { width: number; height: number } {
  const [size, setSize] = useState({ width: 1200, height: 800 });
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight })
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return size;
}

// Which rows stand in a scrolled box; all rows have one height.

/** In pixels; the head of the waterfall is as high, and stays in sight. */
export const ROW_PX = 24;
/** Rows drawn above and below what is in sight, so that scrolling never shows a gap. */
const SPARE_ROWS = 12;
/** The drawn part moves in steps, so that most frames of a scroll draw nothing new. */
const STEP_ROWS = 8;

interface RowsWindow {
  readonly first: number;
  /** Exclusive. */
  readonly last: number;
}

/** The rows to draw for a scroll position. */
export function rowsWindow(scrollTop: number, boxHeight: number, rows: number): RowsWindow {
  const top = Math.floor(Math.max(scrollTop, 0) / ROW_PX) - SPARE_ROWS;
  const first = Math.max(0, Math.floor(top / STEP_ROWS) * STEP_ROWS);
  const inSight = Math.ceil(boxHeight / ROW_PX);
  const last = Math.min(rows, first + inSight + 2 * SPARE_ROWS + STEP_ROWS);
  return { first: Math.min(first, Math.max(0, rows - inSight)), last };
}

/** Where to scroll so that a row is in sight below the head; far jumps put it in the middle. */
export function scrollToShow(row: number, scrollTop: number, boxHeight: number): number {
  const top = row * ROW_PX;
  const room = Math.max(boxHeight - ROW_PX, ROW_PX);
  if (top >= scrollTop && top + ROW_PX <= scrollTop + room) return scrollTop;
  const isNear = top > scrollTop - 2 * ROW_PX && top < scrollTop + room + ROW_PX;
  if (!isNear) return Math.max(0, top - Math.floor(room / 2));
  return top < scrollTop ? top : top + ROW_PX - room;
}

// Which span is open, and whether similar ones are unfolded, in the address of the page.

/** Key of the open node, or null. */
export function openKeyIn(search: string): string | null {
  return new URLSearchParams(search).get("span");
}

/** Whether similar siblings are shown one by one. */
function unfoldsGroupsIn(search: string): boolean {
  return new URLSearchParams(search).get("groups") === "open";
}

/** The page with the panel of a node open; null: with none. */
function addressOf(key: string | null): string {
  const query = new URLSearchParams(location.search);
  if (key === null) query.delete("span");
  else query.set("span", key);
  return query.size === 0 ? location.pathname : `${location.pathname}?${query}`;
}

/** Writes the open node into the address; going back closes what was opened. */
function writeAddress(key: string | null): void {
  const before = openKeyIn(location.search);
  if (before === key) return;
  const address = addressOf(key) + location.hash;
  if (before === null) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}

/**
 * Reads the attributes of the open span, each span once.
 *
 * @returns how far it has come, and a function that tries again
 */
function useSpanReading(
  traceId: string,
  node: TraceNode | null,
  known: TraceSpanDetail | null,
): [reading: SpanReading, retry: () => void] {
  const details = useRef(new Map(known ? [[known.spanId, known]] : []));
  const [failedKey, setFailedKey] = useState<string | null>(null);
  const [, setRound] = useState(0);
  const span = node?.kind === "span" ? node.span : null;
  const [spanId, projectId] = [span?.spanId ?? null, span?.projectId ?? ""];
  const detail = spanId === null ? undefined : details.current.get(spanId);

  useEffect(() => {
    if (spanId === null || details.current.has(spanId) || failedKey === spanId) return;
    let isWanted = true;
    loadSpan(projectId, traceId, spanId).then(
      (read) => {
        details.current.set(spanId, read);
        if (isWanted) setRound((round) => round + 1);
      },
      () => {
        if (isWanted) setFailedKey(spanId);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [spanId, failedKey, projectId, traceId]);

  const retry = () => setFailedKey(null);
  if (spanId === null) return [{ kind: "none" }, retry];
  if (detail) return [{ kind: "read", detail }, retry];
  return [{ kind: failedKey === spanId ? "failed" : "loading" }, retry];
}

// What the waterfall's script reads from the server.

/**
 * Makes the model of a trace from what came with the page, or else from the server.
 *
 * @param packed the packed trace as JSON, or null
 * @throws {Error} when the server does not answer with a trace
 */
export async function loadModel(
  projectId: string,
  traceId: string,
  packed: string | null,
): Promise<TraceModel> {
  const trace = packed === null
    ? await readJson(traceDataPath(projectId, traceId))
    : JSON.parse(packed);
  return traceModel(unpackTrace(trace as CompactTrace));
}

/** @throws {Error} when the server does not answer with a span */
export async function loadSpan(
  projectId: string,
  traceId: string,
  spanId: string,
): Promise<TraceSpanDetail> {
  return await readJson(spanDataPath(projectId, traceId, spanId)) as TraceSpanDetail;
}

async function readJson(path: string): Promise<unknown> {
  const response = await fetch(path);
  // Somebody whose session has ended is sent to the sign-in page, which is no JSON.
  if (!response.ok || response.redirected) throw new Error(`Cannot read ${path}`);
  return await response.json();
}
