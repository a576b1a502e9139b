import { type Message, t } from "../../core/language/translate.ts";
import { ChoiceLinks } from "../../ui/sorted_list.tsx";
import { Button } from "../../ui/components/button.tsx";
import { Field, HiddenFields, Select } from "../../ui/components/fields.tsx";
import { Alert, Panel } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatDateTime, NONE } from "../../ui/format.ts";
import { type Params, paramsOf, queryHref, sectionPath, without } from "../../ui/links.ts";
import { isNarrowed, scopeParams } from "../../ui/scope.ts";
import type { Shell } from "../../ui/shell.ts";
import { ProjectPage } from "../../ui/scoped_page.tsx";
import { NO_PARAMS, oncePerName, PLAIN, profilingParams } from "../params.ts";
import type { ProfiledVersion } from "../queries/profiled_services.ts";
import { NoProfiles, SelectionForm } from "../selection_form.tsx";
import type { Waited } from "../selection.ts";
import { ValuePicker } from "../services.tsx";
import { callTree } from "../trees/call_tree.ts";
import type { CallTree } from "../trees/stacks.ts";
import { combiningWords, valueTexts } from "../words.ts";
import {
  ComparedGraph,
  CompareTabs,
  type LookedAt,
  type PartProps,
  stateParams,
} from "./compared_graph.tsx";
import {
  type Base,
  BASES,
  type BothMerged,
  type Comparison,
  type End,
  endParams,
  type Ends,
  keptBase,
} from "./load_compare.ts";

export interface ComparePageView extends Comparison {
  readonly shell: Shell;
  /** As it was asked for. */
  readonly page: URL;
  readonly snippet: string;
}

const BASE_NAMES: Readonly<Record<Base, Message>> = {
  "previous-period": "Period before",
  "previous-release": "Release before",
  custom: "Chosen by hand",
};

/** Two selections of profiles, one beside the other and as one graph of what changed. */
export function ComparePage(view: ComparePageView) {
  const { shell, pageScope, params, looked, page, view: shown, scale } = view;
  const { project, scope } = pageScope;
  const section = sectionPath(project.id, "profiling");
  const path = `${section}/compare`;
  const value = looked?.value ?? params.value;
  const state = {
    scope: scopeParams(scope),
    chosen: profilingParams({ ...params, value, shape: PLAIN }),
    base: keptBase(page.searchParams),
    view: paramsOf({ view: shown === "diff" ? null : shown }),
    scale: paramsOf({ scale: scale === "total" ? null : scale }),
  };
  const own = stateParams({ ...state, scope: [], chosen: [] });
  return (
    <ProjectPage
      shell={shell}
      pageScope={pageScope}
      section="profiling"
      path={path}
      keep={{ ...oncePerName(profilingParams(params)), ...oncePerName(own) }}
      crumbs={[{ label: t("Compare") }]}
      title={t("Compare profiles")}
      description={t("After: what the pickers above choose. Before: what you compare it with.")}
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
        : <Compared {...view} looked={looked} path={path} state={state} />}
    </ProjectPage>
  );
}

function Compared(view: PartProps) {
  const { pageScope, params, looked, values, path, state, ends, versions, page } = view;
  const { scope } = pageScope;
  const unscoped = stateParams({ ...state, scope: [], base: [] });
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
            ...without(stateParams(state), "profile_type"),
            ...profilingParams({ ...NO_PARAMS, value, shape: params.shape }),
          ])}
      />
      <SelectionForm
        path={path}
        hidden={stateParams({ ...state, chosen: [] })}
        params={{ ...params, value: looked.value }}
        query={page.searchParams}
      />
      <Panel title={t("Compared with")} id="ends">
        <div class="space-y-4">
          <ChoiceLinks
            label={t("What to compare with")}
            choices={BASES.map((each) => t(BASE_NAMES[each]))}
            chosen={t(BASE_NAMES[ends.base])}
            hrefOf={(name) => {
              const wanted = BASES.find((each) => t(BASE_NAMES[each]) === name) ??
                "previous-period";
              return queryHref(path, [
                ...(wanted === "custom"
                  ? [...unscoped, ...endParams(ends)]
                  : [...state.scope, ...unscoped, ["base", wanted] as const]),
              ]);
            }}
          />
          {ends.problem !== null && <Alert kind="info">{ends.problem}</Alert>}
          <BaseForm
            path={path}
            hidden={[
              ...scopeParams({ ...scope, releases: ends.after.scope.releases }),
              ...unscoped,
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

function treeOf({ before, after }: BothMerged, { value }: LookedAt, side: "before" | "after") {
  const { stacks, average } = side === "before" ? before : after;
  return callTree(stacks, value.type, average);
}

interface BaseFormProps {
  /** Of the page. */
  readonly path: string;
  /** Parameters of the page but those of this end. */
  readonly hidden: Params;
  /** What is compared with. */
  readonly before: End;
  readonly versions: readonly ProfiledVersion[];
}

/** Chooses the end that the page is compared with: its time, its environment, its release. */
function BaseForm({ path, hidden, before, versions }: BaseFormProps) {
  const { scope, interval } = before;
  const options = (all: string, field: "release" | "environment", chosen: readonly string[]) => {
    const known = versions.map((version) => version[field]).filter((each) => each !== "");
    const names = [...new Set([...chosen, ...known])];
    return [{ value: "", label: all }, ...names.map((name) => ({ value: name, label: name }))];
  };
  return (
    <form
      method="get"
      action={path}
      aria-label={t("What is compared with")}
      class="grid items-end gap-3 sm:grid-cols-2 xl:grid-cols-[1fr_1fr_1fr_1fr_auto]"
    >
      <HiddenFields pairs={[...hidden, ["base", "custom"]]} />
      <Field
        name="base_start"
        label={t("From (UTC)")}
        type="datetime-local"
        value={fieldTime(interval.start)}
        required
      />
      <Field
        name="base_end"
        label={t("To (UTC)")}
        type="datetime-local"
        value={fieldTime(interval.end)}
        required
      />
      <Select
        name="base_release"
        label={t("Release")}
        options={options(t("All releases"), "release", scope.releases)}
        value={scope.releases[0] ?? ""}
      />
      <Select
        name="base_environment"
        label={t("Environment")}
        options={options(t("All environments"), "environment", scope.environments)}
        value={scope.environments[0] ?? ""}
      />
      <Button>{t("Compare")}</Button>
    </form>
  );
}

/** As `<input type=datetime-local>` takes it. */
function fieldTime(date: Date): string {
  return date.toISOString().slice(0, 16);
}

interface EndTableProps {
  readonly ends: Ends;
  readonly reading: Waited<BothMerged>;
  /** All values of both ends; null until they are there. */
  readonly totals: { readonly before: CallTree; readonly after: CallTree } | null;
}

/** Both ends side by side: which time, release and environment, how many profiles, what they add up to. */
function EndTable({ ends, reading, totals }: EndTableProps) {
  const merged = reading.kind === "ready" ? reading.value : null;
  const facts: readonly (readonly [string, (side: "before" | "after") => string])[] = [
    [t("Time"), (side) => timeOf(ends[side])],
    [
      t("Release"),
      (side) => ends[side].scope.releases.join(", ") || t("all@@releases or environments"),
    ],
    [
      t("Environment"),
      (side) => ends[side].scope.environments.join(", ") || t("all@@releases or environments"),
    ],
    [t("Profiles"), (side) => merged === null ? NONE : combiningWords(merged[side])],
    [t("Total"), (side) => {
      const tree = totals?.[side];
      if (merged?.[side].profiles === 0) return NONE;
      return tree ? valueTexts(tree.totals[0] ?? 0n, tree.type.unit).text : NONE;
    }],
  ];
  return (
    <Table
      caption={t("What is compared")}
      isWide
      columns={[{ label: t("Fact"), isLabelHidden: true }, { label: t("Before") }, {
        label: t("After"),
      }]}
    >
      {facts.map(([label, of]) => (
        <Row key={label}>
          <Cell class="text-muted">{label}</Cell>
          <Cell class="min-w-32 wrap-anywhere">{of("before")}</Cell>
          <Cell class="min-w-32 wrap-anywhere">{of("after")}</Cell>
        </Row>
      ))}
    </Table>
  );
}

function timeOf({ interval: { start, end } }: End): string {
  return `${formatDateTime(start).slice(0, 16)} – ${formatDateTime(end).slice(0, 16)} UTC`;
}
