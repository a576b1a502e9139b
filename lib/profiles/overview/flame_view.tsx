import type { ComponentChildren } from "preact";
import MergeWords from "@/islands/MergeWords.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { scopeParams } from "../../ui/scope.ts";
import { exportLinks } from "../export.ts";
import { Graphs } from "../graphs.tsx";
import { mergedTree } from "../load_selection.ts";
import { type Params, profilingParams } from "../params.ts";
import { queryHref } from "../../ui/links_profiles.ts";
import { frozen } from "../selection.ts";
import { ShapeForm } from "../shape_form.tsx";
import { PLAIN } from "../shape.ts";
import { combiningWords } from "../words.ts";
import type { Looked } from "./load_overview.ts";
import { NothingMerged } from "../nothing_merged.tsx";
import type { LookedView } from "./overview_page.tsx";

/** The merged profiles as a graph, with what chooses its stacks. */
export function FlameView({ tracing, params, looked, path, base, title, page }: LookedView) {
  const { merge, selection, platform, value } = looked;
  const { shape, errors } = params;
  const stood = scopeParams(frozen(tracing.scope, selection));
  const dataParams = [...stood, ...profilingParams({ ...params, value, shape: PLAIN })];
  const exported = [...stood, ...profilingParams({ ...params, value })];
  if (merge.kind === "ready" && merge.value.profiles === 0) {
    return <NothingMerged {...merge.value} />;
  }
  return (
    <Panel title={title} id="graph" description={<MergeNote {...{ looked, path, dataParams }} />}>
      <div class="space-y-4">
        <ShapeForm
          path={path}
          hidden={base}
          shape={shape}
          query={page.searchParams}
          errors={errors}
        />
        <Graphs
          project={tracing.project}
          id="profiling"
          title={title}
          reading={merge.kind === "ready"
            ? {
              kind: "ready",
              value: (side) =>
                mergedTree(merge.value, selection, shape, side),
            }
            : merge}
          shape={shape}
          page={page}
          dataPath={`${path}/flamegraph`}
          dataParams={dataParams}
          pageParams={base}
          exports={exportLinks(`${path}/export`, exported)}
          platform={platform}
        />
      </div>
    </Panel>
  );
}

/** How many profiles are in the graph, and how their values became one. */
function MergeNote({ looked, path, dataParams }: {
  readonly looked: Looked;
  readonly path: string;
  readonly dataParams: Params;
}): ComponentChildren {
  const { merge, nature, volume } = looked;
  if (merge.kind === "ready") return combiningWords(merge.value);
  if (merge.kind === "failed") return null;
  return (
    <MergeWords
      href={queryHref(`${path}/flamegraph`, [...dataParams, ["words", "1"]])}
      initial={combiningWords({ nature, profiles: volume.count, left: 0 })}
    />
  );
}
