import { keyOf } from "./kv_keys.ts";

/** Who may do a piece of work, and until when. */
interface Lease {
  readonly holder: string;
  /** Milliseconds since 1970, by the holder's clock. */
  readonly until: number;
}

/**
 * Takes the right to do a piece of work that only one process may do at a time, or renews it. Clocks
 * of machines differ, so let it last longer than the work between two renewals takes by some seconds;
 * the work should be harmless when done twice.
 *
 * @param work name of the work
 * @param holder id of this process, made once with `crypto.randomUUID()`
 * @param durationMs how long the right lasts without renewal
 * @returns false while somebody else has it
 */
export async function takeLease(
  kv: Deno.Kv,
  work: string,
  holder: string,
  durationMs: number,
): Promise<boolean> {
  const key = keyOf.lease(work);
  const entry = await kv.get<Lease>(key);
  const now = Date.now();
  if (entry.value !== null && entry.value.holder !== holder && entry.value.until > now) {
    return false;
  }
  const lease: Lease = { holder, until: now + durationMs };
  const commit = await kv.atomic().check(entry).set(key, lease, { expireIn: durationMs }).commit();
  return commit.ok;
}

/** Gives the right back before its time is over; nothing happens when somebody else has it. */
export async function returnLease(kv: Deno.Kv, work: string, holder: string): Promise<void> {
  const entry = await kv.get<Lease>(keyOf.lease(work));
  if (entry.value?.holder === holder) await kv.atomic().check(entry).delete(entry.key).commit();
}
