import { classes } from "../../ui/components/class_names.ts";
import { Icon } from "../../ui/components/icon.tsx";
import { visible } from "../../ui/read.ts";
import { formatDuration, formatExactOf } from "../../ui/format.ts";
import type { Mark } from "./marks.ts";
import type { TraceNode } from "./trace_model.ts";
import type { Interval } from "../waterfall_data.ts";
import { RowTimeline } from "./row_timeline.tsx";

/** Nested deeper than that, rows move no further to the right: their names would be out of sight. */
const MAX_INDENTS = 16;
const INDENT = 12;
const ROW_HEIGHT = 24;
/** What stands for the operation where nobody told one. */
const NO_OP = "default";
/** Characters of a title that a row could ever show. */
const MAX_TITLE = 160;

export interface SpanRowProps {
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
        <span class="sr-only">{`from ${formatDuration(node.start)}`}</span>
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
      {hasFailed && <span class="sr-only">failed</span>}
      {props.project !== null && <span class="trace-service">{visible(props.project)}</span>}
      {props.namesService && node.span && (
        <span class="trace-service">{visible(node.span.service) || "unnamed"}</span>
      )}
      <Title node={node} href={href} isLive={isLive ?? false} />
      {props.failedInside > 0 && (
        <span class="trace-count text-danger">{`${props.failedInside} failed`}</span>
      )}
      {profiles > 0 && <span class="trace-count text-muted">profile</span>}
      {errors > 0 && <span class="trace-count text-danger">{formatExactOf(errors, "errors")}</span>}
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
  const text = visible(node.label).slice(0, MAX_TITLE).trim() || op || "unnamed span";
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
  if (kind === "group") return `${children} spans, ${formatDuration(durationMs)} together`;
  if (kind === "missing") return "As far as its children reach";
  return `${formatDuration(durationMs)}, of it ${formatDuration(selfMs)} self time`;
}
