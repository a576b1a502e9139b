import { keyOf } from "./kv_keys.ts";
import {
  type Bucket,
  LEASE_WINDOWS,
  type LeaseGrant,
  leasePermits,
  MAX_AHEAD_WINDOWS,
} from "./rate_bucket.ts";
import { conflict, untilCommitted } from "./until_committed.ts";
import { GRANTED, type Permit, type Waiter, WaitingLine } from "./waiting_line.ts";

const WINDOW_MS = 1000;
/** Until then a forgotten bucket is full again, whatever it held. */
const FORGET_AFTER_MS = 60_000;
/** A store that needs longer than a window for a commit leaves nothing to spend: then it is a refusal. */
const MAX_LATE_GRANTS = 3;

/** Windows are a second long, so in a second there are new permits. */
const REFUSED: Permit = Object.freeze({ ok: false, retryAfterSec: 1 });
const granted = Promise.resolve(GRANTED);
const refused = Promise.resolve(REFUSED);

/** What leases need of the control store. */
export type LeaseStore = Pick<Deno.Kv, "get" | "atomic">;

/** The permits of one project that this isolate has in hand. */
export class RateLease {
  readonly #line = new WaitingLine((waiters) => this.#serve(waiters));
  #limit = 0;
  #window = 0;
  /** Asked for in this window, and in the one before. */
  #asked = 0;
  #askedBefore = 0;
  #spent = 0;
  #unspent = 0;
  /** To be returned with the next lease. */
  #stale = 0;
  #expires = 0;
  #refusedIn = -1;

  constructor(
    private readonly kv: LeaseStore,
    private readonly projectId: string,
    private readonly holder: string,
    private readonly now: () => number,
  ) {}

  /** Spends a permit: from the hand without any wait, else from the store. */
  take(limit: number): Promise<Permit> {
    this.#advance();
    this.#asked++;
    if (limit !== this.#limit) this.#follow(limit);
    if (this.#spendFromHand()) return granted;
    if (this.#refusedIn === this.#window) return refused;
    return this.#line.join(1);
  }

  /** Whether nothing is lost when this object is forgotten. */
  get isIdle(): boolean {
    return this.#line.isEmpty && this.#clock() - this.#window > LEASE_WINDOWS;
  }

  /** Gives unspent permits back. */
  async release(): Promise<void> {
    await this.#line.settled();
    this.#advance();
    if (this.#unspent + this.#stale > 0) await this.#lease(0);
  }

  /** What was leased or refused under another limit says nothing under this one. */
  #follow(limit: number): void {
    this.#limit = limit;
    this.#refusedIn = -1;
    this.#stale += this.#unspent;
    this.#unspent = 0;
  }

  #spendFromHand(): boolean {
    if (this.#unspent === 0 || this.#expires < this.#window) return false;
    this.#unspent--;
    this.#spent++;
    return true;
  }

  async #serve(waiters: Waiter[]): Promise<void> {
    this.#advance();
    while (waiters.length > 0 && this.#spendFromHand()) waiters.shift()?.answer(GRANTED);
    for (let late = 0; waiters.length > 0 && late < MAX_LATE_GRANTS; late++) {
      const grant = await this.#lease(waiters.length);
      // What was granted for at once has ended with its window, if the store took that long.
      if (this.#advance() !== grant.bucket.window) continue;
      this.#spent += grant.served;
      for (const waiter of waiters.splice(0, grant.served)) waiter.answer(GRANTED);
      if (waiters.length > 0) this.#refusedIn = this.#window;
      break;
    }
    for (const waiter of waiters) waiter.answer(REFUSED);
  }

  /** Changes the lease in hand for a new one, in one commit. */
  #lease(waiting: number): Promise<LeaseGrant> {
    const returned = this.#unspent + this.#stale;
    this.#unspent = this.#stale = 0;
    return untilCommitted("lease permits", async () => {
      const entry = await this.kv.get<Bucket>(keyOf.rateBucket(this.projectId));
      const grant = leasePermits(entry.value, {
        holder: this.holder,
        window: this.#advance(),
        limit: this.#limit,
        spent: this.#spent,
        returned: this.#expires >= this.#window ? returned : 0,
        waiting,
        ahead: waiting && Math.ceil(Math.max(this.#asked, this.#askedBefore) * LEASE_WINDOWS),
      });
      // A clock that is behind adopts the window of the one that is ahead.
      this.#window = grant.bucket.window;
      // A bucket from the far future is replaced even by one that grants nothing, else it would stay.
      const isReset = entry.value !== null && entry.value.window > grant.bucket.window;
      if (grant.served + grant.kept + returned === 0 && !isReset) return grant;
      const committed = await this.kv.atomic()
        .check(entry)
        .set(entry.key, grant.bucket, { expireIn: FORGET_AFTER_MS })
        .commit();
      if (!committed.ok) return conflict;
      this.#unspent = grant.kept;
      this.#expires = grant.expires;
      return grant;
    });
  }

  /** Enters the window of the clock; back only when the clock was set back by more than clocks differ. */
  #advance(): number {
    const clock = this.#clock();
    const passed = clock - this.#window;
    if (passed > 0 || passed < -MAX_AHEAD_WINDOWS) {
      this.#askedBefore = passed > 0 ? this.#asked / passed : 0;
      this.#asked = 0;
      this.#spent = 0;
      if (passed < 0) this.#unspent = this.#stale = 0;
      this.#window = clock;
    }
    return this.#window;
  }

  #clock(): number {
    return Math.floor(this.now() / WINDOW_MS);
  }
}
