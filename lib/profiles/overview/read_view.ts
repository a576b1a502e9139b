import { PROFILE_ORDERS, type ProfileOrder } from "../queries/list.ts";
import { readSorting, type Sorting, sortingText } from "../../ui/sorting.ts";
import type { Params } from "../params.ts";
import { TOP_COLUMNS } from "../top_table.tsx";

export const VIEWS = ["flame", "top", "changes", "list"] as const;
export type View = (typeof VIEWS)[number];

/** What of the page is looked at, and where in its lists. */
export interface ViewState {
  readonly view: View;
  /** What functions are searched for. */
  readonly query: string;
  readonly sorting: Sorting;
  readonly page: string | null;
  readonly order: ProfileOrder;
  readonly cursor: string | null;
  /** The page is to come with its graph, however long that takes: nothing would fetch it. */
  readonly waits: boolean;
}

const MAX_QUERY = 200;
const FIRST: Sorting = { key: "self", isDescending: true };

/** Reads the state of the views out of the query; what is unknown is as good as absent. */
export function readView(query: URLSearchParams): ViewState {
  return {
    view: VIEWS.find((view) => view === query.get("view")) ?? "flame",
    query: (query.get("query") ?? "").slice(0, MAX_QUERY),
    sorting: readSorting(query.get("sort"), TOP_COLUMNS, FIRST),
    page: query.get("page"),
    order: PROFILE_ORDERS.find((order) => order === query.get("order")) ?? "newest",
    cursor: query.get("cursor"),
    waits: query.get("wait") === "1",
  };
}

/** The same as parameters of links within the view, without the place in its list. */
export function viewParams({ view, query, sorting, order }: ViewState): Params {
  const sort = sortingText(sorting);
  const all: Params = [
    ["view", view === "flame" ? "" : view],
    ["query", view === "top" ? query : ""],
    ["sort", view === "top" && sort !== sortingText(FIRST) ? sort : ""],
    ["order", view === "list" && order !== "newest" ? order : ""],
  ];
  return all.filter(([, value]) => value !== "");
}
