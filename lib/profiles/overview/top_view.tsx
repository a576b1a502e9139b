import { Alert } from "../../ui/components/alert.tsx";
import { Button } from "../../ui/components/button.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { formatQuantity } from "../../ui/format.ts";
import { ListPages } from "../../ui/list_pages.tsx";
import { HiddenParams } from "../hidden_params.tsx";
import type { Params } from "../params.ts";
import { queryHref } from "../../ui/links_profiles.ts";
import { ShapeForm } from "../shape_form.tsx";
import { isReshaped, type Shape, shapeParams } from "../shape.ts";
import { TopTable } from "../top_table.tsx";
import { combiningWords } from "../words.ts";
import type { Top } from "./load_top.ts";
import { NothingMerged } from "../nothing_merged.tsx";
import type { LookedView } from "./overview_page.tsx";
import { viewParams } from "./read_view.ts";

/** Functions of the merged profiles, searched and sorted, with what changed against the time before. */
export function TopView(view: LookedView) {
  const { looked: { top }, page } = view;
  if (top === null || top.kind === "pending") return null;
  if (top.kind === "failed") {
    return (
      <Alert kind="danger" title="The functions could not be read">
        <p>The profiles could not be merged; the service's log says more.</p>
        <a class="link" href={page.pathname + page.search}>Try again</a>
      </Alert>
    );
  }
  if (top.value.merged.profiles === 0) return <NothingMerged {...top.value.merged} />;
  return <TopPanel {...view} top={top.value} />;
}

function TopPanel({ view: state, params, path, base, title, page, top }: LookedView & {
  readonly top: Top;
}) {
  const { shape, errors } = params;
  const noun = NOUNS[shape.by];
  const { merged, list, all, unit, compared } = top;
  const shaping = shapeParams({ ...shape, function: "" });
  const here = (changed: Params) => {
    const own = viewParams(state).filter(([name]) => !changed.some(([each]) => each === name));
    return queryHref(path, [...base, ...shaping, ...own, ...changed.filter(([, each]) => each)]);
  };
  return (
    <Panel
      title={`${noun}s by ${title}`}
      id="functions"
      flush
      description={`${combiningWords(merged)} ${comparedWords(compared)}`}
    >
      <div class="space-y-4 p-4">
        <ShapeForm
          path={path}
          hidden={[...base, ...viewParams(state)]}
          shape={shape}
          query={page.searchParams}
          errors={errors}
        />
        <form method="get" action={path} role="search" class="flex gap-2">
          <HiddenParams
            params={[
              ...base,
              ...shaping,
              ...viewParams(state).filter(([name]) => name !== "query"),
            ]}
          />
          <input
            type="search"
            name="query"
            value={state.query}
            aria-label={`Search ${noun.toLowerCase()}s`}
            placeholder="Part of a name, a file or a module"
            class="h-9 min-w-0 flex-1 rounded-md border border-line-strong bg-surface px-2.5"
          />
          <Button icon="search">Search</Button>
        </form>
      </div>
      {list.total === 0
        ? (
          <p class="border-t border-line px-4 py-6 text-muted">
            {state.query !== "" || isReshaped(shape)
              ? `No ${noun.toLowerCase()} is as the search and the filters ask.`
              : "The profiles have no values of this type."}
          </p>
        )
        : (
          <>
            <TopTable
              rows={list.rows}
              all={all}
              unit={unit}
              sorting={state.sorting}
              noun={noun}
              hrefOf={(sort) => here([["sort", sort], ["page", ""]])}
              functionHref={shape.by === "function"
                ? ({ name }) =>
                  queryHref(path, [...base, ...shapeParams({ ...shape, function: name })])
                : null}
            />
            <ListPages
              list={list}
              unit={`${noun.toLowerCase()}s`}
              hrefOf={(each) => here([["page", each ?? ""]])}
            />
          </>
        )}
    </Panel>
  );
}

const NOUNS: Readonly<Record<Shape["by"], string>> = {
  function: "Function",
  file: "File",
  module: "Module",
  package: "Package",
};

function comparedWords(compared: number): string {
  return compared === 0
    ? "There is no profile of the time before to compare with."
    : `Δ is by how many percentage points of everything the share changed against ${
      formatQuantity(compared, "profile")
    } of the same length of time before.`;
}
