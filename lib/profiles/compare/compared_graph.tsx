import { t } from "../../core/language/translate.ts";
import { LinkButton } from "../../ui/components/button.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Tabs } from "../../ui/components/page.tsx";
import { scopeParams } from "../../ui/scope.ts";
import { type Params, paramsOf, queryHref, sectionPath, without } from "../../ui/links.ts";
import { ChoiceLinks } from "../../ui/sorted_list.tsx";
import { exportLinks } from "../responses.ts";
import { Graphs } from "../graphs.tsx";
import { mergedTree, whenReady } from "../selection.ts";
import { NO_PARAMS, PLAIN, profilingParams, type Side } from "../params.ts";
import { EmptyBox } from "../selection_form.tsx";
import { ShapeForm } from "../shape_form.tsx";
import { typeName } from "../words.ts";
import { comparedTree, type Comparison, endNames, endParams } from "./load_compare.ts";

export type LookedAt = NonNullable<Comparison["looked"]>;

/** What the parts of the page are handed. */
export interface PartProps extends Comparison {
  readonly looked: LookedAt;
  /** As it was asked for. */
  readonly page: URL;
  readonly path: string;
  readonly state: CompareState;
}

/** The parameters of the page by what they tell, in the order of the address; those of the shape are not among them. */
interface CompareState {
  readonly scope: Params;
  /** Which profiles, and which of their values. */
  readonly chosen: Params;
  /** What is compared with. */
  readonly base: Params;
  readonly view: Params;
  readonly scale: Params;
}

/** The state as one query. */
export function stateParams({ scope, chosen, base, view, scale }: CompareState): Params {
  return [...scope, ...chosen, ...base, ...view, ...scale];
}

/** Chooses between the graph of the difference and both graphs. */
export function CompareTabs({ view: shown, path, state, params }: PartProps) {
  const others = stateParams({ ...state, view: [] });
  const shape = profilingParams({ ...NO_PARAMS, shape: params.shape });
  return (
    <Tabs
      label={t("Views")}
      tabs={[
        {
          href: queryHref(path, [...others, ...shape]),
          label: t("One graph of the difference"),
          isCurrent: shown === "diff",
        },
        {
          href: queryHref(path, [...others, ["view", "both"], ...shape]),
          label: t("Side by side"),
          isCurrent: shown === "both",
        },
      ]}
    />
  );
}

/** What is compared, drawn; or why there is nothing to draw. */
export function ComparedGraph(props: PartProps) {
  const { looked, params, path, state, page, view: shown, ends } = props;
  const { reading } = looked;
  if (ends.problem !== null) return null;
  if (reading.kind === "ready") {
    const { before, after } = reading.value;
    if (before.profiles === 0 || after.profiles === 0) {
      const other = ends.base === "previous-period" && after.profiles > 0
        ? queryHref(path, [
          ...stateParams({ ...state, base: without(state.base, "base") }),
          ["base", "previous-release"],
        ])
        : null;
      return <NothingThere before={before.profiles} after={after.profiles} releaseHref={other} />;
    }
  }
  return (
    <>
      <ShapeForm
        path={path}
        hidden={stateParams(state)}
        shape={params.shape}
        query={page.searchParams}
        errors={params.errors}
      />
      {shown === "diff" ? <Difference {...props} /> : <SideBySide {...props} />}
    </>
  );
}

function Difference({ pageScope, looked, params, path, state, page, scale, ends }: PartProps) {
  const { value, reading, platform } = looked;
  const stood = [
    ...endParams(ends),
    ...profilingParams({ ...params, value, shape: PLAIN }),
    ...state.scale,
  ];
  const title = t("{values}, what changed", { values: typeName(value.type) });
  const drawn = whenReady(
    reading,
    (both) => (side: Side) => comparedTree(both, value.type, scale, params.shape, side),
  );
  const others = stateParams({ ...state, scale: [] });
  return (
    <Panel
      title={title}
      id="difference"
      description={scale === "total"
        ? t(
          "Both ends count as wholes: the one before is scaled to the total of the one after, so that shares are compared and not how many profiles there are.",
        )
        : t("Values as they are: more profiles mean more of everything.")}
      actions={
        <ChoiceLinks
          label={t("Scale")}
          choices={[t("Shares"), t("Values")]}
          chosen={scale === "total" ? t("Shares") : t("Values")}
          hrefOf={(name) =>
            queryHref(path, [
              ...others,
              ...paramsOf({ scale: name === t("Values") ? "none" : null }),
              ...profilingParams({ ...NO_PARAMS, shape: params.shape }),
            ])}
        />
      }
    >
      <Graphs
        project={pageScope.project}
        id="difference-graph"
        title={title}
        reading={drawn}
        shape={params.shape}
        page={page}
        dataPath={`${path}/flamegraph`}
        dataParams={stood}
        pageParams={stateParams(state)}
        exports={exportLinks(
          `${path}/export`,
          [...stood, ...profilingParams({ ...NO_PARAMS, shape: params.shape })],
          ["svg"],
        )}
        platform={platform}
        sides={endNames(ends)}
      />
    </Panel>
  );
}

function SideBySide({ pageScope, looked, params, state, page, ends }: PartProps) {
  const { value, reading, platform } = looked;
  const section = sectionPath(pageScope.project.id, "profiling");
  const names = endNames(ends);
  return (
    <div class="grid gap-4 xl:grid-cols-2">
      {(["before", "after"] as const).map((side) => {
        const stood = [
          ...scopeParams(ends[side].scope),
          ...profilingParams({ ...params, value, shape: PLAIN }),
        ];
        const shape = profilingParams({ ...NO_PARAMS, shape: params.shape });
        const title = `${typeName(value.type)}, ${names[side]}`;
        return (
          <Panel key={side} title={title} id={`side-${side}`}>
            <Graphs
              project={pageScope.project}
              id={`graph-${side}`}
              title={title}
              prefix={`${side}_`}
              reading={whenReady(
                reading,
                (both) => (half) => mergedTree(both[side], looked[side], params.shape, half),
              )}
              shape={params.shape}
              page={page}
              dataPath={`${section}/flamegraph`}
              dataParams={stood}
              pageParams={stateParams(state)}
              exports={exportLinks(`${section}/export`, [...stood, ...shape])}
              platform={platform}
            />
          </Panel>
        );
      })}
    </div>
  );
}

function NothingThere({ before, after, releaseHref }: {
  readonly before: number;
  readonly after: number;
  /** The same with the release before; null: it would be no way out. */
  readonly releaseHref: string | null;
}) {
  return (
    <EmptyBox
      icon="profiling"
      title={t("Nothing to compare")}
      actions={releaseHref && (
        <LinkButton href={releaseHref}>{t("Compare with the release before")}</LinkButton>
      )}
    >
      {before === 0 && after === 0
        ? t(
          "Neither end has any profiles of this type. Choose another time, release or environment for it.",
        )
        : before === 0
        ? t(
          "What is compared with has no profiles of this type. Choose another time, release or environment for it.",
        )
        : t(
          "The selection of the page has no profiles of this type. Choose another time, release or environment for it.",
        )}
    </EmptyBox>
  );
}
