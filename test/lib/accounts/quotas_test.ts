import assert from "node:assert/strict";
import fc from "fast-check";
import { keyOf } from "@/lib/accounts/kv.ts";
import { quotaUse, setMonthlyBytes, setMonthlyQuota } from "@/lib/accounts/quotas.ts";
import { openRates, type RateLimiter } from "@/lib/accounts/rates.ts";
import type { LeaseStore } from "@/lib/accounts/rate_lease.ts";
import { testKv } from "../../support/kv.ts";

const START = Date.UTC(2026, 10, 20, 12);

function clockAt(start: number) {
  let time = start;
  return { now: () => time, pass: (milliseconds: number) => void (time += milliseconds) };
}

async function takeMany(rates: RateLimiter, count: number, quota: number): Promise<number> {
  const takes = Array.from({ length: count }, () => rates.takeMonthly("1", quota, 1));
  return (await Promise.all(takes)).filter(({ ok }) => ok).length;
}

Deno.test("takeMonthly() with quota 0 is unlimited and touches no store", async () => {
  const away = () => assert.fail("the store was asked");
  const rates = openRates({ get: away, atomic: away });
  assert.deepEqual(await rates.takeMonthly("1", 0, 1_000_000), { ok: true });
  await rates.close();
});

Deno.test("takeMonthly() spends exactly the quota, over several limiters", async () => {
  await using test = await testKv();
  const clock = clockAt(START);
  const limiters = Array.from({ length: 3 }, () => openRates(test.kv, { now: clock.now }));
  let accepted = 0;
  for (let round = 0; round < 40; round++) {
    for (const rates of limiters) accepted += await takeMany(rates, 20, 1_000);
    clock.pass(1_000);
  }
  assert.ok(accepted <= 1_000 && accepted > 900, `${accepted}`);
  clock.pass(20_000);
  await Promise.all(limiters.map((rates) => rates.sweep()));
  for (const rates of limiters) accepted += await takeMany(rates, 100, 1_000);
  assert.equal(accepted, 1_000, "what idle limiters held is given back");
  await Promise.all(limiters.map((rates) => rates.close()));
});

Deno.test("a used-up quota refuses until the month ends in UTC, then starts anew", async () => {
  await using test = await testKv();
  const clock = clockAt(Date.UTC(2026, 11, 31, 23, 59, 50));
  const rates = openRates(test.kv, { now: clock.now });
  assert.equal(await takeMany(rates, 20, 10), 10);
  assert.deepEqual(await rates.takeMonthly("1", 10, 1), { ok: false, retryAfterSec: 10 });
  clock.pass(10_000);
  assert.equal(await takeMany(rates, 20, 10), 10);
  await rates.close();
});

Deno.test("a raised quota works on the next request, a lowered one as well", async () => {
  await using test = await testKv();
  const rates = openRates(test.kv, { now: clockAt(START).now });
  assert.equal(await takeMany(rates, 20, 10), 10);
  assert.equal(await takeMany(rates, 20, 15), 5);
  assert.equal(await takeMany(rates, 20, 1_000), 20);
  assert.equal(await takeMany(rates, 20, 20), 0);
  await rates.close();
});

Deno.test("takeMonthly() takes all permits of a request or none", async () => {
  await using test = await testKv();
  const rates = openRates(test.kv, { now: clockAt(START).now });
  assert.equal((await rates.takeMonthly("1", 10, 8)).ok, true);
  assert.equal((await rates.takeMonthly("1", 10, 3)).ok, false);
  assert.equal((await rates.takeMonthly("1", 10, 2)).ok, true);
  assert.equal((await rates.takeMonthly("1", 10, 1)).ok, false);
  await rates.close();
});

Deno.test("near its end little of the quota is held back by limiters that do not need it", async () => {
  await using test = await testKv();
  const { now } = clockAt(START);
  const [first, second] = [1, 2].map(() => openRates(test.kv, { now }));
  assert.ok(first && second);
  assert.equal(await takeMany(first, 10, 100), 10);
  assert.ok(await takeMany(second, 100, 100) >= 80);
  await Promise.all([first.close(), second.close()]);
});

Deno.test("permits of a month that ends during the commit are not spent in the next", async () => {
  await using test = await testKv();
  const clock = clockAt(Date.UTC(2026, 10, 30, 23, 59, 59));
  let accepted = 0;
  let late: Promise<unknown> = Promise.resolve();
  const store: LeaseStore = {
    get: (key) => test.kv.get(key),
    atomic() {
      if (clock.now() < Date.UTC(2026, 11)) {
        clock.pass(1_000);
        late = rates.takeMonthly("1", 1_600, 1).then(({ ok }) => accepted += Number(ok));
      }
      return test.kv.atomic();
    },
  };
  const rates: RateLimiter = openRates(store, { now: clock.now });
  await rates.takeMonthly("1", 1_600, 1);
  await late;
  accepted += await takeMany(rates, 2_000, 1_600);
  assert.equal(accepted, 1_600);
  await rates.close();
});

Deno.test("permits of the last month are not given back to the next", async () => {
  await using test = await testKv();
  const clock = clockAt(Date.UTC(2026, 10, 30, 23, 59, 59));
  let meetsOthers = false;
  const store: LeaseStore = {
    get: (key) => test.kv.get(key),
    atomic() {
      if (!meetsOthers) return test.kv.atomic();
      meetsOthers = false;
      clock.pass(1_000);
      return test.kv.atomic().check({ key: ["other"], versionstamp: "00000000000000000001" });
    },
  };
  const rates = openRates(store, { now: clock.now });
  assert.equal(await takeMany(rates, 1, 1_600), 1);
  meetsOthers = true;
  // Another quota has the lease of the first changed, which takes until December.
  assert.equal(await takeMany(rates, 2_000, 1_000), 1_000);
  await rates.close();
});

Deno.test("where other isolates are faster each time, a request is refused for a second, and what was in hand comes back", async () => {
  await using test = await testKv();
  const { kv } = test;
  const clock = clockAt(START);
  const key = keyOf.quotaUse("1", "2026-11");
  let isCrowded = false;
  const store: LeaseStore = {
    async get<T>(key: Deno.KvKey) {
      const entry = await kv.get<T>(key);
      // Others write right after each read.
      if (isCrowded) await kv.set(key, entry.value);
      return entry;
    },
    atomic: () => kv.atomic(),
  };
  const rates = openRates(store, { now: clock.now });
  assert.equal(await takeMany(rates, 10, 10_000), 10);
  const inHand = ((await kv.get<number>(key)).value ?? 0) - 10;
  assert.ok(inHand > 0);
  isCrowded = true;
  const many = await rates.takeMonthly("1", 10_000, inHand + 1);
  assert.deepEqual(many, { ok: false, retryAfterSec: 1 });
  isCrowded = false;
  assert.deepEqual(await rates.takeMonthly("1", 10_000, inHand + 1), { ok: true });
  await rates.close();
  assert.equal((await kv.get<number>(key)).value, 10 + inHand + 1);
});

Deno.test("a process that is killed strands a hundredth of the quota at most, and none is spent twice", async () => {
  await using test = await testKv();
  const clock = clockAt(START);
  const quota = 500;
  const killed = openRates(test.kv, { now: clock.now });
  let accepted = 0;
  for (let second = 0; second < 20; second++) {
    accepted += await takeMany(killed, 5, quota);
    const { value: used } = await test.kv.get<number>(["quota_use", "1", "2026-11"]);
    assert.ok((used ?? 0) - accepted <= 5, `${(used ?? 0) - accepted} stranded`);
    clock.pass(1_000);
  }
  const next = openRates(test.kv, { now: clock.now });
  accepted += await takeMany(next, quota, quota);
  assert.ok(accepted <= quota && accepted >= quota - 5, `${accepted}`);
  await next.close();
  await killed.close();
});

Deno.test("close() returns unused quota", async () => {
  await using test = await testKv();
  const clock = clockAt(START);
  for (let start = 0; start < 10; start++) {
    const rates = openRates(test.kv, { now: clock.now });
    assert.equal(await takeMany(rates, 10, 100), 10);
    await rates.close();
  }
  const rates = openRates(test.kv, { now: clock.now });
  assert.equal(await takeMany(rates, 1, 100), 0);
  await rates.close();
});

Deno.test("any requests on several limiters, while time passes, stay within the quota of each month", async () => {
  const step = fc.record({
    takes: fc.array(
      fc.record({ limiter: fc.nat(2), permits: fc.integer({ min: 1, max: 9 }) }),
      { maxLength: 12 },
    ),
    passes: fc.oneof(fc.constant(0), fc.nat(5_000), fc.nat(12 * 24 * 3_600_000)),
    sweeps: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      await using test = await testKv();
      const clock = clockAt(START);
      const limiters = Array.from({ length: 3 }, () => openRates(test.kv, { now: clock.now }));
      const used = new Map<string, number>();
      for (const { takes, passes, sweeps } of steps) {
        const month = new Date(clock.now()).toISOString().slice(0, 7);
        const calls = takes.map(async ({ limiter, permits }) => {
          const rates = limiters[limiter] ?? assert.fail();
          const { ok } = await rates.takeMonthly("1", 60, permits);
          if (ok) used.set(month, (used.get(month) ?? 0) + permits);
        });
        if (sweeps) await Promise.all(limiters.map((rates) => rates.sweep()));
        await Promise.all(calls);
        clock.pass(passes);
      }
      for (const [month, permits] of used) assert.ok(permits <= 60, `${permits} in ${month}`);
      await Promise.all(limiters.map((rates) => rates.close()));
    }),
    { numRuns: 60 },
  );
});

Deno.test("a quota of bytes is spent exactly over several limiters, apart from that of requests", async () => {
  await using test = await testKv();
  const clock = clockAt(START);
  const limiters = Array.from({ length: 3 }, () => openRates(test.kv, { now: clock.now }));
  const quota = 1_000_000;
  let taken = 0;
  for (let round = 0; round < 60; round++) {
    await Promise.all(limiters.map(async (rates, index) => {
      const bytes = 1_000 + (round * 37 + index * 811) % 9_000;
      if ((await rates.takeMonthly("1", quota, bytes, "bytes")).ok) taken += bytes;
    }));
    clock.pass(1_000);
  }
  await Promise.all(limiters.map((rates) => rates.close()));
  const last = openRates(test.kv, { now: clock.now });
  while ((await last.takeMonthly("1", quota, 100, "bytes")).ok) taken += 100;
  assert.ok(taken <= quota && taken > quota - 100, `${taken}`);
  assert.equal(
    (await last.takeMonthly("1", 10, 10)).ok,
    true,
    "requests have a quota of their own",
  );
  await last.close();
});

Deno.test("quotas of requests and of bytes are set beside each other, and what earlier versions stored is read", async () => {
  await using test = await testKv();
  const { kv } = test;
  await setMonthlyQuota(kv, "1", 100);
  assert.equal((await kv.get(keyOf.quota("1"))).value, 100, "as ever while there is none of bytes");
  await setMonthlyBytes(kv, "1", 5_000, 700);
  assert.deepEqual(await quotaUse(kv, "1"), { quota: 100, used: 0 });
  assert.deepEqual(await quotaUse(kv, "1", new Date(), "bytes"), { quota: 5_000, used: 700 });
  await setMonthlyQuota(kv, "1", 0);
  assert.deepEqual((await kv.get(keyOf.quota("1"))).value, { requests: 0, bytes: 5_000 });
  await setMonthlyBytes(kv, "1", 0);
  assert.equal((await kv.get(keyOf.quota("1"))).value, null);
  await assert.rejects(setMonthlyBytes(kv, "1", null), /Enter a size/);
});
