import type { Span } from "./mod.ts";

/**
 * The local root that a span belongs to, or null when it does not say. What browsers measure of a page belongs to its
 * load, which is over and sent by then, whatever the page does at that moment.
 */
export function ownerIdOf({ segmentId, data }: Pick<Span, "segmentId" | "data">): string | null {
  const pageload = data["sentry.pageload.span_id"];
  return typeof pageload === "string" ? pageload : segmentId;
}
