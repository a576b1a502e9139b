import { Alert } from "../../ui/components/alert.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { isNarrowed, scopeParams } from "../../ui/scope.ts";
import { sectionPath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";
import { ChoiceLinks } from "../../ui/choice_links.tsx";
import { TracingPage } from "../../ui/tracing_page.tsx";
import { NoProfiles } from "../no_profiles.tsx";
import { SelectionForm } from "../selection_form.tsx";
import { NO_PARAMS, oncePerName, type Params, profilingParams } from "../params.ts";
import { queryHref } from "../../ui/links_profiles.ts";
import { PLAIN, treeOfType } from "../shape.ts";
import { ValuePicker } from "../value_picker.tsx";
import { BaseForm } from "./base_form.tsx";
import { EndTable } from "./end_table.tsx";
import { ComparedGraph, CompareTabs, type LookedAt, type PartProps } from "./compared_graph.tsx";
import { type Base, BASES, endParams, keptBase } from "./ends.ts";
import type { BothMerged, Comparison } from "./load_compare.ts";

export interface ComparePageView extends Comparison {
  readonly shell: Shell;
  /** As it was asked for. */
  readonly page: URL;
  readonly snippet: string;
}

const BASE_NAMES: Readonly<Record<Base, string>> = {
  "previous-period": "Period before",
  "previous-release": "Release before",
  custom: "Chosen by hand",
};

/** Two selections of profiles, one beside the other and as one graph of what changed. */
export function ComparePage(view: ComparePageView) {
  const { shell, tracing, params, looked, page, view: shown, scale } = view;
  const { project, scope } = tracing;
  const section = sectionPath(project.id, "profiling");
  const path = `${section}/compare`;
  const own: Params = [
    ...keptBase(page.searchParams),
    ...(shown === "diff" ? [] : [["view", shown] as const]),
    ...(scale === "total" ? [] : [["scale", scale] as const]),
  ];
  const value = looked?.value ?? params.value;
  const base = [
    ...scopeParams(scope),
    ...profilingParams({ ...params, value, shape: PLAIN }),
    ...own,
  ];
  return (
    <TracingPage
      shell={shell}
      tracing={tracing}
      section="profiling"
      path={path}
      keep={{ ...oncePerName(profilingParams(params)), ...oncePerName(own) }}
      crumbs={[{ label: "Compare" }]}
      title="Compare profiles"
      description="After: what the pickers above choose. Before: what you compare it with."
    >
      {looked === null
        ? (
          <NoProfiles
            projectId={project.id}
            isNarrowed={isNarrowed(scope) || scope.services.length > 0 ||
              profilingParams(params).length > 0}
            snippet={view.snippet}
          />
        )
        : <Compared {...view} looked={looked} path={path} base={base} />}
    </TracingPage>
  );
}

function Compared(view: PartProps) {
  const { tracing, params, looked, values, path, base, ends, versions, page } = view;
  const { scope } = tracing;
  const notOfBase = base.filter(([name]) => name !== "base" && !name.startsWith("base_"));
  const totals = looked.reading.kind === "ready"
    ? {
      before: treeOf(looked.reading.value, looked, "before"),
      after: treeOf(looked.reading.value, looked, "after"),
    }
    : null;
  return (
    <div class="space-y-4">
      {params.errors.profile_type && <Alert kind="warning">{params.errors.profile_type}</Alert>}
      <ValuePicker
        values={values}
        chosen={looked.value}
        hrefOf={(value) =>
          queryHref(path, [
            ...base.filter(([name]) => name !== "profile_type"),
            ...profilingParams({ ...NO_PARAMS, value, shape: params.shape }),
          ])}
      />
      <SelectionForm
        path={path}
        hidden={[
          ...scopeParams(scope),
          ...base.filter(([name]) =>
            name === "base" || name.startsWith("base_") || name === "view" || name === "scale"
          ),
        ]}
        params={{ ...params, value: looked.value }}
        query={page.searchParams}
      />
      <Panel title="Compared with" id="ends">
        <div class="space-y-4">
          <ChoiceLinks
            label="What to compare with"
            choices={BASES.map((each) => BASE_NAMES[each])}
            chosen={BASE_NAMES[ends.base]}
            hrefOf={(name) => {
              const wanted = BASES.find((each) => BASE_NAMES[each] === name) ?? "previous-period";
              return queryHref(path, [
                ...(wanted === "custom"
                  ? [...withoutScope(notOfBase), ...endParams(ends)]
                  : [...notOfBase, ["base", wanted] as const]),
              ]);
            }}
          />
          {ends.problem !== null && <Alert kind="info">{ends.problem}</Alert>}
          <BaseForm
            path={path}
            hidden={[
              ...scopeParams({ ...scope, releases: ends.after.scope.releases }),
              ...withoutScope(notOfBase),
            ]}
            before={ends.before}
            versions={versions}
          />
          <EndTable ends={ends} reading={looked.reading} totals={totals} />
        </div>
      </Panel>
      <CompareTabs {...view} />
      <ComparedGraph {...view} />
    </div>
  );
}

const SCOPE_NAMES = ["environment", "release", "service", "range", "start", "end"];

function withoutScope(params: Params): Params {
  return params.filter(([name]) => !SCOPE_NAMES.includes(name));
}

function treeOf({ before, after }: BothMerged, { value }: LookedAt, side: "before" | "after") {
  const { stacks, average } = side === "before" ? before : after;
  return treeOfType(stacks, value.type, average);
}
