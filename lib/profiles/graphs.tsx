import { message, rich, t } from "../core/language/translate.ts";
import { type Params, queryHref } from "../ui/links.ts";
import type { ComponentChildren } from "preact";
import FlameGraph from "../../islands/FlameGraph.tsx";
import { type Project, settingsOf } from "../accounts/projects.ts";
import { Alert, EmptyState } from "../ui/components/panel.tsx";
import { type FlameAddress, hrefOf, readAddress } from "../ui/flamegraph/address.ts";
import { type FlameData, flameTree, hasNothing } from "../ui/flamegraph/flame_tree.ts";
import { StaticTable } from "../ui/flamegraph/function_table.tsx";
import { follow, readPath, spliced } from "../ui/flamegraph/path.ts";
import type {
  ExportLink,
  FlameLinks,
  FlameSettings,
  TimeOrder,
} from "../ui/flamegraph/settings.ts";
import { StaticIcicle } from "../ui/flamegraph/static_icicle.tsx";
import { ExportMenu, Legend, ViewTabs } from "../ui/flamegraph/toolbar.tsx";
import { SIDE_NAMES, type SideNames } from "../ui/flamegraph/words.ts";
import { graphData } from "./responses.ts";
import { type Shape, shapeParams, type Side } from "./params.ts";
import type { Waited } from "./selection.ts";
import type { CallTree, DiffTree } from "./trees/stacks.ts";

/** A tree as a shape wants it; of a side only that half of a function's graph. */
type TreeOf = (side: Side) => CallTree | DiffTree;

export interface GraphsProps {
  /** Its settings say where source can be read. */
  readonly project: Pick<Project, "settings">;
  /** Unique on the page. */
  readonly id: string;
  /** What is shown, as `CPU time of checkout`. */
  readonly title: string;
  readonly reading: Waited<TreeOf>;
  readonly shape: Shape;
  /** Address of the page as it was asked for. */
  readonly page: URL;
  /** Answers the same graph as JSON. */
  readonly dataPath: string;
  /** Of the graph, without those of its shape. */
  readonly dataParams: Params;
  /** Parameters of the page, without those of the shape: links to functions keep them. */
  readonly pageParams: Params;
  /** Of the page to which functions lead. @default this one */
  readonly linkPath?: string;
  readonly exports: readonly ExportLink[];
  /** As `go`; tells own code where profiles do not. */
  readonly platform?: string | undefined;
  readonly sides?: SideNames;
  /** Threads whose stacks are known in order of time, for the whole graph. @default null */
  readonly timeOrder?: TimeOrder | null;
  /** Stands before the names of the graph's own parameters. @default "" */
  readonly prefix?: string;
}

const HALVES = [
  {
    side: "callers",
    name: message("Callers@@of a function"),
    help: message("Who calls it: below it the functions that called it, the innermost first."),
    title: message("{graph}: callers of {function}"),
  },
  {
    side: "callees",
    name: message("Callees"),
    help: message("What it calls: below it the functions that it called."),
    title: message("{graph}: callees of {function}"),
  },
] as const;

/**
 * The graph of some profiles, or the two halves of one function's: drawn when it is there, else fetched by the script,
 * else rendered by the server when the page is asked for it.
 */
export function Graphs(props: GraphsProps) {
  const { shape, page, pageParams } = props;
  if (props.reading.kind === "failed") return <Failed page={page} />;
  if (shape.function === "") return <OneGraph {...props} side={null} />;
  const without = shapeParams({ ...shape, function: "" });
  return (
    <div class="space-y-4">
      <p class="flex flex-wrap items-baseline gap-x-3 text-sm">
        <span class="min-w-0 wrap-anywhere">
          {rich("Callers and callees of {function}", {
            function: <strong class="font-mono">{shape.function}</strong>,
          })}
        </span>
        <a class="link" href={queryHref(page.pathname, [...pageParams, ...without])}>
          {t("Show the whole graph")}
        </a>
      </p>
      {HALVES.map(({ side, name, help }) => (
        <section key={side} aria-label={t(name)}>
          <h3 class="font-semibold">{t(name)}</h3>
          <p class="mb-2 text-sm text-muted">{t(help)}</p>
          <OneGraph {...props} side={side} />
        </section>
      ))}
    </div>
  );
}

function OneGraph({ side, ...props }: GraphsProps & { readonly side: Side }) {
  const { shape, page, reading, dataPath, dataParams, pageParams, exports, platform } = props;
  const { sides = SIDE_NAMES } = props;
  const id = side === null ? props.id : `${props.id}-${side}`;
  const half = HALVES.find((each) => each.side === side);
  const title = half === undefined
    ? props.title
    : t(half.title, { graph: props.title, function: shape.function });
  const prefix = (props.prefix ?? "") + (side === null ? "" : `${side}_`);
  const params = [...dataParams, ...shapeParams(shape)];
  const dataHref = queryHref(dataPath, side === null ? params : [...params, ["side", side]]);
  const links = {
    ...graphLinks(props.linkPath ?? page.pathname, pageParams, shape),
    ...sourceLinks(props.project, shape),
  };
  const settings: FlameSettings = {
    title,
    prefix,
    dataHref,
    links,
    exports: side === null ? exports : [],
    sides,
    timeOrder: side === null ? props.timeOrder ?? null : null,
  };
  const staticId = `${id}-static`;
  if (reading.kind !== "ready") {
    return (
      <div id={id} class="flame">
        <Pending
          id={staticId}
          page={page}
          words={t("The flame graph is being put together…")}
          wait={rich(
            "Putting the profiles together takes a while: <a>wait for the flame graph</a>.",
            { a: waitingLink(page) },
          )}
        />
        <FlameGraph staticId={staticId} packed={null} settings={settings} />
      </div>
    );
  }
  const tree = reading.value(side);
  const path = page.searchParams.get(`${prefix}path`);
  return (
    <FlameGraphPanel
      id={id}
      settings={settings}
      page={page}
      data={graphData(tree, null, platform)}
      zoomedData={readPath(path).length > 0 ? graphData(tree, path, platform) : null}
    />
  );
}

interface PendingProps {
  readonly id: string;
  /** Address of the page as it was asked for. */
  readonly page: URL;
  /** Says what is on its way. */
  readonly words: string;
  /** The same without script, with a {@linkcode waitingLink}. */
  readonly wait: ComponentChildren;
}

/** Holds the place of what is still made of profiles. Without script the page is asked for again, and waits. */
export function Pending({ id, page, words, wait }: PendingProps) {
  return (
    <div
      id={id}
      class="flex h-72 flex-col items-center justify-center rounded-lg border border-line bg-surface px-4 text-center text-muted"
    >
      <p role="status" class="hidden scripted:block">{words}</p>
      <noscript>
        <meta http-equiv="refresh" content={`0;url=${waitingHref(page)}`} />
        <p>{wait}</p>
      </noscript>
    </div>
  );
}

/** The same page with all that is made of profiles, however long that takes. */
export function waitingHref(page: URL): string {
  const waiting = new URLSearchParams(page.searchParams);
  waiting.set("wait", "1");
  return `${page.pathname}?${waiting}`;
}

/** Makes words a link to {@linkcode waitingHref}. */
export function waitingLink(page: URL) {
  return (words: ComponentChildren) => <a class="link" href={waitingHref(page)}>{words}</a>;
}

function Failed({ page }: { readonly page: URL }) {
  return (
    <Alert kind="danger" title={t("The flame graph could not be made")}>
      <p>
        {t(
          "The profiles could not be read from the object store, or merging them failed; the service's log says more. What else is on this page comes from the index and is right.",
        )}
      </p>
      <a class="link" href={page.pathname + page.search}>{t("Try again")}</a>
    </Alert>
  );
}

/** Where functions of a graph lead: the same page with their callers and callees, with their stacks only, without. */
export function graphLinks(path: string, params: Params, shape: Shape): FlameLinks {
  // Templates: what stands in braces is filled in, escaped, when somebody follows one.
  const link = (change: Partial<Shape>, name: string, value: string) => {
    const base = queryHref(path, [...params, ...shapeParams({ ...shape, ...change })]);
    return `${escapedBraces(base)}${base.includes("?") ? "&" : "?"}${name}=${value}`;
  };
  if (shape.by !== "function") return {};
  return {
    function: link({ function: "" }, "function", "{name}"),
    focus: link({ focus: "" }, "focus", "{regexp}"),
    ignore: link({ ignore: "" }, "ignore", "{regexp}"),
  };
}

/** Where source can be read; boxes that are no functions have no line of it. */
function sourceLinks(project: Pick<Project, "settings">, { by }: Shape): FlameLinks {
  if (by !== "function") return {};
  const { sourceLink, sourceRoot } = settingsOf(project);
  return sourceLink === "" ? {} : { source: sourceLink, sourceRoot };
}

/** Values of parameters are escaped already; the path has none. */
function escapedBraces(href: string): string {
  return href.replaceAll("{", "%7B").replaceAll("}", "%7D");
}

/** Graphs of so many nodes travel in the page; larger ones are fetched after it is painted. */
const INLINE_NODES = 2_000;

interface FlameGraphPanelProps {
  /** Unique on the page. */
  readonly id: string;
  readonly settings: FlameSettings;
  readonly data: FlameData;
  /**
   * Address of the page as it was asked for. Its query holds the state of the graph (`path`, `find`, `colour`, `lane`,
   * `tab`, `recursion`, `hide`); all else in it is kept.
   */
  readonly page: URL;
  /** Answer for the path that the page's address holds, so that boxes left out of `data` show without script. */
  readonly zoomedData: FlameData | null;
}

/**
 * A flame graph (root on top) with its table: drawn by the server, and taken over by the island, which zooms, searches
 * and walks.
 */
export function FlameGraphPanel(props: FlameGraphPanelProps) {
  const { id, settings, data, page, zoomedData } = props;
  if (hasNothing(data)) return <NoSamples />;
  const staticId = `${id}-static`;
  return (
    // The panel around it is the landmark of this name.
    <div role="group" id={id} class="flame" aria-label={settings.title}>
      <div id={staticId}>
        <StaticGraph {...{ data, zoomedData, settings, page }} />
      </div>
      <FlameGraph
        staticId={staticId}
        packed={data.depths.length <= INLINE_NODES ? JSON.stringify(data) : null}
        settings={settings}
      />
    </div>
  );
}

function StaticGraph({ data, zoomedData, settings, page }: {
  readonly data: FlameData;
  readonly zoomedData: FlameData | null;
  readonly settings: FlameSettings;
  readonly page: URL;
}) {
  const { prefix, sides, links, title, exports } = settings;
  const address = readAddress(page.searchParams, prefix);
  const linkTo = (change: Partial<FlameAddress>) => hrefOf(page, { ...address, ...change }, prefix);
  const came = flameTree(data);
  const tree = (zoomedData &&
    spliced(came, follow(came, address.path).node, address.path, zoomedData)) ?? came;
  const zoomed = follow(tree, address.path).node;
  const mode = address.colour ?? (tree.base === null ? "package" : "diff");
  return (
    <>
      <div class="flame-toolbar">
        <ViewTabs current={address.tab} hrefOf={(tab) => linkTo({ tab })} />
        {zoomed > 0 && <a class="flame-tool" href={linkTo({ path: [] })}>{t("Reset zoom")}</a>}
        <span class="grow" />
        <ExportMenu links={exports} />
      </div>
      {address.tab === "table" ? <StaticTable {...{ tree, title, sides, links }} /> : (
        <>
          <Legend tree={tree} mode={mode} />
          <div class="flame-box">
            <StaticIcicle {...{ tree, title, mode, sides, zoomed }} hrefOf={linkTo} />
          </div>
        </>
      )}
    </>
  );
}

function NoSamples() {
  return (
    <div class="rounded-lg border border-line">
      <EmptyState title={t("No samples")}>
        {t(
          "The profiles of this selection have no samples of this type: the process was idle, or what is selected leaves none of its stacks.",
        )}
      </EmptyState>
    </div>
  );
}
