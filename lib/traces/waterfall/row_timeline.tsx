import type { Mark } from "./marks.ts";
import { percentOf } from "./placement.ts";
import type { TraceNode } from "./trace_model.ts";
import type { Interval } from "../waterfall_data.ts";

/** Of marks so close that nobody could tell them apart, a row shows so many of a kind. */
const MAX_MARKS = 30;

export interface RowTimelineProps {
  readonly node: TraceNode;
  /** The shown time, in milliseconds since the start of the trace. */
  readonly view: Interval;
  /** Stretches that a group's spans cover. */
  readonly pieces: readonly Interval[];
  readonly marks: readonly Mark[];
  readonly showsCriticalPath: boolean;
}

/** When a span ran, and what happened meanwhile. Its row says the same in words. */
export function RowTimeline({ node, view, pieces, marks, showsCriticalPath }: RowTimelineProps) {
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
