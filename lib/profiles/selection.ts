import { t } from "../core/language/translate.ts";
import { MINUTE_MS, SECOND_MS } from "../core/time.ts";
import { type Interval, intervalOf, parseScope, type Scope } from "../ui/scope.ts";
import type { ProfileStores } from "./merge/merge_rows.ts";
import { type Merged, mergeProfiles } from "./merge/merge.ts";
import {
  type ProfileValueChoice,
  type ProfilingParams,
  readProfilingParams,
  type Shape,
  shaped,
  type Side,
} from "./params.ts";
import type { ProfileScope, ProfileSelection } from "./queries/profile_query.ts";
import { readProfiledServices } from "./queries/profiled_services.ts";
import { callTree } from "./trees/call_tree.ts";
import type { CallTree } from "./trees/stacks.ts";
import { bestValue, platformOf } from "./services.tsx";

/**
 * The interval of a scope; where that goes on with the time it is in whole minutes, so that a page and what it loads
 * afterwards ask for the same.
 */
export function steadyInterval(scope: Scope, now: Date): Interval {
  const { start, end } = intervalOf(scope, now);
  if (typeof scope.range !== "string" && scope.range.end !== null) return { start, end };
  return {
    start: new Date(Math.floor(start.getTime() / MINUTE_MS) * MINUTE_MS),
    end: new Date(Math.ceil(end.getTime() / MINUTE_MS) * MINUTE_MS),
  };
}

/** A scope whose time does not go on: links of a page mean what the page showed. */
export function frozen(scope: Scope, { start, end }: Interval): Scope {
  return { ...scope, range: { start, end } };
}

/** The profiles that a page is about, of whatever kind. */
export function profileScope(
  projectId: string,
  { environments, releases, services }: Scope,
  { start, end }: Interval,
  params: ProfilingParams,
): ProfileScope {
  const { transaction, labels, traceId, spanId, profilerId, threadId } = params;
  return {
    projectId,
    environments,
    releases,
    services,
    start,
    end,
    ...transaction !== "" && { transaction },
    ...labels.length > 0 && { labels },
    ...traceId !== null && { traceId },
    ...spanId !== null && { spanId },
    // Chunks of a continuous profiler go on before and after what is asked for.
    ...profilerId !== null && { profilerId, clip: true },
    ...threadId !== null && { threadId },
  };
}

/** The same with the values that are looked at; of time on the clock that of threads that served, unless all are asked for. */
export function profileSelection(
  scope: ProfileScope,
  { kind, type }: ProfileValueChoice,
  { allThreads }: Pick<ProfilingParams, "allThreads">,
): ProfileSelection {
  return { ...scope, kind, type, ...kind === "wall" && !allThreads && { servedOnly: true } };
}

/** What merging and its end need of the services. */
export interface MergeServices extends ProfileStores {
  readonly stopping: AbortSignal;
}

interface Kept {
  readonly work: Promise<Merged>;
  /** When it may be asked for no longer, by the clock of `performance`. */
  readonly until: number;
}

/** A page loads its graph right after itself. */
const KEPT_MS = 30 * SECOND_MS;
/** Of what lacks profiles: asked for again, there may be more, but the page that asked first loads what was found. */
const KEPT_LACKING_MS = 3 * SECOND_MS;
const MAX_KEPT = 4;
/** Larger ones are not kept: they take too much memory. */
const MAX_KEPT_NODES = 300_000;

const kept = new Map<string, Kept>();
/** Merges of one process's stores mean nothing to another's, of which tests have many. */
const storeIds = new WeakMap<object, number>();
let nextStoreId = 0;

/**
 * Merges the profiles of a selection. Who asks for the same at the same time, or soon after, gets the same.
 *
 * @throws as {@linkcode mergeProfiles}
 */
export function sharedMerge(
  services: MergeServices,
  selection: ProfileSelection,
): Promise<Merged> {
  const key = `${storeIdOf(services.sql)} ${JSON.stringify(selection)}`;
  const now = performance.now();
  for (const [each, { until }] of kept) if (until < now) kept.delete(each);
  const known = kept.get(key);
  if (known !== undefined) return known.work;
  const { sql, objects, stopping } = services;
  const work = mergeProfiles({ sql, objects }, selection, stopping);
  kept.set(key, { work, until: now + KEPT_MS });
  for (const oldest of kept.keys()) {
    if (kept.size <= MAX_KEPT) break;
    kept.delete(oldest);
  }
  work.then(({ stacks, left }) => {
    if (kept.get(key)?.work !== work) return;
    if (stacks.parents.length > MAX_KEPT_NODES) kept.delete(key);
    else if (left > 0) kept.set(key, { work, until: performance.now() + KEPT_LACKING_MS });
  }, () => kept.delete(key));
  return work;
}

/** The values of a merge that were asked for, as the shape wants them. */
export function mergedTree(
  { stacks, average }: Merged,
  { type }: Pick<ProfileSelection, "type">,
  shape: Shape,
  side: Side = null,
): CallTree {
  return shaped(callTree(stacks, type, average), shape, side);
}

/** What became of something that a page waits for. */
export type Waited<T> =
  | { readonly kind: "ready"; readonly value: T }
  /** It takes longer, and goes on. */
  | { readonly kind: "pending" }
  | { readonly kind: "failed"; readonly error: unknown };

/** The same with what was made of the value once it is there. */
export function whenReady<T, R>(waited: Waited<T>, of: (value: T) => R): Waited<R> {
  return waited.kind === "ready" ? { kind: "ready", value: of(waited.value) } : waited;
}

/** So long a page can wait for what is made of profiles; mostly that is kept from before. */
export const PAGE_WAIT_MS = 50;

/**
 * Waits for work, but no longer than a page can.
 *
 * @param limitMs `Infinity`: as long as it takes
 */
export async function waitedWithin<T>(work: Promise<T>, limitMs: number): Promise<Waited<T>> {
  const settled = work.then(
    (value): Waited<T> => ({ kind: "ready", value }),
    (error): Waited<T> => ({ kind: "failed", error }),
  );
  if (limitMs === Infinity) return await settled;
  const { promise: late, resolve } = Promise.withResolvers<Waited<T>>();
  const timer = setTimeout(() => resolve({ kind: "pending" }), limitMs);
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}

function storeIdOf(store: object): number {
  const known = storeIds.get(store);
  if (known !== undefined) return known;
  storeIds.set(store, ++nextStoreId);
  return nextStoreId;
}

interface GraphRequest {
  readonly params: ProfilingParams;
  readonly selection: ProfileSelection;
  /** Null: the whole graph. */
  readonly side: Side;
}

/**
 * Reads which graph an address asks for, as the page does that links to it.
 *
 * @returns or what is wrong, in a sentence
 */
export async function readGraphRequest(
  { sql }: Pick<MergeServices, "sql">,
  projectId: string,
  query: URLSearchParams,
): Promise<GraphRequest | string> {
  const params = readProfilingParams(query);
  const [wrong] = Object.entries(params.errors);
  if (wrong !== undefined) return `${wrong[0]}: ${wrong[1]}`;
  const side = query.get("side");
  if (side !== null && side !== "callers" && side !== "callees") {
    return `side: ${t("There are callers and callees.")}`;
  }
  const scope = parseScope(query);
  const where = profileScope(projectId, scope, steadyInterval(scope, new Date()), params);
  const value = params.value ??
    bestValue(await readProfiledServices(sql, where));
  if (value === null) {
    return `profile_type: ${t("There are no profiles here, so it has to be given.")}`;
  }
  return { params, selection: profileSelection(where, value, params), side };
}

interface ReadGraph extends GraphRequest {
  readonly merged: Merged;
  /** As `go`; undefined when there are several. */
  readonly platform: string | undefined;
}

/** Merges what was asked for. @throws as {@linkcode sharedMerge} */
export async function readGraph(
  services: MergeServices,
  request: GraphRequest,
): Promise<ReadGraph> {
  const { selection } = request;
  const [merged, profiled] = await Promise.all([
    sharedMerge(services, selection),
    readProfiledServices(services.sql, selection),
  ]);
  return { ...request, merged, platform: platformOf(profiled) };
}
