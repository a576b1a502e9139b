import { SPAN_KINDS, type SpanKind } from "../../records/mod.ts";

const KINDS: ReadonlyMap<string, SpanKind> = new Map(SPAN_KINDS.map((kind) => [kind, kind]));

/** The first of these that names a kind of span, in whichever case; `""` when none does. */
export function readSpanKind(...sent: readonly unknown[]): SpanKind {
  for (const value of sent) {
    if (typeof value !== "string" || value === "") continue;
    const kind = KINDS.get(value.toLowerCase());
    if (kind !== undefined) return kind;
  }
  return "";
}
