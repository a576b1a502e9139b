import type { TraceModel, TraceNode } from "./trace_model.ts";

/** As many characters of a search as anybody types. */
const MAX_QUERY = 200;
const FAILED = "is:failed";

/**
 * Indices of the spans that a search finds, in the order of the rows. Every word must be in the title, the
 * operation, the service, the category, the status or the span id; `is:failed` finds failed spans.
 *
 * @returns an empty list for an empty search
 */
export function findSpans({ nodes }: TraceModel, query: string): number[] {
  const words = query.slice(0, MAX_QUERY).toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const onlyFailed = words.includes(FAILED);
  const texts = words.filter((word) => word !== FAILED);
  return nodes.flatMap((node, index) => {
    if (node.kind === "group" || (onlyFailed && !node.span?.isFailed)) return [];
    const text = texts.length === 0 ? "" : searchText(node);
    return texts.every((word) => text.includes(word)) ? [index] : [];
  });
}

/** The next or previous of the found ones, seen from a node; round the end to the other one. Null for none. */
export function nextFound(found: readonly number[], from: number, step: 1 | -1): number | null {
  const next = step === 1
    ? found.find((index) => index > from) ?? found[0]
    : found.findLast((index) => index < from) ?? found.at(-1);
  return next ?? null;
}

function searchText({ label, span }: TraceNode): string {
  if (span === null) return label.toLowerCase();
  const { op, service, category, status, spanId } = span;
  return [label, op, service, category, status, spanId].join("\n").toLowerCase();
}
