import assert from "node:assert/strict";
import fc from "fast-check";
import { openRates, type RateLimiter } from "@/lib/accounts/rates.ts";
import type { LeaseStore } from "@/lib/accounts/rate_lease.ts";
import { testKv } from "../../support/kv.ts";
import { assertWithinLimit, type Granted, note } from "../../support/permits.ts";
import { inTime } from "../../support/time_budget.ts";

const START = Date.UTC(2026, 10, 20, 12);

function clockAt(start: number) {
  let time = start;
  return {
    now: () => time,
    pass: (milliseconds: number) => void (time += milliseconds),
    window: () => Math.floor(time / 1000),
  };
}

async function takeMany(rates: RateLimiter, count: number, limit: number): Promise<number> {
  const permits = await Promise.all(Array.from({ length: count }, () => rates.take("1", limit)));
  return permits.filter(({ ok }) => ok).length;
}

/** The store, counting what is committed to it. */
function counting(kv: Deno.Kv): { store: LeaseStore; commits: () => number; reads: () => number } {
  let commits = 0;
  let reads = 0;
  const store = {
    get: <T>(key: Deno.KvKey) => (reads++, kv.get<T>(key)),
    atomic: () => (commits++, kv.atomic()),
  };
  return { store, commits: () => commits, reads: () => reads };
}

Deno.test("take() allows a burst of twice the rate, then the rate in each second", async () => {
  await using test = await testKv();
  const clock = clockAt(START);
  const rates = openRates(test.kv, { now: clock.now });
  const accepted: number[] = [];
  for (let second = 0; second < 4; second++) {
    accepted.push(await takeMany(rates, 100, 10));
    clock.pass(1_000);
  }
  assert.deepEqual(accepted, [20, 10, 10, 10]);
  clock.pass(60_000);
  assert.equal(await takeMany(rates, 100, 10), 20);
  await rates.close();
});

Deno.test("a refused take() says to come back in a second", async () => {
  await using test = await testKv();
  const rates = openRates(test.kv, { now: clockAt(START).now });
  assert.equal(await takeMany(rates, 2, 1), 2);
  assert.deepEqual(await rates.take("1", 1), { ok: false, retryAfterSec: 1 });
  assert.deepEqual(await rates.take("2", 1), { ok: true }, "another project is not affected");
  await rates.close();
});

Deno.test("a lowered rate holds at once, a raised one too", async () => {
  await using test = await testKv();
  const clock = clockAt(START);
  const rates = openRates(test.kv, { now: clock.now });
  assert.equal(await takeMany(rates, 25, 50), 25);
  assert.equal(await takeMany(rates, 25, 5), 0, "25 of this window are more than 2 × 5");
  assert.equal(await takeMany(rates, 500, 50), 0, "what the lower rate took away is gone");
  clock.pass(1_000);
  assert.equal(await takeMany(rates, 500, 50), 50);
  await rates.close();
});

Deno.test("what was spent under a higher rate counts under a lower one", async () => {
  await using test = await testKv();
  const rates = openRates(test.kv, { now: clockAt(START).now });
  assert.equal(await takeMany(rates, 4, 3), 4);
  assert.equal(await takeMany(rates, 4, 2), 0);
  await rates.close();
});

Deno.test("a lease in hand is not spent after it has expired", async () => {
  await using test = await testKv();
  const clock = clockAt(START);
  const [first, second] = [1, 2].map(() => openRates(test.kv, { now: clock.now }));
  assert.ok(first && second);
  assert.equal(await takeMany(first, 1, 100), 1);
  clock.pass(10_000);
  assert.equal(await takeMany(second, 500, 100), 200);
  assert.equal(await takeMany(first, 1, 100), 0);
  await Promise.all([first.close(), second.close()]);
});

Deno.test("four limiters on one store share one limit", async () => {
  await using test = await testKv();
  const clock = clockAt(START);
  const limiters = Array.from({ length: 4 }, () => openRates(test.kv, { now: clock.now }));
  const accepted: number[] = [];
  for (let second = 0; second < 6; second++) {
    const counts = await Promise.all(limiters.map((rates) => takeMany(rates, 300, 80)));
    accepted.push(counts.reduce((a, b) => a + b));
    clock.pass(1_000);
  }
  assert.deepEqual(accepted, [160, 80, 80, 80, 80, 80]);
  await Promise.all(limiters.map((rates) => rates.close()));
});

Deno.test("a project that is over a high rate gets its permits spread over each second, all of them", async () => {
  await using test = await testKv();
  const clock = clockAt(START);
  const rates = openRates(test.kv, { now: clock.now });
  assert.equal(await takeMany(rates, 2_000, 500), 1_000);
  clock.pass(1_000);
  for (let second = 0; second < 3; second++) {
    const accepted: number[] = [];
    for (let tenth = 0; tenth < 10; tenth++) {
      assert.equal(rates.isSpent("1"), false);
      accepted.push(await takeMany(rates, 250, 500));
      assert.equal(rates.isSpent("1"), true);
      clock.pass(100);
    }
    assert.deepEqual(accepted, Array.from({ length: 10 }, () => 50));
  }
  await rates.close();
});

Deno.test("a project that is over its rate spends what a tenth of a second has evenly, all of it", async () => {
  await using test = await testKv();
  const clock = clockAt(START);
  const rates = openRates(test.kv, { now: clock.now });
  assert.equal(await takeMany(rates, 2_000, 500), 1_000);
  clock.pass(1_000);
  for (let tenth = 0; tenth < 20; tenth++) {
    const accepted: number[] = [];
    for (let fifth = 0; fifth < 5; fifth++) {
      let count = 0;
      for (let call = 0; call < 50; call++, clock.pass(0.4)) {
        const isSpent = rates.isSpent("1");
        const { ok } = await rates.take("1", 500);
        if (ok) count++;
        assert.ok(!(ok && isSpent), "who is told that nothing is left gets nothing");
      }
      accepted.push(count);
    }
    assert.equal(accepted.reduce((sum, count) => sum + count), 50);
    assert.ok(accepted.every((count) => count >= 7 && count <= 19), accepted.join());
  }
  await rates.close();
});

Deno.test("load below the limit is never refused, however it moves between limiters", async () => {
  await using test = await testKv();
  const clock = clockAt(START);
  const limiters = Array.from({ length: 4 }, () => openRates(test.kv, { now: clock.now }));
  for (let second = 0; second < 20; second++) {
    const busy = limiters[Math.floor(second / 3) % limiters.length] ?? assert.fail();
    for (let tenth = 0; tenth < 10; tenth++) {
      const calm = await Promise.all(limiters.map((rates) => takeMany(rates, 1, 100)));
      assert.deepEqual(calm, [1, 1, 1, 1]);
      assert.equal(await takeMany(busy, 5, 100), 5);
      clock.pass(100);
    }
  }
  await Promise.all(limiters.map((rates) => rates.close()));
});

Deno.test("any calls on several limiters, while time passes, stay within the limit", async () => {
  const step = fc.record({
    limiter: fc.nat(3),
    calls: fc.nat(30),
    passes: fc.oneof(fc.constant(0), fc.nat(400), fc.nat(3_000)),
    waits: fc.boolean(),
  });
  const steps = fc.array(step, { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom(1, 3, 20, 120), async (steps, limit) => {
      await using test = await testKv();
      const clock = clockAt(START);
      const limiters = Array.from({ length: 4 }, () => openRates(test.kv, { now: clock.now }));
      const granted: Granted = new Map();
      const calls: Promise<void>[] = [];
      for (const { limiter, calls: count, passes, waits } of steps) {
        for (let call = 0; call < count; call++) {
          calls.push(
            limiters[limiter]?.take("1", limit).then(({ ok }) => {
              if (ok) note(granted, clock.window());
            }) ?? assert.fail(),
          );
        }
        if (waits) await Promise.all(calls);
        // Time passes between tasks: an answer and what follows from it happen at one moment.
        else await new Promise((resolve) => setTimeout(resolve, 0));
        clock.pass(passes);
      }
      await Promise.all(calls);
      assertWithinLimit(granted, limit);
      await Promise.all(limiters.map((rates) => rates.close()));
    }),
    { numRuns: 60 },
  );
});

Deno.test("a busy project costs a few commits a second, a calm one a commit in some seconds", async () => {
  await using test = await testKv();
  const clock = clockAt(START);
  const { store, commits, reads } = counting(test.kv);
  const rates = openRates(store, { now: clock.now });
  const perSecond = async (calls: number, seconds: number) => {
    const before = commits();
    for (let call = 0; call < calls * seconds; call++) {
      await rates.take("1", 500);
      clock.pass(1_000 / calls);
    }
    return (commits() - before) / seconds;
  };
  assert.ok(await perSecond(480, 10) <= 4);
  const before = reads();
  assert.ok(await perSecond(5_000, 5) <= 11, "one in each tenth of a second");
  assert.ok(reads() - before <= 55, "refusals are repeated from memory");
  assert.ok(await perSecond(1, 60) <= 0.2);
  await rates.close();
});

Deno.test("with a lease in hand take() touches no store and costs less than 2 µs", async () => {
  await using test = await testKv();
  const { store, reads } = counting(test.kv);
  const rates = openRates(store, { now: clockAt(START).now });
  for (let call = 0; call < 200_000; call++) await rates.take("1", 10_000_000);
  const before = reads();
  inTime(80, () => {
    for (let call = 0; call < 40_000; call++) rates.take("1", 10_000_000);
  });
  await rates.take("1", 10_000_000);
  assert.equal(reads(), before);
  await rates.close();
});

Deno.test("close() returns what was not spent, so that others may spend it at once", async () => {
  await using test = await testKv();
  const clock = clockAt(START);
  const first = openRates(test.kv, { now: clock.now });
  assert.equal(await takeMany(first, 1, 100), 1);
  await first.close();
  const second = openRates(test.kv, { now: clock.now });
  assert.equal(await takeMany(second, 500, 100), 199);
  await second.close();
});

Deno.test("a limiter that dies with a lease leaves less, never more, and only until the lease expires", async () => {
  await using test = await testKv();
  const clock = clockAt(START);
  const dead = openRates(test.kv, { now: clock.now });
  assert.equal(await takeMany(dead, 1, 100), 1);
  const alive = openRates(test.kv, { now: clock.now });
  const first = await takeMany(alive, 500, 100);
  assert.ok(first >= 149 && first < 199, `${first}`);
  clock.pass(30_000);
  assert.equal(await takeMany(alive, 500, 100), 200);
  await alive.close();
  await dead.close();
});

Deno.test("a clock that is set back by an hour neither stops nor doubles the permits", async () => {
  await using test = await testKv();
  const clock = clockAt(START);
  const rates = openRates(test.kv, { now: clock.now });
  assert.equal(await takeMany(rates, 100, 10), 20);
  clock.pass(-3_600_000);
  assert.equal(await takeMany(rates, 100, 10), 0);
  clock.pass(1_000);
  assert.equal(await takeMany(rates, 100, 10), 10);
  await rates.close();
});

Deno.test("when the store is away take() fails, and works again when it is back", async () => {
  await using test = await testKv();
  let isAway = true;
  const store: LeaseStore = {
    get: (key) => isAway ? Promise.reject(new Error("away")) : test.kv.get(key),
    atomic: () => test.kv.atomic(),
  };
  const rates = openRates(store, { now: clockAt(START).now });
  const answers = await Promise.allSettled([rates.take("1", 10), rates.take("1", 10)]);
  assert.deepEqual(answers.map(({ status }) => status), ["rejected", "rejected"]);
  isAway = false;
  assert.equal((await rates.take("1", 10)).ok, true);
  await rates.close();
});

Deno.test("where other isolates are faster each time, a permit is refused for a second, and nothing fails", async () => {
  await using store = await testKv();
  const { kv } = store;
  /** Others write right after each read. */
  const crowded: LeaseStore = {
    async get<T>(key: Deno.KvKey) {
      const entry = await kv.get<T>(key);
      await kv.set(key, entry.value ?? { window: 0, available: 0, holders: {} });
      return entry;
    },
    atomic: () => kv.atomic(),
  };
  const rates = openRates(crowded);
  assert.deepEqual(await rates.take("1", 100), { ok: false, retryAfterSec: 1 });
  await rates.close();
});

/** A store in which others write right after each read, as long as they are told to. */
function crowdable(kv: Deno.Kv) {
  const others = { areFaster: false };
  const store: LeaseStore = {
    async get<T>(key: Deno.KvKey) {
      const entry = await kv.get<T>(key);
      if (others.areFaster && entry.value !== null) await kv.set(key, entry.value);
      return entry;
    },
    atomic: () => kv.atomic(),
  };
  return { store, others };
}

Deno.test("what was in hand comes back after a crowd, and no more than that", async () => {
  await using test = await testKv();
  const { store, others } = crowdable(test.kv);
  const clock = clockAt(START);
  const rates = openRates(store, { now: clock.now });
  assert.equal(await takeMany(rates, 1, 100), 1);
  others.areFaster = true;
  assert.equal(await takeMany(rates, 1, 99), 0, "of another limit, which is to be returned first");
  others.areFaster = false;
  assert.equal(await takeMany(rates, 1, 99), 1);
  await rates.close();
  const other = openRates(test.kv, { now: clock.now });
  assert.equal(await takeMany(other, 500, 99), 2 * 99 - 2);
  await other.close();
});

Deno.test("permits for later that came when their second was over are spent, though the store is crowded", async () => {
  await using test = await testKv();
  const { store, others } = crowdable(test.kv);
  const clock = clockAt(START);
  const slow: LeaseStore = {
    get: store.get,
    atomic() {
      if (!others.areFaster) clock.pass(1_000);
      others.areFaster = true;
      return store.atomic();
    },
  };
  const rates = openRates(slow, { now: clock.now });
  assert.equal(await takeMany(rates, 3, 100), 3);
  await rates.close();
});
