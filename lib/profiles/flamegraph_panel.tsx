import type { FlameData } from "../ui/flamegraph/flame_data.ts";
import FlameGraph from "../../islands/FlameGraph.tsx";
import { EmptyState } from "../ui/components/empty_state.tsx";
import { ExportMenu } from "../ui/flamegraph/export_menu.tsx";
import { Legend } from "../ui/flamegraph/legend.tsx";
import { type FlameAddress, hrefOf, readAddress } from "../ui/flamegraph/address.ts";
import { flameTree } from "../ui/flamegraph/flame_tree.ts";
import type { FlameLinks } from "../ui/flamegraph/links.ts";
import { follow } from "../ui/flamegraph/path.ts";
import { spliced } from "../ui/flamegraph/splice.ts";
import { SIDE_NAMES, type SideNames } from "../ui/flamegraph/words.ts";
import type { ExportLink, FlameSettings, TimeOrder } from "../ui/flamegraph/settings.ts";
import { StaticIcicle } from "../ui/flamegraph/static_icicle.tsx";
import { StaticTable } from "../ui/flamegraph/static_table.tsx";
import { ViewTabs } from "../ui/flamegraph/view_tabs.tsx";

/** Graphs of so many nodes travel in the page; larger ones are fetched after it is painted. */
const INLINE_NODES = 2_000;

export interface FlameGraphPanelProps {
  /** Unique on the page. */
  readonly id: string;
  /** What the graph shows, as `CPU time of checkout`. */
  readonly title: string;
  readonly data: FlameData;
  /**
   * Address of the page as it was asked for. Its query holds the state of the graph (`path`, `find`, `colour`, `lane`,
   * `tab`, `recursion`, `hide`); all else in it is kept.
   */
  readonly page: URL;
  /**
   * Answers the same `FlameData` as JSON, and what is below a path for `path=hash,hash,…` added to its query. Null:
   * `data` is all there is.
   */
  readonly dataHref: string | null;
  /** Answer for the path that the page's address holds, so that boxes left out of `data` show without script. */
  readonly zoomedData?: FlameData | null;
  /** Threads of a profile whose stacks are known in order of time. @default null */
  readonly timeOrder?: TimeOrder | null;
  /** Where functions lead. @default none */
  readonly links?: FlameLinks;
  /** @default none, save the picture that the browser makes */
  readonly exports?: readonly ExportLink[];
  /** Names of what is compared. @default before and after */
  readonly sides?: SideNames;
  /** Stands before the names of the query's parameters, for pages with several graphs. @default "" */
  readonly prefix?: string;
}

/**
 * A flame graph (root on top) with its table: drawn by the server, and taken over by the island, which zooms, searches
 * and walks.
 */
export function FlameGraphPanel(props: FlameGraphPanelProps) {
  const { id, title, data, page, dataHref, prefix = "", links = {}, exports = [] } = props;
  if (data.depths.length === 0 || isEmpty(data)) return <NoSamples />;
  const { zoomedData = null, timeOrder = null, sides = SIDE_NAMES } = props;
  const settings: FlameSettings = { title, prefix, dataHref, links, exports, sides, timeOrder };
  const isInline = dataHref === null || data.depths.length <= INLINE_NODES;
  const staticId = `${id}-static`;
  return (
    <section id={id} class="flame" aria-label={title}>
      <div id={staticId}>
        <StaticGraph {...{ data, zoomedData, settings, page }} />
      </div>
      <FlameGraph
        staticId={staticId}
        packed={isInline ? JSON.stringify(data) : null}
        settings={settings}
      />
    </section>
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
        {zoomed > 0 && <a class="flame-tool" href={linkTo({ path: [] })}>Reset zoom</a>}
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

function isEmpty({ totals, base }: FlameData): boolean {
  return (totals[0] ?? 0) === 0 && (base?.totals[0] ?? 0) === 0 && totals.length <= 1;
}

function NoSamples() {
  return (
    <div class="rounded-lg border border-line">
      <EmptyState title="No samples">
        The profiles of this selection have no samples of this type: the process was idle, or what
        is selected leaves none of its stacks.
      </EmptyState>
    </div>
  );
}
