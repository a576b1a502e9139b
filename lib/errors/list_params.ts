import { ISSUE_STATUSES, type IssueStatus } from "./issue_status.ts";
import { type Scope, scopedHref } from "../ui/scope.ts";

export const STATUS_TABS = [...ISSUE_STATUSES, "all"] as const;
export type StatusTab = (typeof STATUS_TABS)[number];

export const ISSUE_SORTS = ["last_seen", "first_seen", "events", "users"] as const;
export type IssueSort = (typeof ISSUE_SORTS)[number];

/** Rows of one page. */
export const PAGE_SIZE = 50;

/** What the list of issues shows beyond the scope; all of it lives in the URL. */
export interface IssueListParams {
  readonly tab: StatusTab;
  /** The search box as typed. */
  readonly query: string;
  readonly sort: IssueSort;
  readonly cursor: string | null;
  /** Number of the first row in the whole list, 1 on the first page. Only for display. */
  readonly from: number;
}

const MAX_QUERY_LENGTH = 1_000;

/** Reads the list's parameters; whatever is unknown is as good as absent. */
export function parseIssueListParams(params: URLSearchParams): IssueListParams {
  const from = Number(params.get("from"));
  const cursor = params.get("cursor") || null;
  return {
    tab: STATUS_TABS.find((tab) => tab === params.get("status")) ?? "unresolved",
    query: (params.get("query") ?? "").trim().slice(0, MAX_QUERY_LENGTH),
    sort: ISSUE_SORTS.find((sort) => sort === params.get("sort")) ?? "last_seen",
    cursor,
    from: cursor !== null && Number.isSafeInteger(from) && from > 0 ? from : 1,
  };
}

/** The statuses behind a tab, or undefined for all. */
export function statusesOf(tab: StatusTab): readonly IssueStatus[] | undefined {
  return tab === "all" ? undefined : [tab];
}

/** Parameters that a link or form of the list carries beside the scope; paging starts anew with them. */
export function keptParams({ tab, query, sort }: IssueListParams): Record<string, string> {
  return {
    ...(query === "" ? {} : { query }),
    ...(tab === "unresolved" ? {} : { status: tab }),
    ...(sort === "last_seen" ? {} : { sort }),
  };
}

/** The list with some of its parameters changed, from its first page unless `cursor` says otherwise. */
export function issueListHref(
  path: string,
  scope: Scope,
  params: IssueListParams,
  changes: Partial<IssueListParams> = {},
): string {
  const { cursor, from, ...rest } = { ...params, cursor: null, from: 1, ...changes };
  return scopedHref(path, scope, {
    ...keptParams({ ...rest, cursor, from }),
    cursor,
    from: cursor !== null && from > 1 ? String(from) : null,
  });
}

/** The event or issue that somebody pasted into the search box. */
export interface IdInSearch {
  readonly kind: "event" | "issue";
  readonly id: string;
  /** False for bare digits, which may as well be words to search for: `404`. */
  readonly isCertain: boolean;
}

/** Reads a search that may be an id: of an event, with or without hyphens, or of an issue, as `#12` or `12`. */
export function idInSearch(query: string): IdInSearch | null {
  const hex = query.replaceAll("-", "").toLowerCase();
  if (/^[0-9a-f]{32}$/.test(hex)) return { kind: "event", id: hex, isCertain: true };
  const [, hash, digits] = /^(#?)(\d{1,18})$/.exec(query) ?? [];
  return digits ? { kind: "issue", id: digits, isCertain: hash === "#" } : null;
}
