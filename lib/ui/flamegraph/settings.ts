import type { FlameLinks } from "./links.ts";
import type { SideNames } from "./words.ts";

/** An address that downloads the graph in some format. */
export interface ExportLink {
  /** As `pprof`, `Collapsed stacks`. */
  readonly label: string;
  readonly href: string;
}

/** Threads whose stacks are known in order of time. */
export interface TimeOrder {
  readonly threads: readonly { readonly id: string; readonly name: string }[];
  /** Answers the chart of a thread (`flameChart` as JSON); `{thread}` stands for its id. */
  readonly href: string;
}

/** What a graph can do besides showing its data; travels to the browser. */
export interface FlameSettings {
  /** What the graph shows, as `CPU time of checkout`. */
  readonly title: string;
  /** Stands before the names of the query's parameters, for pages with several graphs. */
  readonly prefix: string;
  /** Answers with more of the graph for `&path=hash,hash,…` (`flamePayload` as JSON); null: all is here. */
  readonly dataHref: string | null;
  readonly links: FlameLinks;
  readonly exports: readonly ExportLink[];
  readonly sides: SideNames;
  readonly timeOrder: TimeOrder | null;
}
