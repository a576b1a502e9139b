import { useEffect, useRef, useState } from "preact/hooks";
import type { TraceSpanDetail } from "../trace_types.ts";
import type { TraceNode } from "./trace_model.ts";
import type { SpanReading } from "./span_panel.tsx";
import { loadSpan } from "./load.ts";

/**
 * Reads the attributes of the open span, each span once.
 *
 * @returns how far it has come, and a function that tries again
 */
export function useSpanReading(
  traceId: string,
  node: TraceNode | null,
  known: TraceSpanDetail | null,
): [reading: SpanReading, retry: () => void] {
  const details = useRef(new Map(known ? [[known.spanId, known]] : []));
  const [failedKey, setFailedKey] = useState<string | null>(null);
  const [, setRound] = useState(0);
  const span = node?.kind === "span" ? node.span : null;
  const [spanId, projectId] = [span?.spanId ?? null, span?.projectId ?? ""];
  const detail = spanId === null ? undefined : details.current.get(spanId);

  useEffect(() => {
    if (spanId === null || details.current.has(spanId) || failedKey === spanId) return;
    let isWanted = true;
    loadSpan(projectId, traceId, spanId).then(
      (read) => {
        details.current.set(spanId, read);
        if (isWanted) setRound((round) => round + 1);
      },
      () => {
        if (isWanted) setFailedKey(spanId);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [spanId, failedKey, projectId, traceId]);

  const retry = () => setFailedKey(null);
  if (spanId === null) return [{ kind: "none" }, retry];
  if (detail) return [{ kind: "read", detail }, retry];
  return [{ kind: failedKey === spanId ? "failed" : "loading" }, retry];
}
