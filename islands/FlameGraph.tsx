import { t } from "../lib/core/language/translate.ts";
import { useEffect, useState } from "preact/hooks";
import { type FlameData, hasNothing } from "../lib/ui/flamegraph/flame_tree.ts";
import { Alert, EmptyState } from "../lib/ui/components/panel.tsx";
import { LiveFlameGraph } from "../lib/ui/flamegraph/live_flamegraph.tsx";
import { loadFlameData, NothingToDraw } from "../lib/ui/flamegraph/use_graph.ts";
import type { FlameSettings } from "../lib/ui/flamegraph/settings.ts";

export interface FlameGraphProps {
  /** Id of the graph that the server drew; this one takes its place once it has all it needs. */
  readonly staticId: string;
  /** The graph as JSON; null: it is fetched. */
  readonly packed: string | null;
  readonly settings: FlameSettings;
}

type Loading =
  | { readonly kind: "waiting" }
  | { readonly kind: "failed" }
  | { readonly kind: "nothing" }
  | { readonly kind: "done"; readonly data: FlameData };

/** Brings a flame graph to life. Without it the page shows the widest boxes, each a link, and the table. */
export default function FlameGraph({ staticId, packed, settings }: FlameGraphProps) {
  const [loading, setLoading] = useState<Loading>({ kind: "waiting" });

  const load = async () => {
    setLoading({ kind: "waiting" });
    // What the server drew stays; what only held its place says that it is coming.
    const showPlace = (isShown: boolean) => {
      if (packed === null) document.getElementById(staticId)?.toggleAttribute("hidden", !isShown);
    };
    showPlace(true);
    try {
      const data = packed === null
        ? await loadFlameData(settings.dataHref, [])
        : JSON.parse(packed) as FlameData;
      if (hasNothing(data)) throw new NothingToDraw("There is not one sample");
      setLoading({ kind: "done", data });
    } catch (error) {
      showPlace(false);
      setLoading({ kind: error instanceof NothingToDraw ? "nothing" : "failed" });
    }
  };
  useEffect(() => void load(), [packed, settings.dataHref]);

  if (loading.kind === "waiting") return <span hidden />;
  if (loading.kind === "done") {
    return <LiveFlameGraph data={loading.data} settings={settings} staticId={staticId} />;
  }
  if (loading.kind === "nothing") {
    return (
      <div class="rounded-lg border border-line" role="status">
        <EmptyState icon="profiling" title={t("There is nothing to draw")}>
          {t("No profiles are in this selection, or they have no samples of this type.")}
        </EmptyState>
      </div>
    );
  }
  return (
    <Alert
      kind="warning"
      title={packed === null
        ? t("The flame graph could not be loaded")
        : t("The whole graph could not be loaded")}
      isLive
      class="mt-2"
    >
      {packed !== null && (
        <p>
          {t("What is shown above is what the page came with: the widest boxes, without search.")}
        </p>
      )}
      <button type="button" class="link" onClick={load}>{t("Try again")}</button>
    </Alert>
  );
}
