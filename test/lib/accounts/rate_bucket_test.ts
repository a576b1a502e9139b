import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type Bucket,
  LEASE_WINDOWS,
  leasePermits,
  type LeaseRequest,
  MAX_AHEAD_WINDOWS,
} from "@/lib/accounts/rate_lease.ts";
import { assertWithinLimit, type Granted, note } from "../../support/permits.ts";

const base: LeaseRequest = {
  holder: "a",
  window: 1_000,
  elapsed: 0,
  limit: 10,
  spent: 0,
  returned: 0,
  waiting: 0,
  ahead: 0,
};

Deno.test("a new project has a burst of twice its limit", () => {
  const grant = leasePermits(null, { ...base, waiting: 25 });
  assert.equal(grant.served, 20);
  assert.equal(grant.kept, 0);
  assert.equal(grant.bucket.available, 0);
});

Deno.test("an empty bucket gets its limit back in each window, and never more than the burst", () => {
  const { bucket } = leasePermits(null, { ...base, waiting: 20 });
  const served = (window: number) => leasePermits(bucket, { ...base, window, waiting: 99 }).served;
  assert.deepEqual([1_000, 1_001, 1_002, 1_500].map(served), [0, 10, 20, 20]);
});

Deno.test("what comes with a second comes in tenths to who has saved nothing, and at once to who has", () => {
  const large = { ...base, limit: 500, window: 1_001, waiting: 9_999 };
  const { bucket: empty } = leasePermits(null, { ...large, window: 1_000 });
  assert.equal(empty.available, 0);
  const served: number[] = [];
  let bucket = empty;
  for (let tenth = 0; tenth < 10; tenth++) {
    const grant = leasePermits(bucket, {
      ...large,
      elapsed: tenth / 10 + 0.05,
      spent: 50 * tenth,
    });
    served.push(grant.served);
    assert.equal(grant.left, 0);
    bucket = grant.bucket;
  }
  assert.deepEqual(served, Array.from({ length: 10 }, () => 50));
  assert.equal(leasePermits(empty, { ...large, elapsed: 0.35 }).served, 200, "late is as good");
  // A second later there is what came in the one before, and a tenth of this one's.
  assert.equal(leasePermits(empty, { ...large, window: 1_002 }).served, 550);
  assert.equal(leasePermits(empty, { ...large, window: 1_003 }).served, 1_000);
});

Deno.test("a bucket that a version before has stored holds nothing back", () => {
  const stored = { window: 1_000, available: 300, holders: {} };
  const grant = leasePermits(stored, { ...base, limit: 500, waiting: 9_999 });
  assert.equal(grant.served, 300);
});

Deno.test("isolates share what may be leased ahead: one has half the limit, two a quarter each", () => {
  const first = leasePermits(null, { ...base, limit: 100, waiting: 1, ahead: 1_000 });
  assert.equal(first.kept, 50);
  const second = leasePermits(first.bucket, {
    ...base,
    holder: "b",
    limit: 100,
    waiting: 1,
    ahead: 1_000,
  });
  assert.equal(second.kept, 25);
});

/** A bucket of so many others, each with a permit in hand. */
function held(holders: number): Bucket {
  const holding = { unspent: 1, expires: 1_005 };
  const entries = Array.from({ length: holders }, (_, i) => [`other ${i}`, holding]);
  return { window: 1_000, available: 400, holders: Object.fromEntries(entries) };
}

Deno.test("where they are too many for more, each of a crowd has one permit ahead, as long as a window's last for all", () => {
  const kept = (holders: number, limit: number) =>
    leasePermits(held(holders), { ...base, limit, waiting: 1, ahead: 10 }).kept;
  assert.equal(kept(299, 500), 1);
  assert.equal(kept(600, 500), 0);
  assert.equal(kept(2, 5), 0, "few need not be counted");
});

Deno.test("permits that are returned in time can be leased again, those of an expired lease cannot", () => {
  const { bucket, kept } = leasePermits(null, { ...base, waiting: 15, ahead: 5 });
  assert.equal(kept, 5);
  const inTime = leasePermits(bucket, { ...base, spent: 15, returned: 5, waiting: 99 });
  assert.equal(inTime.served, 5);
  const expired = leasePermits({ ...bucket, window: 1_000 + LEASE_WINDOWS }, {
    ...base,
    window: 1_000 + LEASE_WINDOWS,
    returned: 5,
    waiting: 99,
  });
  assert.equal(expired.served, 0);
});

Deno.test("what another isolate has in hand limits the refill until its lease expires", () => {
  const { bucket, kept } = leasePermits(null, { ...base, waiting: 1, ahead: 5 });
  assert.equal(kept, 5);
  const other = (window: number) =>
    leasePermits(bucket, { ...base, holder: "b", window, waiting: 99 }).served;
  assert.equal(other(1_000 + LEASE_WINDOWS - 1), 15);
  assert.equal(other(1_000 + LEASE_WINDOWS), 20);
});

Deno.test("a clock that is a little behind works in the window of the one that is ahead", () => {
  const { bucket } = leasePermits(null, { ...base, waiting: 20 });
  const behind = leasePermits(bucket, { ...base, holder: "b", window: 998, waiting: 1 });
  assert.equal(behind.bucket.window, 1_000);
  assert.equal(behind.served, 0);
});

Deno.test("a bucket from a far future does not stop the refill", () => {
  const { bucket } = leasePermits(null, { ...base, window: 9_000, waiting: 20 });
  const window = 9_000 - MAX_AHEAD_WINDOWS - 1;
  const now = leasePermits(bucket, { ...base, window, waiting: 1 });
  assert.deepEqual([now.bucket.window, now.served], [window, 0]);
  const next = leasePermits(now.bucket, { ...base, window: window + 1, waiting: 99 });
  assert.equal(next.served, 10);
});

Deno.test("a lowered limit holds from the next lease on", () => {
  const { bucket } = leasePermits(null, { ...base, limit: 500, waiting: 1 });
  assert.equal(leasePermits(bucket, { ...base, limit: 5, spent: 1, waiting: 99 }).served, 9);
});

Deno.test("whatever holders do, bucket, leases and what was spent in the window stay within the burst", () => {
  const step = fc.record({
    holder: fc.constantFrom("a", "b", "c", "d"),
    passed: fc.integer({ min: 0, max: 3 }),
    spends: fc.nat(40),
    waiting: fc.nat(60),
    ahead: fc.nat(60),
    limit: fc.constant(20),
  });
  fc.assert(fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    let bucket: Bucket | null = null;
    let window = 1_000;
    const spentIn: Granted = new Map();
    const hands = new Map<
      string,
      { unspent: number; expires: number; spent: number; at: number }
    >();
    for (const { holder, passed, spends, waiting, ahead, limit } of steps) {
      window += passed;
      const hand = hands.get(holder) ?? { unspent: 0, expires: 0, spent: 0, at: window };
      if (hand.at !== window) hand.spent = 0;
      const fromHand = hand.expires >= window ? Math.min(spends, hand.unspent) : 0;
      const grant = leasePermits(bucket, {
        ...base,
        holder,
        window,
        limit,
        waiting,
        ahead,
        spent: hand.spent + fromHand,
        returned: hand.expires >= window ? hand.unspent - fromHand : 0,
      });
      bucket = grant.bucket;
      const spent = hand.spent + fromHand + grant.served;
      hands.set(holder, { unspent: grant.kept, expires: grant.expires, spent, at: window });
      note(spentIn, window, fromHand + grant.served);
      assert.ok(bucket.available >= 0);
    }
    assertWithinLimit(spentIn, 20);
  }));
});
