import type { Level, LogLevel } from "../../records/mod.ts";
import type { WaterfallData, WaterfallProfile, WaterfallSpan } from "../trace_types.ts";

interface Placed {
  /** Index of the node on whose row it happened. */
  readonly node: number;
  /** Milliseconds since the start of the trace, moved as its span was. */
  readonly time: number;
  readonly title: string;
}

/** Something that happened during a span, beside spans. */
export type Mark =
  | Placed & {
    readonly kind: "error";
    readonly level: Level;
    readonly eventId: string;
    readonly issueId: string;
    readonly projectId: string;
  }
  | Placed & { readonly kind: "log"; readonly level: LogLevel }
  | Placed & { readonly kind: "profile"; readonly profile: WaterfallProfile };

interface Rows {
  /** Start of the trace in milliseconds since 1970. */
  readonly start: number;
  readonly byKey: ReadonlyMap<string, number>;
  readonly nodes: readonly {
    readonly kind: string;
    readonly span: WaterfallSpan | null;
    readonly start: number;
    readonly end: number;
    readonly shift: number;
  }[];
}

/** Errors and logs that name a span of the trace, and its profiles, by node. */
export function placeMarks(data: WaterfallData, rows: Rows): readonly Mark[] {
  const place = (spanId: string | null, time: number) => {
    const node = spanId === null ? undefined : rows.byKey.get(spanId);
    if (node === undefined) return null;
    return { node, time: time - rows.start + (rows.nodes[node]?.shift ?? 0) };
  };
  const marks: Mark[] = [];
  for (const { spanId, time, level, title, eventId, issueId, projectId } of data.errors) {
    const at = place(spanId, time);
    if (at) marks.push({ kind: "error", ...at, level, title, eventId, issueId, projectId });
  }
  for (const { spanId, time, level, body } of data.logs) {
    const at = place(spanId, time);
    if (at) marks.push({ kind: "log", ...at, level, title: body });
  }
  for (const profile of data.profiles) {
    const node = profileNode(profile, rows);
    const row = node === null ? undefined : rows.nodes[node];
    if (node === null || row === undefined) continue;
    // It may have begun long before.
    const time = Math.max(row.start, Math.min(row.end, profile.time - rows.start + row.shift));
    marks.push({ kind: "profile", node, time, title: profile.kind, profile });
  }
  return marks.sort((a, b) => a.node - b.node || a.time - b.time);
}

/** The marks of nodes `from` up to, without, `to`: of a row, or of all that is folded away in it. */
export function marksBetween(marks: readonly Mark[], from: number, to: number): readonly Mark[] {
  return marks.slice(firstFrom(marks, from), firstFrom(marks, to));
}

function firstFrom(marks: readonly Mark[], node: number): number {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle]?.node ?? 0) < node) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The row at which a profile is marked: that of its span. Where it names none, or one that is not stored, the first
 * local root of its service that ran at its time, else the first span at all.
 *
 * @returns the index of the node; null in a trace without spans
 */
function profileNode(profile: WaterfallProfile, { byKey, nodes }: Rows): number | null {
  const named = profile.spanId === null ? undefined : byKey.get(profile.spanId);
  if (named !== undefined) return named;
  let first: number | null = null;
  let running: number | null = null;
  for (const [index, { kind, span }] of nodes.entries()) {
    if (kind !== "span" || span === null) continue;
    first ??= index;
    if (!span.isEntry || !runsWith(span, profile)) continue;
    if (span.service === profile.service) return index;
    running ??= index;
  }
  return running ?? first;
}

function runsWith({ start, end }: WaterfallSpan, { time, durationMs }: WaterfallProfile): boolean {
  return time <= end && time + durationMs >= start;
}
