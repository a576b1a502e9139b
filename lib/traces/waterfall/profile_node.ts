import type { WaterfallProfile, WaterfallSpan } from "../waterfall_data.ts";

interface Rows {
  readonly byKey: ReadonlyMap<string, number>;
  readonly nodes: readonly { readonly kind: string; readonly span: WaterfallSpan | null }[];
}

/**
 * The row at which a profile is marked: that of its span. Where it names none, or one that is not stored, the first
 * local root of its service that ran at its time, else the first span at all.
 *
 * @returns the index of the node; null in a trace without spans
 */
export function profileNode(profile: WaterfallProfile, { byKey, nodes }: Rows): number | null {
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
