import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { AxisRow, GridLines } from "./axis.tsx";
import type { TraceModel, TraceNode } from "./trace_model.ts";
import { rowOf } from "./visible_rows.ts";
import type { WaterfallState } from "./waterfall_state.ts";
import { rowProps } from "./row_props.ts";
import { rowId, SpanRow } from "./span_row.tsx";
import { ROW_PX, rowsWindow, scrollToShow } from "./rows_window.ts";
import { addressOf } from "./span_address.ts";

/** Room that a label of the time axis takes, in pixels. */
const LABEL_PX = 90;

export interface LiveRowsProps {
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
export function LiveRows(props: LiveRowsProps) {
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
  }, [state.active]);

  const timeWidth = width < 640 ? width : width * 0.55;
  const axis = {
    view: state.view,
    labels: Math.max(2, Math.min(12, Math.floor(timeWidth / LABEL_PX))),
  };
  return (
    <div
      ref={box}
      role="treegrid"
      aria-label="Spans of the trace"
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
