import { t } from "../lib/core/language/translate.ts";
import { useEffect, useState } from "preact/hooks";
import { Alert } from "../lib/ui/components/panel.tsx";
import type { TraceSpanDetail } from "../lib/traces/trace_types.ts";
import {
  LiveWaterfall,
  loadModel,
  loadSpan,
  openKeyIn,
} from "../lib/traces/waterfall/live_waterfall.tsx";
import { spanOf, type TraceModel } from "../lib/traces/waterfall/trace_model.ts";

export interface WaterfallProps {
  /** Id of the waterfall that the server drew; this one takes its place once it has all it needs. */
  readonly staticId: string;
  readonly projectId: string;
  readonly traceId: string;
  /** The packed trace as JSON; null: it is fetched. */
  readonly packed: string | null;
}

type Loading =
  | { readonly kind: "waiting" }
  | { readonly kind: "failed" }
  | { readonly kind: "done"; readonly model: TraceModel; readonly known: TraceSpanDetail | null };

/** Brings a trace's waterfall to life. Without it the page shows the first rows and every span's panel. */
export default function Waterfall({ staticId, projectId, traceId, packed }: WaterfallProps) {
  const [loading, setLoading] = useState<Loading>({ kind: "waiting" });

  const load = async () => {
    setLoading({ kind: "waiting" });
    try {
      const openKey = openKeyIn(location.search);
      const model = await loadModel(projectId, traceId, packed);
      // The panel is there already: it must not be empty for a moment.
      const span = openKey === null ? null : spanOf(model, openKey);
      const known = span && await loadSpan(span.projectId, traceId, span.spanId).catch(() => null);
      setLoading({ kind: "done", model, known });
    } catch {
      setLoading({ kind: "failed" });
    }
  };
  useEffect(() => void load(), [projectId, traceId, packed]);

  if (loading.kind === "waiting") return <span hidden />;
  if (loading.kind === "done") return <LiveWaterfall {...{ ...loading, projectId, staticId }} />;
  return (
    <Alert kind="warning" title={t("The whole trace could not be loaded")} isLive class="mt-2">
      <p>
        {t(
          "What is shown above is what the page came with: the first rows, without search and zoom.",
        )}
      </p>
      <button type="button" class="link" onClick={load}>{t("Try again")}</button>
    </Alert>
  );
}
