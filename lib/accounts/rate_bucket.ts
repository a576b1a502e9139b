/**
 * The arithmetic of a shared token bucket whose permits are leased; no clock and no store in here.
 *
 * Time is cut into windows of one second. A project may spend at most `2 × limit` in one window and
 * `(k + 1) × limit` in any k windows in a row, over all isolates and machines together. It follows from
 * one rule: permits in the bucket, leased and perhaps unspent ones, and those spent in the current window
 * are together never more than `2 × limit`. Only the refill at the first step in a window could break it,
 * so there it is cut. (What others have spent of their leases in this window still counts as unspent.)
 * A holder that dies keeps counting until its lease expires: this errs below the limit, never above it.
 * Windows are as exact as the machines' clocks agree; a clock that is behind follows the others' windows.
 */

/** A lease may be spent in the window it was made in and in those after it, this many in all. */
export const LEASE_WINDOWS = 10;

/** Clocks of machines differ a little: up to so many windows, the clock that is ahead counts. */
export const MAX_AHEAD_WINDOWS = 10;

const BURST_FACTOR = 2;

export interface Bucket {
  /** Seconds since 1970, at the last change. */
  readonly window: number;
  /** Permits that nobody has leased. */
  readonly available: number;
  readonly holders: Readonly<Record<string, Holding>>;
}

/** What one isolate has in hand. */
export interface Holding {
  /** Permits that it may spend, or has spent since. */
  readonly unspent: number;
  /** Last window in which it may. */
  readonly expires: number;
}

export interface LeaseRequest {
  readonly holder: string;
  /** The holder's clock, in windows. */
  readonly window: number;
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

export interface LeaseGrant {
  readonly bucket: Bucket;
  /** Permits to be spent at once, in the window `bucket.window`: never later. */
  readonly served: number;
  /** Permits in hand, to be spent until window `expires`. */
  readonly kept: number;
  readonly expires: number;
}

/**
 * Settles what a holder has spent and leases new permits to it.
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

  const served = Math.min(request.waiting, available);
  const share = Math.floor(limit / (2 * (Object.keys(others).length + 1)));
  const kept = Math.min(request.ahead, share, available - served);
  const expires = window + LEASE_WINDOWS - 1;
  const holders = kept > 0 ? { ...others, [holder]: { unspent: kept, expires } } : others;
  return {
    bucket: { window, available: available - served - kept, holders },
    served,
    kept,
    expires,
  };
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
