import type { ObjectStore } from "../store/objects/store.ts";
import type { Sql } from "../store/database.ts";
import { withTimeLimit } from "../core/time_limit.ts";

/** A store that takes longer is as good as away. */
const LIMIT_MS = 2_000;

export type Health =
  | { readonly ok: true }
  /** Names among `kv`, `postgres`, `objects`. */
  | { readonly ok: false; readonly failing: string[] };

/** Asks all three stores whether they answer, at most 2 s. Never throws. */
export async function checkStores(
  stores: { readonly kv: Deno.Kv; readonly sql: Sql; readonly objects: ObjectStore },
): Promise<Health> {
  const checks: [name: string, check: () => Promise<unknown>][] = [
    ["kv", () => stores.kv.get(["ready"])],
    ["postgres", () => stores.sql`select 1`],
    ["objects", () => stores.objects.check()],
  ];
  const failures = await Promise.all(
    checks.map(async ([name, check]) => await answers(check) ? [] : [name]),
  );
  const failing = failures.flat();
  return failing.length === 0 ? { ok: true } : { ok: false, failing };
}

async function answers(check: () => Promise<unknown>): Promise<boolean> {
  try {
    await withTimeLimit(check(), LIMIT_MS);
    return true;
  } catch {
    return false;
  }
}
