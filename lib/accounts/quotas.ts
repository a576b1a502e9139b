import { InvalidInput } from "../core/invalid_input.ts";
import { keyOf } from "./kv_keys.ts";
import { conflict, untilCommitted } from "./until_committed.ts";

const MAX_QUOTA = 1_000_000_000_000;
/** The count of a month is kept a while longer, for the pages that show it. */
export const KEEP_USE_MS = 100 * 24 * 60 * 60 * 1000;

/** Requests that an organization may send in a calendar month (UTC); 0 is unlimited. */
export async function monthlyQuota(kv: Deno.Kv, organizationId: string): Promise<number> {
  return (await kv.get<number>(keyOf.quota(organizationId))).value ?? 0;
}

/**
 * Sets an organization's quota; it holds from the next request on.
 *
 * @param requests a month; 0 for unlimited
 * @param usedBefore requests of this month that nobody has counted, because there was no quota yet
 * @throws {InvalidInput}
 */
export async function setMonthlyQuota(
  kv: Deno.Kv,
  organizationId: string,
  requests: number,
  usedBefore = 0,
): Promise<void> {
  if (!Number.isInteger(requests) || requests < 0 || requests > MAX_QUOTA) {
    throw new InvalidInput("quota", "Enter a whole number of requests a month; 0 is unlimited.");
  }
  const key = keyOf.quota(organizationId);
  if (requests === 0) return await kv.delete(key);
  const useKey = keyOf.quotaUse(organizationId, monthOf(new Date()));
  await untilCommitted("set the quota", async () => {
    const [quota, use] = await kv.getMany<[number, number]>([key, useKey]);
    const change = kv.atomic().check(quota).set(key, requests);
    if (quota.value === null && usedBefore > (use.value ?? 0)) {
      change.check(use).set(useKey, usedBefore, { expireIn: KEEP_USE_MS });
    }
    return (await change.commit()).ok ? undefined : conflict;
  });
}

function monthOf(time: Date): string {
  return time.toISOString().slice(0, "2026-11".length);
}

export interface QuotaUse {
  /** Requests a month; 0 is unlimited, and then nothing is counted. */
  readonly quota: number;
  /** Requests let in this month, those included that instances hold in hand for the next seconds. */
  readonly used: number;
}

/** An organization's quota and what is used of it in the month of `now`. */
export async function quotaUse(
  kv: Deno.Kv,
  organizationId: string,
  now: Date = new Date(),
): Promise<QuotaUse> {
  const [quota, used] = await kv.getMany<[number, number]>([
    keyOf.quota(organizationId),
    keyOf.quotaUse(organizationId, monthOf(now)),
  ]);
  return { quota: quota.value ?? 0, used: used.value ?? 0 };
}
