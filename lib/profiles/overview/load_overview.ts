import { type Params, paramsOf } from "../../ui/links.ts";
import type { Logger } from "../../core/log.ts";
import { natureOf } from "../../formats/pprof/sample_types.ts";
import type { PageScope } from "../../releases/request_scope.ts";
import type { Sql } from "../../store/database.ts";
import type { CursorPage } from "../../store/query_limits.ts";
import { before, stepOf } from "../../store/stats/steps.ts";
import {
  type ListPage,
  pageOf,
  readSorting,
  sorted,
  type Sorting,
  sortingText,
} from "../../ui/sorted_list.tsx";
import type { Merged } from "../merge/merge.ts";
import { readRegressions, type Regressions } from "../merge/regressions.ts";
import { tellsServed } from "../merge/transaction_samples.ts";
import {
  type ProfileValueChoice,
  type ProfilingParams,
  readProfilingParams,
  type Shape,
} from "../params.ts";
import type { ProfileRow, ProfileSelection } from "../queries/profile_query.ts";
import {
  firstStep,
  type ProfiledService,
  readProfiledServices,
  readProfiledVersions,
  readVolume,
  type VolumePoint,
} from "../queries/profiled_services.ts";
import {
  listProfiles,
  type NamedTraces,
  PROFILE_ORDERS,
  type ProfileOrder,
  readNamedTraces,
} from "../queries/stored_profiles.ts";
import {
  mergedTree,
  type MergeServices,
  PAGE_WAIT_MS,
  profileScope,
  profileSelection,
  sharedMerge,
  steadyInterval,
  type Waited,
  waitedWithin,
} from "../selection.ts";
import { bestValue, platformOf, valuesOf, withProfiled } from "../services.tsx";
import { TOP_COLUMNS } from "../top_table.tsx";
import { searchedRows, type TopRow, topRows } from "../trees/top_functions.ts";
import type { Nature } from "../words.ts";

/** What the page needs of the services. */
type OverviewServices = MergeServices & { readonly log: Logger };

/** What is looked at, when there is anything. */
export interface Looked {
  readonly value: ProfileValueChoice;
  readonly selection: ProfileSelection;
  readonly values: readonly ProfileValueChoice[];
  /** As `go`; undefined when there are several. */
  readonly platform: string | undefined;
  readonly nature: Nature;
  readonly volume: Volume;
  /** For the views that are made of it; pending for others. */
  readonly merge: Waited<Merged>;
  readonly top: Waited<Top> | null;
  readonly changes: Waited<Regressions | null> | null;
  readonly list: CursorPage<ProfileRow>;
  /** Traces that samples name, the first of each profile of the list. */
  readonly named: ReadonlyMap<string, NamedTraces>;
  /** Profiles tell of threads that served and of others. */
  readonly tellsServed: boolean;
}

export interface Overview {
  readonly pageScope: PageScope;
  readonly params: ProfilingParams;
  readonly view: ViewState;
  /** Of the project in this time, whichever are chosen. */
  readonly services: readonly ProfiledService[];
  /** Null: there are no profiles here. */
  readonly looked: Looked | null;
}

/** What the views of the page are handed. */
export interface LookedView extends Overview {
  readonly looked: Looked;
  /** Address of the page as it was asked for. */
  readonly page: URL;
  /** `/projects/<id>/profiling` */
  readonly path: string;
  /** Scope and all parameters, without the view and the shape. */
  readonly base: Params;
  /** `CPU time of checkout` */
  readonly title: string;
}

const PAGE_ROWS = 50;
/** Under the graph, as a beginning. */
const FIRST_ROWS = 10;

/** Reads all that the overview of profiles shows. */
export async function loadOverview(
  services: OverviewServices,
  opened: PageScope,
  query: URLSearchParams,
): Promise<Overview> {
  const { sql } = services;
  const interval = steadyInterval(opened.scope, opened.now);
  const params = readProfilingParams(query);
  const view = readView(query);
  const scope = profileScope(opened.project.id, opened.scope, interval, params);
  const anyVersion = { ...scope, environments: [], releases: [] };
  const [all, versions] = await Promise.all([
    readProfiledServices(sql, { ...scope, services: [] }),
    readProfiledVersions(sql, anyVersion),
  ]);
  const chosen = opened.scope.services;
  const ours = chosen.length === 0 ? all : all.filter(({ service }) => chosen.includes(service));
  const value = params.value ?? bestValue(ours);
  const looked = value === null
    ? null
    : await look(services, opened, { ours, value, view, params, scope });
  return {
    pageScope: { ...withProfiled(opened, all, versions), interval },
    params,
    view,
    services: all,
    looked,
  };
}

interface Looking {
  readonly ours: readonly ProfiledService[];
  readonly value: ProfileValueChoice;
  readonly view: ViewState;
  readonly params: ProfilingParams;
  readonly scope: ReturnType<typeof profileScope>;
}

async function look(
  services: OverviewServices,
  { project, now }: PageScope,
  { ours, value, view, params, scope }: Looking,
): Promise<Looked> {
  const { sql, log } = services;
  const selection = profileSelection(scope, value, params);
  const told = <T>(work: Promise<T>, limitMs: number) =>
    waitedWithin(work, limitMs).then((waited) => {
      if (waited.kind === "failed") {
        log.error("cannot merge profiles", { project: project.id, error: String(waited.error) });
      }
      return waited;
    });
  const limitMs = view.waits ? Infinity : PAGE_WAIT_MS;
  const [volume, merge, top, changes, list, tells] = await Promise.all([
    loadVolume(sql, selection, now),
    view.view === "flame"
      ? told(sharedMerge(services, selection), limitMs)
      : { kind: "pending" } as const,
    view.view === "top" ? told(loadTop(services, selection, params.shape, view), limitMs) : null,
    view.view === "changes" ? told(readRegressions(services, selection), limitMs) : null,
    listProfiles(sql, selection, {
      limit: view.view === "list" ? PAGE_ROWS : FIRST_ROWS,
      cursor: view.cursor,
      sort: view.view === "list" ? view.order : "newest",
    }),
    value.kind === "wall" && params.threadId === null ? tellsServed(sql, selection) : false,
  ]);
  const named = await readNamedTraces(sql, project.id, list.rows, 1);
  return {
    value,
    selection,
    values: valuesOf(ours),
    platform: platformOf(ours, value.kind),
    nature: natureOf(value.kind, value.type.type, false),
    volume,
    merge,
    top,
    changes,
    list,
    named,
    tellsServed: tells,
  };
}

/** Functions of merged profiles. */
export interface Top {
  readonly merged: Merged;
  readonly list: ListPage<TopRow>;
  /** Value of everything, in `unit`. */
  readonly all: bigint;
  readonly unit: string;
  /** Profiles of the time before, with which shares are compared. */
  readonly compared: number;
}

/** Functions of a selection, compared with the same time before, as sorted, searched and cut as the view wants it. */
async function loadTop(
  services: MergeServices,
  selection: ProfileSelection,
  shape: Shape,
  { query, sorting, page }: ViewState,
): Promise<Top> {
  const [merged, earlier] = await Promise.all([
    sharedMerge(services, selection),
    sharedMerge(services, { ...selection, ...before(selection) }),
  ]);
  // Inverted a graph has the same functions with the same totals.
  const straight: Shape = { ...shape, isInverted: false };
  const tree = mergedTree(merged, selection, straight);
  const rows = topRows(tree, mergedTree(earlier, selection, straight));
  return {
    merged,
    list: pageOf(sorted(searchedRows(rows, query), TOP_COLUMNS, sorting), page),
    all: tree.totals[0] ?? 0n,
    unit: tree.type.unit,
    compared: earlier.profiles,
  };
}

const VIEWS = ["flame", "top", "changes", "list"] as const;
export type View = (typeof VIEWS)[number];

/** What of the page is looked at, and where in its lists. */
interface ViewState {
  readonly view: View;
  /** What functions are searched for. */
  readonly query: string;
  readonly sorting: Sorting;
  readonly page: string | null;
  readonly order: ProfileOrder;
  readonly cursor: string | null;
  /** The page is to come with its graph or list, however long that takes. */
  readonly waits: boolean;
}

const MAX_QUERY = 200;
const FIRST: Sorting = { key: "self", isDescending: true };

/** Reads the state of the views out of the query; what is unknown is as good as absent. */
function readView(query: URLSearchParams): ViewState {
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
  return paramsOf({
    view: view === "flame" ? null : view,
    query: view === "top" ? query : null,
    sort: view === "top" && sort !== sortingText(FIRST) ? sort : null,
    order: view === "list" && order !== "newest" ? order : null,
  });
}

/** How many profiles there are along the time, and what they add up to. */
export interface Volume {
  readonly stepMs: number;
  /** Starts of the steps, in milliseconds since 1970. */
  readonly times: readonly number[];
  readonly profiles: readonly number[];
  /** In the unit of the selection; null where there is no profile. */
  readonly totals: readonly (number | null)[];
  /** Of all steps. */
  readonly count: number;
}

/** Reads how much there is of a selection along its time. */
async function loadVolume(
  sql: Sql,
  selection: ProfileSelection,
  now: Date,
): Promise<Volume> {
  const stepMs = stepOf(selection, now);
  return alongSteps(await readVolume(sql, selection, stepMs), selection, stepMs, now);
}

/** Puts points in their places along an interval; steps are counted from {@linkcode firstStep}. */
export function alongSteps(
  points: readonly VolumePoint[],
  { start, end }: Pick<ProfileSelection, "start" | "end">,
  stepMs: number,
  now: Date,
): Volume {
  const byTime = new Map(points.map((point) => [point.time.getTime(), point]));
  const first = firstStep({ start }, stepMs).getTime();
  const last = points.at(-1)?.time.getTime() ?? first;
  const until = Math.min(end.getTime(), Math.max(now.getTime(), last + 1));
  const count = Math.max(1, Math.ceil((until - first) / stepMs));
  const times = Array.from({ length: count }, (_, place) => first + place * stepMs);
  return {
    stepMs,
    times,
    profiles: times.map((time) => byTime.get(time)?.profiles ?? 0),
    totals: times.map((time) => byTime.get(time)?.total ?? null),
    count: points.reduce((sum, { profiles }) => sum + profiles, 0),
  };
}
