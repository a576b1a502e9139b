import { Alert } from "../../ui/components/alert.tsx";
import { formatExactOf } from "../../ui/format.ts";
import type { TraceModel } from "./trace_model.ts";

/** Spans may still be on their way for so long after the last one that came. */
const SETTLED_AFTER_MS = 5 * 60_000;

interface TraceNoticesProps {
  readonly model: TraceModel;
  readonly now: Date;
}

/** What one must know to read the trace right; nothing for most traces. */
export function TraceNotices({ model, now }: TraceNoticesProps) {
  const texts = notices(model, now);
  if (texts.length === 0) return null;
  return (
    <Alert kind="info" class="mb-3 text-sm">
      <ul>{texts.map((text) => <li key={text}>{text}</li>)}</ul>
    </Alert>
  );
}

function notices({ notes, start, durationMs }: TraceModel, now: Date): string[] {
  const isSettled = now.getTime() - (start + durationMs) > SETTLED_AFTER_MS;
  const texts: string[] = [];
  if (notes.isCut) {
    texts.push("The trace is larger than what is read at once: its latest spans are left out.");
  }
  if (notes.hiddenSpans > 0) {
    const spans = formatExactOf(notes.hiddenSpans, "spans");
    texts.push(`${spans} of this trace are in projects you cannot see.`);
  }
  if (notes.isRootMissing) {
    const place = notes.hiddenSpans > 0
      ? "is in a project you cannot see"
      : "belongs to a program that does not report to this organization";
    texts.push(
      isSettled
        ? `The root span is missing: it was not sent, or ${place}.`
        : "The root span has not arrived yet. A span is sent when it ends: look again in a moment.",
    );
  } else if (notes.missingParents > 0) {
    texts.push(
      `The parents of some spans are missing (${notes.missingParents}): their place in the tree is not known.`,
    );
  }
  if (notes.roots > 1) {
    texts.push(`${notes.roots} spans stand at the top: none of them is below another.`);
  }
  if (notes.movedSpans > 0) {
    texts.push(
      "The clocks of the services differ: a span that did not fit into its parent is drawn inside it, " +
        `with all below it (${formatExactOf(notes.movedSpans, "spans")}).`,
    );
  }
  if (notes.ringsCut > 0) {
    texts.push(
      `${formatExactOf(notes.ringsCut, "spans")} named a span below as parent; drawn as roots.`,
    );
  }
  return texts;
}
