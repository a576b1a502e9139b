import type { Logger } from "../../core/log.ts";
import { natureOf } from "../../formats/pprof/sample_types.ts";
import type { CursorPage } from "../../store/cursor.ts";
import { listProfiles } from "../queries/list.ts";
import type { Merged } from "../merge/merge.ts";
import { type NamedTraces, readNamedTraces } from "../queries/named_traces.ts";
import type { ProfileRow, ProfileSelection } from "../queries/profile_types.ts";
import { readRegressions, type Regressions } from "../merge/regressions.ts";
import {
  type ProfiledService,
  readProfiledServices,
} from "../queries/services.ts";
import { tellsServed } from "../merge/served_threads.ts";
import { readProfiledVersions } from "../queries/versions.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { type MergeServices, sharedMerge, type Waited, waitedWithin } from "../load_selection.ts";
import { type ProfileValueChoice, type ProfilingParams, readProfilingParams } from "../params.ts";
import { profileScope, profileSelection, steadyInterval } from "../selection.ts";
import { bestValue, valuesOf } from "../value_picker.tsx";
import type { Nature } from "../words.ts";
import { loadTop, type Top } from "./load_top.ts";
import { withProfiled } from "../with_profiled.ts";
import { readView, type ViewState } from "./read_view.ts";
import { loadVolume, type Volume } from "./volume.ts";

/** What the page needs of the services. */
export interface OverviewServices extends MergeServices {
  readonly log: Logger;
}

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
  readonly tracing: Tracing;
  readonly params: ProfilingParams;
  readonly view: ViewState;
  /** Of the project in this time, whichever are chosen. */
  readonly services: readonly ProfiledService[];
  /** Null: there are no profiles here. */
  readonly looked: Looked | null;
}

/** So long a page can wait for its graph; mostly that is kept from before. */
const PAGE_WAIT_MS = 400;
const PAGE_ROWS = 50;
/** Under the graph, as a beginning. */
const FIRST_ROWS = 10;

/** Reads all that the overview of profiles shows. */
export async function loadOverview(
  services: OverviewServices,
  opened: Tracing,
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
    tracing: { ...withProfiled(opened, all, versions), interval },
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
  { project, now }: Tracing,
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
  const [volume, merge, top, changes, list, tells] = await Promise.all([
    loadVolume(sql, selection, now),
    view.view === "flame"
      ? told(sharedMerge(services, selection), view.waits ? Infinity : PAGE_WAIT_MS)
      : { kind: "pending" } as const,
    view.view === "top" ? told(loadTop(services, selection, params.shape, view), Infinity) : null,
    view.view === "changes"
      ? told(readRegressions(services, selection, { stopping: services.stopping }), Infinity)
      : null,
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
    platform: platformOf(ours, value),
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

/** The platform that all services with such profiles share. */
export function platformOf(
  services: readonly ProfiledService[],
  { kind }: ProfileValueChoice,
): string | undefined {
  const platforms = new Set(
    services.filter(({ kinds }) => kinds.some((each) => each.kind === kind))
      .map(({ platform }) => platform),
  );
  const [platform] = platforms;
  return platforms.size === 1 && platform !== "" ? platform : undefined;
}
