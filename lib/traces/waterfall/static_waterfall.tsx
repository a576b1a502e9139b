import { t } from "../../core/language/translate.ts";
import { AxisRow, GridLines, Legend, Minimap } from "./waterfall_head.tsx";
import type { TraceModel } from "./trace_model.ts";
import { firstState, rowsOf } from "./waterfall_state.ts";
import type { ProfileReading } from "../span_profile.tsx";
import { colouring, rowProps, SpanRow } from "./span_row.tsx";
import { SpanPanel, type SpanReading } from "./span_panel.tsx";

/** Rows that the server draws; the rest is the script's. */
export const STATIC_ROWS = 300;
/** By how many labels the axis is cut without knowing the window. */
export const AXIS_LABELS = 6;

export interface StaticWaterfallProps {
  readonly model: TraceModel;
  readonly projectId: string;
  /** Key of the node whose panel is open, and its attributes. */
  readonly openKey: string | null;
  readonly reading: SpanReading;
  readonly profile: ProfileReading;
  /** Similar siblings stand one by one. */
  readonly unfoldsGroups: boolean;
  /** The page with the panel of a node open (null: with none), or with groups unfolded. */
  readonly hrefOf: (openKey: string | null, unfoldsGroups?: boolean) => string;
}

/** The waterfall as the server draws it: complete in meaning without script, replaced by one that can more. */
export function StaticWaterfall(props: StaticWaterfallProps) {
  const { model, openKey, reading, unfoldsGroups, hrefOf, projectId } = props;
  const state = firstState(model, openKey, unfoldsGroups);
  const rows = rowsOf(model, state);
  const colourOf = colouring(model, "service");
  const axis = { view: state.view, labels: AXIS_LABELS };
  const groups = model.nodes.filter(({ kind }) => kind === "group").length;
  return (
    <>
      <div class="trace-toolbar">
        {groups > 0 && (
          <a class="link text-sm" href={hrefOf(openKey, !unfoldsGroups)}>
            {unfoldsGroups ? t("Fold similar spans") : t("Unfold similar spans")}
          </a>
        )}
      </div>
      <div class="trace-legend">
        <Legend entries={model.services} label={t("Colours, with self time")} />
      </div>
      <div class="trace-minimap">
        <Minimap model={model} colourOf={colourOf} />
      </div>
      <div class="trace-layout" data-panel={state.opened === null ? undefined : ""}>
        <div
          role="treegrid"
          aria-label={t("Spans of the trace")}
          aria-rowcount={rows.length + 1}
          tabindex={0}
          class="trace-rows"
        >
          <AxisRow {...axis} />
          <div role="rowgroup" class="trace-body">
            <GridLines {...axis} />
            {rows.slice(0, STATIC_ROWS).map((index, row) => {
              const node = model.nodes[index];
              return node && (
                <SpanRow
                  key={index}
                  {...rowProps(model, state, index, node)}
                  isActive={false}
                  row={row}
                  colour={colourOf(node)}
                  isFound={false}
                  href={hrefOf(node.key)}
                />
              );
            })}
          </div>
          {rows.length > STATIC_ROWS && (
            <p class="px-3 py-2 text-sm text-muted">
              {t("The first {shown} of {total} rows; the others come with the page's script.", {
                shown: STATIC_ROWS,
                total: rows.length,
              })}
            </p>
          )}
        </div>
        {state.opened !== null && (
          <SpanPanel
            model={model}
            index={state.opened}
            reading={reading}
            profile={props.profile}
            projectId={projectId}
            closeHref={hrefOf(null)}
          />
        )}
      </div>
    </>
  );
}
