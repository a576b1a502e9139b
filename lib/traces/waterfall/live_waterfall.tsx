import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { TraceSpanDetail } from "../trace_types.ts";
import { spanProfiles } from "../span_profiles.ts";
import { useSpanProfile } from "../use_span_profile.ts";
import { Legend } from "./legend.tsx";
import { Minimap } from "./minimap.tsx";
import type { TraceModel } from "./trace_model.ts";
import {
  close,
  firstState,
  open,
  rowsOf,
  toggle,
  type WaterfallState,
  wholeView,
  zoomTo,
} from "./waterfall_state.ts";
import { colouring } from "./row_props.ts";
import { SpanPanel } from "./span_panel.tsx";
import { Brush } from "./brush.tsx";
import { pressed } from "./keys.ts";
import { LiveRows } from "./live_rows.tsx";
import { ROW_PX } from "./rows_window.ts";
import { addressOf, openKeyIn, unfoldsGroupsIn, writeAddress } from "./span_address.ts";
import { Toolbar } from "./toolbar.tsx";
import { useSpanReading } from "./use_span_reading.ts";

export interface LiveWaterfallProps {
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
        <Legend entries={legend} label="Colours, with self time" />
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

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox])"));
}
