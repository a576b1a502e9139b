import { type Message, message, rich, t } from "../../core/language/translate.ts";
import { type Params, paramsOf, queryHref, without } from "../../ui/links.ts";
import type { ComponentChildren } from "preact";
import LatePart from "@/islands/LatePart.tsx";
import MergeWords from "@/islands/MergeWords.tsx";
import { Alert, Panel } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatCount, formatExact, formatPercent, NONE } from "../../ui/format.ts";
import { ListPages, ListSearch } from "../../ui/sorted_list.tsx";
import { scopeParams } from "../../ui/scope.ts";
import { Graphs, Pending, waitingHref, waitingLink } from "../graphs.tsx";
import type { Regressions, SlowerFunction } from "../merge/regressions.ts";
import { PLAIN, profilingParams, type Shape, shapeParams } from "../params.ts";
import { exportLinks } from "../responses.ts";
import { EmptyBox, NothingMerged } from "../selection_form.tsx";
import { frozen, mergedTree, type Waited, whenReady } from "../selection.ts";
import { ShapeForm } from "../shape_form.tsx";
import { FUNCTION_CELL, FunctionName, Points, type TopNouns, TopTable } from "../top_table.tsx";
import { isReshaped } from "../trees/reshape.ts";
import { combiningWords } from "../words.ts";
import { type Looked, type LookedView, type Top, viewParams } from "./load_overview.ts";

/** The merged profiles as a graph, with what chooses its stacks. */
export function FlameView({ pageScope, params, looked, path, base, title, page }: LookedView) {
  const { merge, selection, platform, value } = looked;
  const { shape, errors } = params;
  const stood = scopeParams(frozen(pageScope.scope, selection));
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
          project={pageScope.project}
          id="profiling"
          title={title}
          reading={whenReady(merge, (merged) => (side) =>
            mergedTree(merged, selection, shape, side))}
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

/** Functions of the merged profiles: with the page when they are there, else fetched by script as the graph is. */
export function TopView(view: LookedView) {
  const { looked: { top }, page } = view;
  if (top === null) return null;
  return (
    <Late
      part="top-functions"
      page={page}
      words={t("The functions are being put together…")}
      wait={rich("Putting the profiles together takes a while: <a>wait for the functions</a>.", {
        a: waitingLink(page),
      })}
      notLoaded={t("The functions could not be loaded")}
    >
      {whenSettled(top, (settled) => <TopThere {...view} top={settled} />)}
    </Late>
  );
}

interface LateProps {
  /** How the page that comes first and the one with the part both call its place. */
  readonly part: string;
  readonly page: URL;
  /** Say that it is being made. */
  readonly words: string;
  /** The same without script, with a {@linkcode waitingLink}. */
  readonly wait: ComponentChildren;
  /** Says that it could not be loaded. */
  readonly notLoaded: string;
  /** The part; null: it is still being made. */
  readonly children: ComponentChildren;
}

/** A part that is made of merged profiles: there, or fetched by script once the page is. */
function Late({ part, page, words, wait, notLoaded, children }: LateProps) {
  if (children !== null) return <div id={part}>{children}</div>;
  return (
    <div>
      <Pending id={part} page={page} words={words} wait={wait} />
      <LatePart part={part} href={waitingHref(page)} failed={notLoaded} />
    </div>
  );
}

type Settled<T> = Exclude<Waited<T>, { readonly kind: "pending" }>;

/** What is shown of something once it is there or has failed; null before. */
function whenSettled<T>(waited: Waited<T>, show: (settled: Settled<T>) => ComponentChildren) {
  return waited.kind === "pending" ? null : show(waited);
}

/** The address without asking for what comes late: the page itself is tried again. */
function againHref(page: URL): string {
  return queryHref(page.pathname, without([...page.searchParams], "wait"));
}

/** Functions, searched and sorted, with what changed against the time before, or why there are none. */
function TopThere({ top, ...view }: LookedView & { readonly top: Settled<Top> }) {
  const { page } = view;
  if (top.kind === "failed") {
    return (
      <Alert kind="danger" title={t("The functions could not be read")}>
        <p>{t("The profiles could not be merged; the service's log says more.")}</p>
        <a class="link" href={againHref(page)}>{t("Try again")}</a>
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
  const nouns = NOUNS[shape.by];
  const { merged, list, all, unit, compared } = top;
  const shaping = shapeParams({ ...shape, function: "" });
  const here = (changed: Readonly<Record<string, string | null>>) => {
    const own = without(viewParams(state), ...Object.keys(changed));
    return queryHref(path, [...base, ...shaping, ...own, ...paramsOf(changed)]);
  };
  return (
    <Panel
      title={t(nouns.by, { values: title })}
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
        <ListSearch
          path={path}
          keep={[...base, ...shaping, ...without(viewParams(state), "query")]}
          query={state.query}
          label={t(nouns.search)}
          placeholder={t("Part of a name, a file or a module")}
        />
      </div>
      {list.total === 0
        ? (
          <p class="border-t border-line px-4 py-6 text-muted">
            {state.query !== "" || isReshaped(shape)
              ? t(nouns.none)
              : t("The profiles have no values of this type.")}
          </p>
        )
        : (
          <>
            <TopTable
              rows={list.rows}
              all={all}
              unit={unit}
              sorting={state.sorting}
              nouns={nouns}
              hrefOf={(sort) => here({ sort, page: null })}
              functionHref={shape.by === "function"
                ? ({ name }) =>
                  queryHref(path, [...base, ...shapeParams({ ...shape, function: name })])
                : null}
            />
            <ListPages
              list={list}
              unit={nouns.count}
              hrefOf={(each) => here({ page: each })}
            />
          </>
        )}
    </Panel>
  );
}

const NOUNS: Readonly<Record<Shape["by"], TopNouns & GraphNouns>> = {
  function: {
    one: message("Function"),
    many: message("Functions"),
    by: message("Functions by {values}"),
    count: message("{n} function|{n} functions"),
    search: message("Search functions"),
    none: message("No function is as the search and the filters ask."),
  },
  file: {
    one: message("File"),
    many: message("Files"),
    by: message("Files by {values}"),
    count: message("{n} file|{n} files"),
    search: message("Search files"),
    none: message("No file is as the search and the filters ask."),
  },
  module: {
    one: message("Module"),
    many: message("Modules"),
    by: message("Modules by {values}"),
    count: message("{n} module|{n} modules"),
    search: message("Search modules"),
    none: message("No module is as the search and the filters ask."),
  },
  package: {
    one: message("Package"),
    many: message("Packages"),
    by: message("Packages by {values}"),
    count: message("{n} package|{n} packages"),
    search: message("Search packages"),
    none: message("No package is as the search and the filters ask."),
  },
};

interface GraphNouns {
  /** Of the panel, by what is measured. */
  readonly by: Message;
  /** How many, by `n`. */
  readonly count: Message;
  readonly search: Message;
  readonly none: Message;
}

function comparedWords(compared: number): string {
  return compared === 0 ? t("There is no profile of the time before to compare with.") : t(
    "Δ is by how many percentage points of everything the share changed against {count} profile of the same length of time before.|Δ is by how many percentage points of everything the share changed against {count} profiles of the same length of time before.",
    { n: compared, count: formatCount(compared) },
  );
}

/** Functions that take a larger share in the newest release than in the one before: they come as the functions do. */
export function ChangesView(view: LookedView) {
  const { looked: { changes }, page } = view;
  if (changes === null) return null;
  return (
    <Late
      part="changed-functions"
      page={page}
      words={t("The releases are being compared…")}
      wait={rich("Comparing the releases takes a while: <a>wait for the changes</a>.", {
        a: waitingLink(page),
      })}
      notLoaded={t("The changes could not be loaded")}
    >
      {whenSettled(changes, (settled) => <ChangesThere {...view} changes={settled} />)}
    </Late>
  );
}

function ChangesThere({ looked: { value }, path, base, page, title, changes }: LookedView & {
  readonly changes: Settled<Regressions | null>;
}) {
  if (changes.kind === "failed") {
    return (
      <Alert kind="danger" title={t("The releases could not be compared")}>
        <p>{t("Their profiles could not be merged; the service's log says more.")}</p>
        <a class="link" href={againHref(page)}>{t("Try again")}</a>
      </Alert>
    );
  }
  if (changes.value === null) {
    return (
      <EmptyBox icon="releases" title={t("There are no two releases to compare")}>
        {rich(
          "The newest release of this time is compared with the one before it; each needs at least three profiles that name it. Send <code>release=…</code> with your profiles, choose more releases or a longer time.",
          { code: (words) => <code>{words}</code> },
        )}
      </EmptyBox>
    );
  }
  const { release, base: before, profiles, baseProfiles, functions } = changes.value;
  const compare = queryHref(`${path}/compare`, [
    ...without(base, "release"),
    ...paramsOf({ release, base: "custom", base_release: before }),
  ]);
  return (
    <Panel
      title={
        <>
          {rich("Slower in {release} than in {before}", {
            release: <bdi class="wrap-anywhere">{release}</bdi>,
            before: <bdi class="wrap-anywhere">{before}</bdi>,
          })}
        </>
      }
      id="changes"
      flush
      description={t(
        "{values}: shares of {count} profile against those of {before} before. Listed are functions whose share grew by at least one percentage point, and by more than chance explains.|{values}: shares of {count} profiles against those of {before} before. Listed are functions whose share grew by at least one percentage point, and by more than chance explains.",
        { values: title, n: profiles, count: formatCount(profiles), before: baseProfiles },
      )}
      actions={<a class="link text-sm" href={compare}>{t("Compare the two in one graph")}</a>}
    >
      {functions.length === 0
        ? <p class="px-4 py-6 text-muted">{t("No function became clearly slower.")}</p>
        : (
          <Table
            caption={t("Functions that take more")}
            columns={[
              { label: t("Function") },
              { label: t("Self before"), align: "right", class: "max-md:hidden" },
              { label: t("Self"), align: "right", class: "max-sm:hidden" },
              { label: t("Δ self"), align: "right" },
              { label: t("Total before"), align: "right", class: "max-lg:hidden" },
              { label: t("Total"), align: "right", class: "max-md:hidden" },
              { label: t("Δ total"), align: "right" },
              { label: t("Samples"), align: "right", class: "max-lg:hidden" },
            ]}
          >
            {functions.map((row, place) => (
              <SlowerRow
                key={place}
                row={row}
                href={queryHref(path, [...base, ["function", row.frame.name]])}
              />
            ))}
          </Table>
        )}
      {value.kind === "other" && (
        <p class="border-t border-line px-4 py-2 text-sm text-muted">
          {t("It is not known what these profiles are of: a larger share need not mean slower.")}
        </p>
      )}
    </Panel>
  );
}

function SlowerRow({ row, href }: { readonly row: SlowerFunction; readonly href: string }) {
  const { frame, selfShare, baseSelfShare, totalShare, baseTotalShare, samples } = row;
  return (
    <Row>
      <Cell class={FUNCTION_CELL}>
        <FunctionName frame={frame} href={href} />
      </Cell>
      <Cell align="right" class="max-md:hidden">{formatPercent(baseSelfShare)}</Cell>
      <Cell align="right" class="max-sm:hidden">{formatPercent(selfShare)}</Cell>
      <Cell align="right">
        <Points change={selfShare - baseSelfShare} />
      </Cell>
      <Cell align="right" class="max-lg:hidden">{formatPercent(baseTotalShare)}</Cell>
      <Cell align="right" class="max-md:hidden">{formatPercent(totalShare)}</Cell>
      <Cell align="right">
        <Points change={totalShare - baseTotalShare} />
      </Cell>
      <Cell align="right" class="max-lg:hidden">
        {samples === null ? NONE : formatExact(samples)}
      </Cell>
    </Row>
  );
}
