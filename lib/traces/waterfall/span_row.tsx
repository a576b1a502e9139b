import { t } from "../../core/language/translate.ts";
import { classes, Icon } from "../../ui/components/icon.tsx";
import { formatDuration } from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import type { Interval } from "../trace_types.ts";
import { type Mark, marksBetween } from "./marks.ts";
import {
  coveredByChildren,
  failedWithin,
  percentOf,
  type TraceModel,
  type TraceNode,
} from "./trace_model.ts";
import type { ColourBy, WaterfallState } from "./waterfall_state.ts";

/** Nested deeper than that, rows move no further to the right: their names would be out of sight. */
const MAX_INDENTS = 16;
const INDENT = 12;
const ROW_HEIGHT = 24;
/** What stands for the operation where nobody told one. */
const NO_OP = "default";
/** Characters of a title that a row could ever show. */
const MAX_TITLE = 160;

interface SpanRowProps {
  readonly node: TraceNode;
  /** Place of the row among all of them, from 0. */
  readonly row: number;
  /** Makes the row's id; unique on the page. */
  readonly index: number;
  readonly view: Interval;
  /** 1 to 8. */
  readonly colour: number;
  readonly pieces: readonly Interval[];
  /** Its own, and those of what is folded away in it. */
  readonly marks: readonly Mark[];
  /** Failed spans folded away in it. */
  readonly failedInside: number;
  readonly isCollapsed: boolean;
  readonly isActive: boolean;
  readonly isOpened: boolean;
  readonly isFound: boolean;
  /** Named when it is another one than the parent's. */
  readonly project: string | null;
  /** The service is another one than the parent's, and is named, unless the project is. */
  readonly namesService: boolean;
  readonly showsCriticalPath: boolean;
  /** Where the row leads without script; null for what has no page. */
  readonly href: string | null;
  /** With script the keyboard walks rows instead of links. @default false */
  readonly isLive?: boolean;
}

/** One row of the waterfall: name, time, duration. */
export function SpanRow(props: SpanRowProps) {
  const { node, row, index, colour, isCollapsed, isOpened, isActive, isFound } = props;
  const { view, pieces, marks, showsCriticalPath } = props;
  return (
    <div
      role="row"
      id={rowId(index)}
      data-node={index}
      aria-rowindex={row + 2}
      aria-level={node.depth + 1}
      aria-expanded={node.children > 0 ? !isCollapsed : undefined}
      aria-selected={props.isLive ? isOpened : undefined}
      class={classes(
        "trace-row",
        `trace-c${colour}`,
        isFound && "trace-found",
        isActive && "trace-active",
        isOpened && "trace-opened",
      )}
    >
      <NameCell {...props} />
      <div role="gridcell" class="trace-time">
        <RowTimeline {...{ node, view, pieces, marks, showsCriticalPath }} />
        <span class="sr-only">{t("from {time}", { time: formatDuration(node.start) })}</span>
      </div>
      <div role="gridcell" class="trace-duration" title={durationTitle(node)}>
        {node.kind === "group" && <span aria-hidden="true">Σ&thinsp;</span>}
        {formatDuration(node.durationMs)}
      </div>
    </div>
  );
}

/** Id of the row of the node at an index. */
export function rowId(index: number): string {
  return `trace-row-${index}`;
}

function NameCell({ node, isCollapsed, href, isLive, ...props }: SpanRowProps) {
  const errors = props.marks.filter(({ kind }) => kind === "error").length;
  const profiles = props.marks.filter(({ kind }) => kind === "profile").length;
  const hasFailed = node.kind === "span" && node.span?.isFailed === true;
  return (
    <div role="gridcell" class="trace-name">
      <Guides depth={node.depth} />
      {node.children === 0
        ? <span class="trace-toggle" />
        : (
          <span class="trace-toggle" data-toggle={isLive ? "" : undefined} aria-hidden="true">
            <Icon name={isCollapsed ? "chevron-right" : "chevron-down"} size={12} />
          </span>
        )}
      <span class="trace-dot" />
      {hasFailed && <Icon name="error" size={12} class="text-danger" />}
      {hasFailed && <span class="sr-only">{t("failed")}</span>}
      {props.project !== null && <span class="trace-service">{visible(props.project)}</span>}
      {props.namesService && node.span && (
        <span class="trace-service">{visible(node.span.service) || t("unnamed")}</span>
      )}
      <Title node={node} href={href} isLive={isLive ?? false} />
      {props.failedInside > 0 && (
        <span class="trace-count text-danger">{t("{n} failed", { n: props.failedInside })}</span>
      )}
      {profiles > 0 && <span class="trace-count text-muted">{t("profile")}</span>}
      {errors > 0 && (
        <span class="trace-count text-danger">{t("{n} error|{n} errors", { n: errors })}</span>
      )}
    </div>
  );
}

interface TitleProps {
  readonly node: TraceNode;
  readonly href: string | null;
  readonly isLive: boolean;
}

function Title({ node, href, isLive }: TitleProps) {
  const { kind, span } = node;
  const op = span?.op ?? "";
  const text = visible(node.label).slice(0, MAX_TITLE).trim() || op || t("unnamed span");
  const content = (
    <>
      {op !== NO_OP && op !== "" && op !== text && <span class="trace-op">{visible(op)}</span>}
      <bdi class={kind === "missing" ? "italic text-muted" : undefined}>{text}</bdi>
    </>
  );
  const look = classes("trace-title", span?.isEntry && kind === "span" && "font-medium");
  if (href === null) return <span class={look}>{content}</span>;
  return <a class={look} href={href} tabindex={isLive ? -1 : undefined}>{content}</a>;
}

function Guides({ depth }: { readonly depth: number }) {
  if (depth === 0) return null;
  const shown = Math.min(depth, MAX_INDENTS);
  const lines = Array.from({ length: shown }, (_, at) => `M${at * INDENT + 6.5} 0V${ROW_HEIGHT}`);
  return (
    <>
      <svg class="trace-guides" width={shown * INDENT} height={ROW_HEIGHT} aria-hidden="true">
        <path d={lines.join("")} />
      </svg>
      {depth > MAX_INDENTS && <span class="trace-depth">{`+${depth - MAX_INDENTS}`}</span>}
    </>
  );
}

function durationTitle({ kind, durationMs, selfMs, children }: TraceNode): string {
  const duration = formatDuration(durationMs);
  if (kind === "group") {
    return t("{n} span, {duration} together|{n} spans, {duration} together", {
      n: children,
      duration,
    });
  }
  if (kind === "missing") return t("As far as its children reach");
  return t("{duration}, of it {self} self time", { duration, self: formatDuration(selfMs) });
}

/** Of marks so close that nobody could tell them apart, a row shows so many of a kind. */
const MAX_MARKS = 30;

interface RowTimelineProps {
  readonly node: TraceNode;
  /** The shown time, in milliseconds since the start of the trace. */
  readonly view: Interval;
  /** Stretches that a group's spans cover. */
  readonly pieces: readonly Interval[];
  readonly marks: readonly Mark[];
  readonly showsCriticalPath: boolean;
}

/** When a span ran, and what happened meanwhile. Its row says the same in words. */
function RowTimeline({ node, view, pieces, marks, showsCriticalPath }: RowTimelineProps) {
  const bars = node.kind === "group" ? pieces : [node];
  return (
    <svg class="trace-bars" aria-hidden="true">
      {node.kind === "group" && <Bar at={node} view={view} class="trace-hull" />}
      {bars.map((bar) => (
        <Bar
          key={bar.start}
          at={bar}
          view={view}
          class={node.kind === "missing"
            ? "trace-missing"
            : node.span?.isFailed && node.kind === "span"
            ? "trace-bar trace-failed"
            : "trace-bar"}
        />
      ))}
      {showsCriticalPath &&
        node.critical.map((part) => (
          <Bar key={`c${part.start}`} at={part} view={view} class="trace-critical" />
        ))}
      <Marks marks={marks} view={view} />
    </svg>
  );
}

function Bar({ at, view, class: name }: {
  readonly at: Interval;
  readonly view: Interval;
  readonly class: string;
}) {
  if (at.end < view.start || at.start > view.end) return null;
  const x = percentOf(at.start, view);
  const width = Math.max(0, Math.round((percentOf(at.end, view) - x) * 100) / 100);
  const isThin = name === "trace-critical";
  return (
    <>
      <rect
        class={name}
        x={`${x}%`}
        y={isThin ? "43%" : "25%"}
        width={`${width}%`}
        height={isThin ? "14%" : "50%"}
      />
      {!isThin && width < 0.2 && (
        <line class={`${name} trace-hair`} x1={`${x}%`} x2={`${x}%`} y1="25%" y2="75%" />
      )}
    </>
  );
}

const SHAPES: Readonly<Record<Mark["kind"], string>> = {
  error: "M-5.5 0L0-5.5 5.5 0 0 5.5z",
  log: "M-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0z",
  profile: "M-4-4h8v8h-8z",
};

function Marks({ marks, view }: { readonly marks: readonly Mark[]; readonly view: Interval }) {
  const shown = (["log", "profile", "error"] as const).flatMap((kind) =>
    marks.filter((mark) => mark.kind === kind && mark.time >= view.start && mark.time <= view.end)
      .slice(0, MAX_MARKS)
  );
  return (
    <>
      {shown.map((mark, index) => (
        <svg key={index} class={classOf(mark)} x={`${percentOf(mark.time, view)}%`} y="50%">
          <title>{`${mark.kind === "profile" ? "profile" : mark.level}: ${mark.title}`}</title>
          <path d={SHAPES[mark.kind]} />
        </svg>
      ))}
    </>
  );
}

function classOf(mark: Mark): string {
  const isLoud = mark.kind === "log" && (mark.level === "error" || mark.level === "fatal");
  return `trace-mark trace-mark-${mark.kind}${isLoud ? " trace-mark-loud" : ""}`;
}

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
