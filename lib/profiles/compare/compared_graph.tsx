import type { DiffTree } from "../trees/stacks.ts";
import { LinkButton } from "../../ui/components/button.tsx";
import { EmptyState, Panel } from "../../ui/components/panel.tsx";
import { Tabs } from "../../ui/components/page.tsx";
import { scopeParams } from "../../ui/scope.ts";
import { type Params, queryHref, sectionPath } from "../../ui/links.ts";
import { ChoiceLinks } from "../../ui/sorted_list.tsx";
import { exportLinks } from "../responses.ts";
import { Graphs } from "../graphs.tsx";
import { mergedTree, type Waited } from "../selection.ts";
import { NO_PARAMS, PLAIN, profilingParams, type Side } from "../params.ts";
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
  /** All parameters of the page but those of the shape. */
  readonly base: Params;
}

/** Chooses between the graph of the difference and both graphs. */
export function CompareTabs({ view: shown, path, base, params }: PartProps) {
  const others = base.filter(([name]) => name !== "view");
  const shape = profilingParams({ ...NO_PARAMS, shape: params.shape });
  return (
    <Tabs
      label="Views"
      tabs={[
        {
          href: queryHref(path, [...others, ...shape]),
          label: "One graph of the difference",
          isCurrent: shown === "diff",
        },
        {
          href: queryHref(path, [...others, ["view", "both"], ...shape]),
          label: "Side by side",
          isCurrent: shown === "both",
        },
      ]}
    />
  );
}

/** What is compared, drawn; or why there is nothing to draw. */
export function ComparedGraph(props: PartProps) {
  const { looked, params, path, base, page, view: shown, ends } = props;
  const { reading } = looked;
  if (ends.problem !== null) return null;
  if (reading.kind === "ready") {
    const { before, after } = reading.value;
    if (before.profiles === 0 || after.profiles === 0) {
      const other = ends.base === "previous-period" && after.profiles > 0
        ? queryHref(path, [
          ...base.filter(([name]) => name !== "base"),
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
        hidden={base}
        shape={params.shape}
        query={page.searchParams}
        errors={params.errors}
      />
      {shown === "diff" ? <Difference {...props} /> : <SideBySide {...props} />}
    </>
  );
}

function Difference({ tracing, looked, params, path, base, page, scale, ends }: PartProps) {
  const { value, reading, platform } = looked;
  const stood = [
    ...endParams(ends),
    ...profilingParams({ ...params, value, shape: PLAIN }),
    ...(scale === "total" ? [] : [["scale", scale] as const]),
  ];
  const title = `${typeName(value.type)}, what changed`;
  const drawn: Waited<(side: Side) => DiffTree> = reading.kind === "ready"
    ? {
      kind: "ready",
      value: (side) => comparedTree(reading.value, value.type, scale, params.shape, side),
    }
    : reading;
  const others = base.filter(([name]) => name !== "scale");
  return (
    <Panel
      title={title}
      id="difference"
      description={scale === "total"
        ? "Both ends count as wholes: the one before is scaled to the total of the one after, so that shares are compared and not how many profiles there are."
        : "Values as they are: more profiles mean more of everything."}
      actions={
        <ChoiceLinks
          label="Scale"
          choices={["Shares", "Values"]}
          chosen={scale === "total" ? "Shares" : "Values"}
          hrefOf={(name) =>
            queryHref(path, [
              ...others,
              ...(name === "Values" ? [["scale", "none"] as const] : []),
              ...profilingParams({ ...NO_PARAMS, shape: params.shape }),
            ])}
        />
      }
    >
      <Graphs
        project={tracing.project}
        id="difference-graph"
        title={title}
        reading={drawn}
        shape={params.shape}
        page={page}
        dataPath={`${path}/flamegraph`}
        dataParams={stood}
        pageParams={base}
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

function SideBySide({ tracing, looked, params, base, page, ends }: PartProps) {
  const { value, reading, platform } = looked;
  const section = sectionPath(tracing.project.id, "profiling");
  const names = endNames(ends);
  return (
    <div class="grid gap-4 xl:grid-cols-2">
      {(["before", "after"] as const).map((side) => {
        const stood = [
          ...scopeParams(ends[side].scope),
          ...profilingParams({ ...params, value, shape: PLAIN }),
        ];
        const shape = profilingParams({ ...NO_PARAMS, shape: params.shape });
        const merged = reading.kind === "ready" ? reading.value[side] : null;
        const title = `${typeName(value.type)}, ${names[side]}`;
        return (
          <Panel key={side} title={title} id={`side-${side}`}>
            <Graphs
              project={tracing.project}
              id={`graph-${side}`}
              title={title}
              prefix={`${side}_`}
              reading={merged === null ? reading as Waited<never> : {
                kind: "ready",
                value: (half) => mergedTree(merged, looked[side], params.shape, half),
              }}
              shape={params.shape}
              page={page}
              dataPath={`${section}/flamegraph`}
              dataParams={stood}
              pageParams={base}
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
  const where = before === 0 && after === 0
    ? "Neither end has any"
    : before === 0
    ? "What is compared with has no"
    : "The selection of the page has no";
  return (
    <div class="rounded-lg border border-line bg-surface">
      <EmptyState
        icon="profiling"
        title="Nothing to compare"
        actions={releaseHref && (
          <LinkButton href={releaseHref}>Compare with the release before</LinkButton>
        )}
      >
        {where} profiles of this type. Choose another time, release or environment for it.
      </EmptyState>
    </div>
  );
}
