import { InvalidInput } from "./invalid_input.ts";
import { keyOf } from "./kv_keys.ts";

const MAX_QUOTA = 1_000_000_000_000;

/** Requests that an organization may send in a calendar month (UTC); 0 is unlimited. */
export async function monthlyQuota(kv: Deno.Kv, organizationId: string): Promise<number> {
  return (await kv.get<number>(keyOf.quota(organizationId))).value ?? 0;
}

/**
 * Sets an organization's quota; it holds from the next request on.
 *
 * @param requests a month; 0 for unlimited
 * @throws {InvalidInput}
 */
export async function setMonthlyQuota(
  kv: Deno.Kv,
  organizationId: string,
  requests: number,
): Promise<void> {
  if (!Number.isInteger(requests) || requests < 0 || requests > MAX_QUOTA) {
    throw new InvalidInput("quota", "Enter a whole number of requests a month; 0 is unlimited.");
  }
  const key = keyOf.quota(organizationId);
  if (requests === 0) await kv.delete(key);
  else await kv.set(key, requests);
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
  const month = now.toISOString().slice(0, "2026-11".length);
  const [quota, used] = await kv.getMany<[number, number]>([
    keyOf.quota(organizationId),
    keyOf.quotaUse(organizationId, month),
  ]);
  return { quota: quota.value ?? 0, used: used.value ?? 0 };
}
