import { conflict, keyOf, TooManyWriters, untilCommitted } from "./kv.ts";

/** The answer to a request for permits. */
export type Permit = { readonly ok: true } | {
  readonly ok: false;
  readonly retryAfterSec: number;
};

export interface Waiter {
  readonly permits: number;
  answer(permit: Permit): void;
}

interface Waiting extends Waiter {
  fail(error: unknown): void;
}

/** One object for all: the hot path makes none. */
export const GRANTED: Permit = Object.freeze({ ok: true });

/**
 * Callers who wait for permits. However many come, one trip to the store at a time is under way for them;
 * those who come meanwhile share the next one.
 */
export class WaitingLine {
  #waiting: Waiting[] = [];
  #serving: Promise<void> | null = null;

  /** @param serve answers all the waiters it is given; when it throws, they are told the error */
  constructor(private readonly serve: (waiters: Waiter[]) => Promise<void>) {}

  /** Waits for permits: all of them, or none. */
  join(permits: number): Promise<Permit> {
    return new Promise((answer, fail) => {
      this.#waiting.push({ permits, answer, fail });
      this.#serving ??= this.#serveAll();
    });
  }

  /** Resolves when nobody waits. */
  async settled(): Promise<void> {
    await this.#serving;
  }

  get isEmpty(): boolean {
    return this.#serving === null;
  }

  async #serveAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const waiters = this.#waiting;
      this.#waiting = [];
      try {
        await this.serve([...waiters]);
      } catch (error) {
        for (const waiter of waiters) waiter.fail(error);
      }
    }
    this.#serving = null;
  }
}

const WINDOW_MS = 1000;
/** Until then a forgotten bucket is full again, whatever it held. */
const FORGET_AFTER_MS = 60_000;
/** A store that needs longer than a window for a commit leaves nothing to spend: then it is a refusal. */
const MAX_LATE_GRANTS = 3;

/** In a second there are new permits, whenever the refusal was. */
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
  /** The moment until whose end there are no other permits than those in hand. */
  #dryAt = -1;
  /** Those in hand when that was learnt, and when. */
  #last = { permits: 0, at: 0 };

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
    const isDry = this.#isDry();
    if (!(isDry && this.#isEarly()) && this.#spendFromHand()) return granted;
    if (isDry) return refused;
    return this.#line.join(1);
  }

  /** Whether there is no permit left for this moment. */
  get isSpent(): boolean {
    this.#advance();
    return this.#isDry() && (!this.#hasInHand() || this.#isEarly());
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
    this.#dryAt = -1;
    this.#stale += this.#unspent;
    this.#unspent = 0;
  }

  #hasInHand(): boolean {
    return this.#unspent > 0 && this.#expires >= this.#window;
  }

  #isDry(): boolean {
    return this.#dryAt === momentOf(this.now(), this.#limit);
  }

  /** Whether what is in hand is for later in this moment, in which there is nothing else. */
  #isEarly(): boolean {
    const { permits, at } = this.#last;
    const end = (this.#dryAt + 1) / momentsOf(this.#limit) * WINDOW_MS;
    return this.#unspent <= (permits - HEAD_START) * (end - this.now()) / (end - at);
  }

  #spendFromHand(): boolean {
    if (!this.#hasInHand()) return false;
    this.#unspent--;
    this.#spent++;
    return true;
  }

  async #serve(waiters: Waiter[]): Promise<void> {
    for (let late = 0; late <= MAX_LATE_GRANTS; late++) {
      this.#advance();
      while (waiters.length > 0 && this.#spendFromHand()) waiters.shift()?.answer(GRANTED);
      if (waiters.length === 0 || late === MAX_LATE_GRANTS) break;
      const moment = momentOf(this.now(), this.#limit);
      const grant = await this.#lease(waiters.length).catch(nullWhenCrowded);
      if (grant === null) break;
      // What was granted for at once has ended with its window, if the store took that long.
      if (this.#advance() !== grant.bucket.window) continue;
      this.#spent += grant.served;
      for (const waiter of waiters.splice(0, grant.served)) waiter.answer(GRANTED);
      if (waiters.length > 0 || grant.left === 0) {
        this.#dryAt = moment;
        this.#last = { permits: grant.kept, at: this.now() };
      }
      break;
    }
    for (const waiter of waiters) waiter.answer(REFUSED);
  }

  /**
   * Changes the lease in hand for a new one, in one commit.
   *
   * @throws {TooManyWriters} what was in hand is returned with the next lease then
   */
  #lease(waiting: number): Promise<LeaseGrant> {
    const returned = this.#unspent + this.#stale;
    this.#unspent = this.#stale = 0;
    const keepStale = (error: unknown): never => {
      // Of other errors nobody knows whether it was returned: it counts as unspent until it expires, which is below the limit.
      if (error instanceof TooManyWriters) this.#stale += returned;
      throw error;
    };
    let crowdMs = 0;
    const attempt = async () => {
      const began = performance.now();
      const entry = await this.kv.get<Bucket>(keyOf.rateBucket(this.projectId));
      const grant = leasePermits(entry.value, {
        holder: this.holder,
        window: this.#advance(),
        elapsed: this.now() % WINDOW_MS / WINDOW_MS,
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
      if (!committed.ok) {
        crowdMs = crowdTime(grant.bucket, performance.now() - began);
        return conflict;
      }
      this.#unspent = grant.kept;
      this.#expires = grant.expires;
      return grant;
    };
    return untilCommitted("lease permits", attempt, () => crowdMs).catch(keepStale);
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

/** A trip that took longer was held up by something else. */
const MAX_TRIP_MS = 5;

/**
 * How long holders take who come one after the other: when all of them come sooner most trips are in vain, and those keep
 * the store from the others.
 *
 * @param tripMs how long one of them took
 */
function crowdTime({ holders }: Bucket, tripMs: number): number {
  return Object.keys(holders).length * Math.min(tripMs, MAX_TRIP_MS);
}

/** So many isolates lease the same permits that none comes through in time: they have to ask less often, so it is a refusal. */
export function nullWhenCrowded(error: unknown): null {
  if (error instanceof TooManyWriters) return null;
  throw error;
}

/** A lease may be spent in the window it was made in and in those after it, this many in all. */
export const LEASE_WINDOWS = 10;

/** Clocks of machines differ a little: up to so many windows, the clock that is ahead counts. */
export const MAX_AHEAD_WINDOWS = 10;

const BURST_FACTOR = 2;

/**
 * So many of a moment's last permits are spent as they are asked for, the others evenly until its end: a project far
 * over its rate would else spend them all in the first fifth, and everybody's requests of that time would wait behind them.
 */
const HEAD_START = 10;

/** A window is cut into so many moments at most, each with so many permits at least. */
const MOMENTS = { most: 10, permits: 50 };

function momentsOf(limit: number): number {
  return Math.max(1, Math.min(MOMENTS.most, Math.floor(limit / MOMENTS.permits)));
}

/** The number of a moment, since 1970. */
function momentOf(now: number, limit: number): number {
  return Math.floor(now / WINDOW_MS * momentsOf(limit));
}

export interface Bucket {
  /** Seconds since 1970, at the last change. */
  readonly window: number;
  /** Permits that nobody has leased. */
  readonly available: number;
  /** Of the permits that came with this window. Absent: none. */
  readonly refill?: number;
  readonly holders: Readonly<Record<string, Holding>>;
}

/** What one isolate has in hand. */
interface Holding {
  /** Permits that it may spend, or has spent since. */
  readonly unspent: number;
  /** Last window in which it may. */
  readonly expires: number;
}

export interface LeaseRequest {
  readonly holder: string;
  /** The holder's clock, in windows. */
  readonly window: number;
  /** How much of that window has passed, from 0 to below 1. */
  readonly elapsed: number;
  /** Permits a window, at least 0. */
  readonly limit: number;
  /** Permits that the holder has spent in its current window. */
  readonly spent: number;
  /** Permits of its running lease that it has not spent and gives back. */
  readonly returned: number;
  /** Permits to be spent at once. */
  readonly waiting: number;
  /** Permits that it would like to have in hand for later. */
  readonly ahead: number;
}

interface LeaseGrant {
  readonly bucket: Bucket;
  /** Permits to be spent at once, in the window `bucket.window`: never later. */
  readonly served: number;
  /** Permits in hand, to be spent until window `expires`. */
  readonly kept: number;
  readonly expires: number;
  /** Permits that anybody may lease in this moment. */
  readonly left: number;
}

/**
 * Settles what a holder has spent and leases new permits to it: a shared token bucket whose permits are leased.
 *
 * Time is cut into windows of one second. A project may spend at most `2 × limit` in one window and
 * `(k + 1) × limit` in any k windows in a row, over all isolates and machines together. It follows from
 * one rule: permits in the bucket, leased and perhaps unspent ones, and those spent in the current window
 * are together never more than `2 × limit`. Only the refill at the first step in a window could break it,
 * so there it is cut. (What others have spent of their leases in this window still counts as unspent.)
 * What comes with a window can be leased moment by moment: a project that is over its rate would else spend a second's
 * permits in its first tenth, and everybody's requests of that tenth would wait behind them.
 * A holder that dies keeps counting until its lease expires: this errs below the limit, never above it.
 * Windows are as exact as the machines' clocks agree; a clock that is behind follows the others' windows.
 *
 * @param stored null for a project that nobody has sent to lately
 */
export function leasePermits(stored: Bucket | null, request: LeaseRequest): LeaseGrant {
  const { holder, limit } = request;
  const burst = limit * BURST_FACTOR;
  const bucket = stored === null || isFromTheFuture(stored, request)
    ? { window: request.window, available: stored?.available ?? burst, holders: {} }
    : stored;
  const window = Math.max(bucket.window, request.window);
  const others = holdingsAt(window, bucket, holder);
  const own = bucket.holders[holder];
  const returned = own && own.expires >= window ? Math.min(request.returned, own.unspent) : 0;
  const filled = bucket.available + returned + limit * (window - bucket.window);
  const room = burst - request.spent - outstanding(others);
  const available = Math.max(0, Math.min(filled, room));

  const refill = window === bucket.window ? bucket.refill ?? 0 : Math.max(
    0,
    available - bucket.available - returned - limit * (window - bucket.window - 1),
  );
  const now = Math.max(0, available - heldBack(refill, window, request));
  const served = Math.min(request.waiting, now);
  const kept = Math.min(
    request.ahead,
    shareOf(limit, Object.keys(others).length + 1),
    now - served,
  );
  const expires = window + LEASE_WINDOWS - 1;
  const holders = kept > 0 ? { ...others, [holder]: { unspent: kept, expires } } : others;
  return {
    bucket: { window, available: available - served - kept, refill, holders },
    served,
    kept,
    expires,
    left: now - served - kept,
  };
}

/** From so many on, each holds a permit at least: else nobody would know how many they are. */
const CROWD = 20;

/** How many permits one of so many holders may have in hand: half of a window's, all of them together. */
function shareOf(limit: number, holders: number): number {
  const share = Math.floor(limit / (2 * holders));
  return share === 0 && holders >= CROWD && holders <= limit ? 1 : share;
}

/** Of the permits that came with a window, those of its moments that are still to come. */
function heldBack(refill: number, window: number, { limit, ...request }: LeaseRequest): number {
  const moments = momentsOf(limit);
  const elapsed = window > request.window ? 0 : request.elapsed;
  const begun = Math.floor(elapsed * moments) + 1;
  return Math.floor(refill * (moments - begun) / moments);
}

/** A machine whose clock was far ahead must not stop the refill until the others have caught up. */
function isFromTheFuture(bucket: Bucket, { window }: LeaseRequest): boolean {
  return bucket.window - window > MAX_AHEAD_WINDOWS;
}

/** What the others may still spend in this window. */
function holdingsAt(
  window: number,
  { holders }: Bucket,
  except: string,
): Record<string, Holding> {
  return Object.fromEntries(
    Object.entries(holders).filter(([holder, { expires }]) =>
      holder !== except && expires >= window
    ),
  );
}

function outstanding(holdings: Record<string, Holding>): number {
  return Object.values(holdings).reduce((sum, { unspent }) => sum + unspent, 0);
}
