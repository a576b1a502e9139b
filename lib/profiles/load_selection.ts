/** Merges of profiles for pages: shared by those who ask for the same, and waited for as long as a page can wait. */
import { type Merged, mergeProfiles } from "./merge/merge.ts";
import type { ProfileStores } from "./merge/merge_work.ts";
import type { ProfileSelection } from "./queries/profile_types.ts";
import type { CallTree } from "./trees/stack_profile.ts";
import { type Shape, shaped, type Side, treeOfType } from "./shape.ts";

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
const KEPT_MS = 30_000;
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
    if (left > 0 || stacks.parents.length > MAX_KEPT_NODES) kept.delete(key);
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
  return shaped(treeOfType(stacks, type, average), shape, side);
}

/** What became of something that a page waits for. */
export type Waited<T> =
  | { readonly kind: "ready"; readonly value: T }
  /** It takes longer, and goes on. */
  | { readonly kind: "pending" }
  | { readonly kind: "failed"; readonly error: unknown };

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
