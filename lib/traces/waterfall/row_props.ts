import { marksBetween } from "./marks.ts";
import { coveredByChildren } from "./placement.ts";
import { failedWithin, type TraceModel, type TraceNode } from "./trace_model.ts";
import type { ColourBy, WaterfallState } from "./waterfall_state.ts";
import type { SpanRowProps } from "./span_row.tsx";

const GREY = 8;

/** Which colour a node's bar has, from 1 to 8. */
export function colouring(model: TraceModel, by: ColourBy): (node: TraceNode) => number {
  const entries = by === "service" ? model.services : model.categories;
  const colours = new Map(entries.map(({ id, colour }) => [id, colour]));
  return ({ span }) => span ? colours.get(span[by]) ?? GREY : GREY;
}

/** What the row of the node at `index` shows, apart from where it leads. */
export function rowProps(
  model: TraceModel,
  state: WaterfallState,
  index: number,
  node: TraceNode,
): Omit<SpanRowProps, "row" | "colour" | "href" | "isFound"> {
  const isCollapsed = state.collapsed.has(index) && node.children > 0;
  const isFailed = node.kind === "span" && node.span?.isFailed === true;
  const parent = model.nodes[node.parent];
  const isElsewhere = node.span !== null && parent?.span?.projectId !== node.span.projectId &&
    model.projects.size > 1;
  const project = isElsewhere && node.span !== null
    ? model.projects.get(node.span.projectId)?.name ?? null
    : null;
  return {
    node,
    index,
    view: state.view,
    pieces: node.kind === "group" ? coveredByChildren(model, index, state.view) : [],
    marks: marksBetween(model.marks, index, index + (isCollapsed ? node.size : 1)),
    failedInside: isCollapsed ? failedWithin(model, index) - (isFailed ? 1 : 0) : 0,
    isCollapsed,
    isActive: state.active === index,
    isOpened: state.opened === index,
    project,
    // One of them is enough: the name of the span must have room.
    namesService: project === null && node.span !== null &&
      parent?.span?.service !== node.span.service &&
      model.services.length > 1,
    showsCriticalPath: state.showsCriticalPath,
  };
}
