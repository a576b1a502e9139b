import { withTimeLimit } from "../core/waiting.ts";
import type { AsideState } from "../ingest/set_aside.ts";
import type { SpoolState } from "../ingest/spool.ts";
import type { Sql } from "../store/database.ts";
import type { ObjectStore } from "../store/objects/store.ts";
import type { Services } from "./services.ts";

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

/** `ok`: stored at once · `spooling`: kept for later, Postgres is away · `refusing`: answered with 503. */
export type IntakeState = "ok" | "spooling" | "refusing";

/** The state of the spool, or null while the object store does not answer. */
export async function spoolState({ spool }: Pick<Services, "spool">): Promise<SpoolState | null> {
  try {
    return await withTimeLimit(spool.state(), LIMIT_MS);
  } catch {
    return null;
  }
}

/** What was set aside because trying again does not store it, or null while the object store does not answer. */
export async function asideState({ spool }: Pick<Services, "spool">): Promise<AsideState | null> {
  try {
    return await withTimeLimit(spool.aside.state(), LIMIT_MS);
  } catch {
    return null;
  }
}

/**
 * What becomes of requests now. Without the object store only attachments and profiles are lost.
 *
 * @param isDiskLow whether nothing is taken because the disk has no room
 */
export function intakeState(
  health: Health,
  spool: SpoolState | null,
  isDiskLow: boolean,
): IntakeState {
  if (isDiskLow) return "refusing";
  const isAway = (store: string) => !health.ok && health.failing.includes(store);
  if (isAway("kv")) return "refusing";
  if (!isAway("postgres")) return "ok";
  const isFull = spool === null || spool.waitingBytes >= spool.maxBytes;
  return isAway("objects") || isFull ? "refusing" : "spooling";
}
