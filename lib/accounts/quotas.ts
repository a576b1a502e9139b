import { t } from "../core/language/translate.ts";
import { DAY_MS } from "../core/time.ts";
import { InvalidInput } from "../core/errors.ts";
import { changesBetween } from "../records/audit.ts";
import { addAudit } from "./audit.ts";
import { changesIntake, conflict, keyOf, TooManyWriters, untilCommitted } from "./kv.ts";
import {
  GRANTED,
  type LeaseStore,
  nullWhenCrowded,
  type Permit,
  type Waiter,
  WaitingLine,
} from "./rate_lease.ts";

const MAX_QUOTA = 1_000_000_000_000;
/** The count of a month is kept a while longer, for the pages that show it. */
export const KEEP_USE_MS = 100 * DAY_MS;

/** What a quota is of. */
export const QUOTA_KINDS = ["requests", "bytes"] as const;
export type QuotaKind = (typeof QUOTA_KINDS)[number];

/** What an organization may send in a calendar month (UTC), bytes as bodies are sent; 0 is unlimited. */
export type Quotas = Readonly<Record<QuotaKind, number>>;

/** As it is kept: a number of requests, as it has been from the beginning, unless there is a quota of bytes. */
export type StoredQuota = number | Quotas;

/** @param stored null: nothing was set */
export function quotasOf(stored: StoredQuota | null): Quotas {
  return typeof stored === "object" && stored !== null
    ? stored
    : { requests: stored ?? 0, bytes: 0 };
}

/** Requests that an organization may send in a calendar month (UTC); 0 is unlimited. */
export async function monthlyQuota(kv: Deno.Kv, organizationId: string): Promise<number> {
  return quotasOf((await kv.get<StoredQuota>(keyOf.quota(organizationId))).value).requests;
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
    throw new InvalidInput("quota", t("Enter a whole number of requests a month; 0 is unlimited."));
  }
  await setQuota(kv, organizationId, { kind: "requests", quota: requests, usedBefore });
}

/**
 * The same for bytes, as bodies are sent.
 *
 * @param bytes a month; 0 for unlimited, null for what was no size
 * @throws {InvalidInput}
 */
export async function setMonthlyBytes(
  kv: Deno.Kv,
  organizationId: string,
  bytes: number | null,
  usedBefore = 0,
): Promise<void> {
  if (bytes === null || !Number.isSafeInteger(bytes) || bytes < 0) {
    throw new InvalidInput("bytes", t("Enter a size, as 500GB or 500GiB; 0 is unlimited."));
  }
  await setQuota(kv, organizationId, { kind: "bytes", quota: bytes, usedBefore });
}

interface NewQuota {
  readonly kind: QuotaKind;
  readonly quota: number;
  readonly usedBefore: number;
}

async function setQuota(
  kv: Deno.Kv,
  organizationId: string,
  { kind, quota, usedBefore }: NewQuota,
): Promise<void> {
  const key = keyOf.quota(organizationId);
  const useKey = keyOfUse(kind, organizationId, monthOf(new Date()));
  await untilCommitted("set the quota", async () => {
    const [stored, use, organization] = await kv.getMany<[StoredQuota, number, { name: string }]>([
      key,
      useKey,
      keyOf.organization(organizationId),
    ]);
    const before = quotasOf(stored.value);
    const after = { ...before, [kind]: quota };
    const change = changesIntake(kv.atomic().check(stored));
    if (after.bytes > 0) change.set(key, after);
    else if (after.requests > 0) change.set(key, after.requests);
    else change.delete(key);
    if (quota > 0 && before[kind] === 0 && usedBefore > (use.value ?? 0)) {
      change.check(use).set(useKey, usedBefore, { expireIn: KEEP_USE_MS });
    }
    const label = organization.value?.name ?? organizationId;
    addAudit(change, {
      event: "org.quota",
      organizationId,
      target: { kind: "organization", id: organizationId, label },
      changes: changesBetween({ [kind]: before[kind] }, { [kind]: quota }),
    });
    return (await change.commit()).ok ? undefined : conflict;
  });
}

function keyOfUse(kind: QuotaKind, organizationId: string, month: string): Deno.KvKey {
  return kind === "bytes"
    ? keyOf.quotaBytesUse(organizationId, month)
    : keyOf.quotaUse(organizationId, month);
}

function monthOf(time: Date): string {
  return time.toISOString().slice(0, "2026-11".length);
}

export interface QuotaUse {
  /** Requests or bytes a month; 0 is unlimited, and then nothing is counted. */
  readonly quota: number;
  /** Let in this month, those included that instances hold in hand for the next seconds. */
  readonly used: number;
}

/** An organization's quota and what is used of it in the month of `now`. */
export async function quotaUse(
  kv: Deno.Kv,
  organizationId: string,
  now: Date = new Date(),
  kind: QuotaKind = "requests",
): Promise<QuotaUse> {
  const [quota, used] = await kv.getMany<[StoredQuota, number]>([
    keyOf.quota(organizationId),
    keyOfUse(kind, organizationId, monthOf(now)),
  ]);
  return { quota: quotasOf(quota.value)[kind], used: used.value ?? 0 };
}

/** What is leased ahead should last for so long. */
const LEASE_MS = 10_000;
/** At most this part of what is left of the month is leased ahead, so that little is stranded near its end. */
const LEASED_PART = 1 / 16;
/** At most this part of the quota is leased ahead: so much counts as used, without use, when a process is killed. */
export const STRANDED_PART = 1 / 100;
/** How long a refusal is repeated without asking the store whether another isolate gave something back. */
const REPEAT_REFUSAL_MS = 5_000;

const granted = Promise.resolve(GRANTED);
/** So many isolates lease permits of one organization that none comes through in time. */
const CROWDED: Permit = Object.freeze({ ok: false, retryAfterSec: 1 });

/** The permits of one organization, kind and calendar month (UTC) that this isolate has in hand. */
export class QuotaLease {
  readonly #line = new WaitingLine((waiters) => this.#serve(waiters));
  #quota = 0;
  #month = "";
  #monthEndsAt = 0;
  #unspent = 0;
  /** To be returned with the next lease. */
  #stale = 0;
  #refusedPermits = Infinity;
  #refusedUntil = 0;
  #lastUsedAt = 0;
  /** Permits asked for since `#countedFrom`, to foresee the demand. */
  #asked = 0;
  #countedFrom: number;

  constructor(
    private readonly kv: LeaseStore,
    private readonly organizationId: string,
    private readonly now: () => number,
    private readonly kind: QuotaKind = "requests",
  ) {
    this.#countedFrom = now();
  }

  /** Spends permits, all or none: from the hand without any wait, else from the store. */
  take(quota: number, permits: number): Promise<Permit> {
    const now = this.#advance();
    this.#lastUsedAt = now;
    this.#asked += permits;
    if (quota !== this.#quota) this.#follow(quota);
    if (this.#spendFromHand(permits)) return granted;
    if (now < this.#refusedUntil && permits >= this.#refusedPermits) {
      return Promise.resolve(this.#refusal(now));
    }
    return this.#line.join(permits);
  }

  /** Whether nobody has asked for a while: then what is in hand belongs back in the store. */
  get isIdle(): boolean {
    return this.#line.isEmpty && this.now() - this.#lastUsedAt > LEASE_MS;
  }

  /** Gives unspent permits back. */
  async release(): Promise<void> {
    await this.#line.settled();
    this.#advance();
    if (this.#unspent + this.#stale > 0) await this.#lease([]);
  }

  /** What was leased or refused under another quota says nothing under this one. */
  #follow(quota: number): void {
    this.#quota = quota;
    this.#refusedUntil = 0;
    this.#stale += this.#unspent;
    this.#unspent = 0;
  }

  #spendFromHand(permits: number): boolean {
    if (this.#unspent < permits) return false;
    this.#unspent -= permits;
    return true;
  }

  async #serve(waiters: Waiter[]): Promise<void> {
    this.#advance();
    const [fromHand, fromStore] = this.#split(waiters);
    for (const waiter of fromHand) waiter.answer(GRANTED);
    if (fromStore.length === 0) return;
    const served = await this.#lease(fromStore).catch(nullWhenCrowded);
    if (served === null) {
      for (const waiter of fromStore) waiter.answer(CROWDED);
      return;
    }
    const now = this.now();
    this.#refusedPermits = Infinity;
    for (const waiter of fromStore) {
      if (served.has(waiter)) {
        waiter.answer(GRANTED);
      } else {
        this.#refusedPermits = Math.min(this.#refusedPermits, waiter.permits);
        this.#refusedUntil = now + REPEAT_REFUSAL_MS;
        waiter.answer(this.#refusal(now));
      }
    }
  }

  #split(waiters: readonly Waiter[]): [fromHand: Waiter[], fromStore: Waiter[]] {
    const fromHand: Waiter[] = [];
    const fromStore: Waiter[] = [];
    for (const waiter of waiters) {
      (this.#spendFromHand(waiter.permits) ? fromHand : fromStore).push(waiter);
    }
    return [fromHand, fromStore];
  }

  /**
   * Changes what is in hand for what the waiters need and some more.
   *
   * @throws {TooManyWriters} what was in hand is returned with the next lease then
   */
  #lease(waiters: readonly Waiter[]): Promise<Set<Waiter>> {
    const returnedFor = this.#month;
    const returned = this.#unspent + this.#stale;
    this.#unspent = this.#stale = 0;
    const keepStale = (error: unknown): never => {
      // Of other errors nobody knows whether the permits were returned: they count as used, which is below the quota.
      if (error instanceof TooManyWriters && this.#month === returnedFor) this.#stale += returned;
      throw error;
    };
    return untilCommitted("lease permits of the quota", async () => {
      const now = this.#advance();
      const month = this.#month;
      const entry = await this.kv.get<number>(keyOfUse(this.kind, this.organizationId, month));
      const used = (entry.value ?? 0) - (month === returnedFor ? returned : 0);
      const served = new Set<Waiter>();
      let left = this.#quota - used;
      for (const waiter of waiters) {
        if (waiter.permits > left) continue;
        served.add(waiter);
        left -= waiter.permits;
      }
      const kept = served.size > 0
        ? Math.floor(
          Math.min(this.#foreseen(now), left * LEASED_PART, this.#quota * STRANDED_PART),
        )
        : 0;
      const taken = this.#quota - left + kept;
      if (taken === (entry.value ?? 0)) return served;
      const committed = await this.kv.atomic()
        .check(entry)
        .set(entry.key, taken, { expireIn: KEEP_USE_MS })
        .commit();
      if (!committed.ok) return conflict;
      // A month that ended meanwhile takes its permits with it.
      if (month === this.#month) this.#unspent = kept;
      return served;
    }).catch(keepStale);
  }

  /** Permits that will be asked for while a lease lasts, judging from the time since the last one. */
  #foreseen(now: number): number {
    const foreseen = this.#asked * LEASE_MS / Math.max(now - this.#countedFrom, LEASE_MS / 10);
    this.#asked = 0;
    this.#countedFrom = now;
    return foreseen;
  }

  /** Enters the month of the clock. */
  #advance(): number {
    const now = this.now();
    if (now >= this.#monthEndsAt) {
      const date = new Date(now);
      this.#month = date.toISOString().slice(0, "2026-11".length);
      this.#monthEndsAt = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
      this.#unspent = this.#stale = 0;
      this.#refusedUntil = 0;
    }
    return now;
  }

  #refusal(now: number): Permit {
    return { ok: false, retryAfterSec: Math.max(1, Math.ceil((this.#monthEndsAt - now) / 1000)) };
  }
}
