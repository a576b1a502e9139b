import type { Sql } from "../store/database.ts";
import { chooseValue } from "./queries/choose_value.ts";
import { listProfiles } from "./queries/list.ts";
import type { Merged } from "./merge/merge.ts";
import type { ProfileScope } from "./queries/profile_types.ts";
import type { Scope } from "../ui/scope.ts";
import {
  mergedTree,
  type MergeServices,
  sharedMerge,
  type Waited,
  waitedWithin,
} from "./load_selection.ts";
import {
  type LabelPair,
  NO_PARAMS,
  type ProfileValueChoice,
  readProfilingParams,
} from "./params.ts";
import { profileScope, profileSelection, steadyInterval } from "./selection.ts";
import { PLAIN, type Side } from "./shape.ts";
import type { CallTree } from "./trees/stack_profile.ts";

/** All profiles of the transactions of one name. */
export interface TransactionCode {
  readonly merged: Merged;
  readonly value: ProfileValueChoice;
  /** Which samples were chosen of profiles that are of such a transaction as a whole; empty for all. */
  readonly labels: readonly LabelPair[];
  /** Of the newest profile of the project, for telling own code from others. */
  readonly platform: string;
  readonly treeOf: (side: Side) => CallTree;
}

/** What the profiles of transactions are looked for as that do not say which transaction they are of. */
const LIKELY: readonly ProfileValueChoice[] = [
  { kind: "wall", type: { type: "wall", unit: "nanoseconds" } },
  { kind: "cpu", type: { type: "cpu", unit: "nanoseconds" } },
];

/** The thread that ran a transaction, of all that Python's SDK samples beside it, most of which wait. */
const ACTIVE_THREAD: LabelPair = ["active_thread", "true"];

/**
 * Merges the profiles of the transactions of one name.
 *
 * @param limitMs how long to wait for it; `Infinity`: as long as it takes
 * @returns null when there are none
 */
export async function loadTransactionCode(
  services: MergeServices,
  projectId: string,
  scope: Scope,
  name: string,
  limitMs: number,
  now: Date = new Date(),
): Promise<Waited<TransactionCode> | null> {
  const params = readProfilingParams(new URLSearchParams({ transaction: name }));
  const where = profileScope(projectId, scope, steadyInterval(scope, now), params);
  const platform = await platformIn(services.sql, where);
  if (platform === null) return null;
  const waited = await waitedWithin(mergeOfName(services, where), limitMs);
  if (waited.kind !== "ready") return waited;
  if (waited.value === null) return null;
  const { merged, value, labels } = waited.value;
  const treeOf = (side: Side) => mergedTree(merged, value, PLAIN, side);
  return { kind: "ready", value: { merged, value, labels, platform, treeOf } };
}

/** Platform of the newest profile of the time, whatever its transaction; null when there is none. */
async function platformIn(sql: Sql, where: ProfileScope): Promise<string | null> {
  const { transaction: _, ...whole } = where;
  const { rows: [newest] } = await listProfiles(sql, whole, { limit: 1 });
  return newest?.platform ?? null;
}

async function mergeOfName(services: MergeServices, where: ProfileScope) {
  const [named, labels] = await Promise.all([
    chooseValue(services.sql, where),
    threadLabels(services.sql, where),
  ]);
  const chosen = labels.length === 0 ? where : { ...where, labels };
  for (const value of named === null ? LIKELY : [named]) {
    const merged = await sharedMerge(services, profileSelection(chosen, value, NO_PARAMS));
    if (merged.profiles > 0) return { merged, value, labels };
  }
  return null;
}

/** Merges that choose among samples are not kept: only where the newest profile has several threads they have to. */
async function threadLabels(sql: Sql, where: ProfileScope): Promise<LabelPair[]> {
  const { rows: [newest] } = await listProfiles(sql, where, { limit: 1 });
  const { active_thread: active = [], thread_id: threads = [] } = newest?.labels ?? {};
  return active.includes(ACTIVE_THREAD[1]) && threads.length > 1 ? [ACTIVE_THREAD] : [];
}
