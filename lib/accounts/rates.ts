import { type QuotaKind, QuotaLease } from "./quotas.ts";
import { GRANTED, type LeaseStore, type Permit, RateLease } from "./rate_lease.ts";

export type { Permit } from "./rate_lease.ts";

const SWEEP_EVERY_MS = 10_000;
const granted = Promise.resolve(GRANTED);

/** Counters shared by all isolates and machines; `leasePermits()` says what they promise. */
export interface RateLimiter {
  /**
   * Spends one permit of a project: `limitPerSec` in a second, in a burst twice that. With permits in
   * hand it touches no store; a project costs a few commits a second, ten while it is over its rate.
   */
  take(projectId: string, limitPerSec: number): Promise<Permit>;

  /** Whether a project has been refused a permit and cannot get one in this moment. Touches no store. */
  isSpent(projectId: string): boolean;

  /**
   * Spends permits of an organization's calendar month (UTC), all or none. A raised quota holds from the
   * next call on.
   *
   * @param quota permits a month; 0 is unlimited and costs nothing
   * @param permits how many, at least 1
   * @param kind of what. @default "requests"
   */
  takeMonthly(
    organizationId: string,
    quota: number,
    permits: number,
    kind?: QuotaKind,
  ): Promise<Permit>;

  /** Gives back quota that is not being used and forgets idle projects; happens every 10 s by itself. */
  sweep(): Promise<void>;

  /**
   * Gives back all permits in hand. What cannot be given back, because the store is away, expires
   * (rates) or counts as used (quotas).
   */
  close(): Promise<void>;
}

interface RatesOptions {
  /**
   * Milliseconds since 1970.
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** Opens the counters of this isolate. Several on one store share the limits. */
export function openRates(kv: LeaseStore, { now = Date.now }: RatesOptions = {}): RateLimiter {
  const holder = crypto.randomUUID();
  const projects = new Map<string, RateLease>();
  const organizations = new Map<string, QuotaLease>();

  async function sweep(): Promise<void> {
    for (const [id, lease] of projects) {
      if (lease.isIdle) projects.delete(id);
    }
    const idle = [...organizations].filter(([, lease]) => lease.isIdle);
    await Promise.allSettled(idle.map(([, lease]) => lease.release()));
    for (const [id, lease] of idle) {
      if (lease.isIdle) organizations.delete(id);
    }
  }

  const timer = setInterval(sweep, SWEEP_EVERY_MS);
  Deno.unrefTimer(timer);

  return {
    take(projectId, limitPerSec) {
      let lease = projects.get(projectId);
      if (lease === undefined) {
        lease = new RateLease(kv, projectId, holder, now);
        projects.set(projectId, lease);
      }
      return lease.take(limitPerSec);
    },
    isSpent: (projectId) => projects.get(projectId)?.isSpent ?? false,
    takeMonthly(organizationId, quota, permits, kind = "requests") {
      if (quota === 0) return granted;
      const id = `${kind} ${organizationId}`;
      let lease = organizations.get(id);
      if (lease === undefined) {
        lease = new QuotaLease(kv, organizationId, now, kind);
        organizations.set(id, lease);
      }
      return lease.take(quota, permits);
    },
    sweep,
    async close() {
      clearInterval(timer);
      const leases = [...projects.values(), ...organizations.values()];
      await Promise.allSettled(leases.map((lease) => lease.release()));
    },
  };
}
