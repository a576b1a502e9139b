import assert from "node:assert/strict";
import { openRates } from "@/lib/accounts/rates.ts";
import { admit, SpentRates } from "@/lib/ingest/admit.ts";
import { findIngest } from "@/lib/accounts/ingest_lookup.ts";
import { DEFAULT_SETTINGS } from "@/lib/accounts/projects.ts";
import { Refusal } from "@/lib/core/refusal.ts";
import { makeWorld } from "../../support/ingest_world.ts";
import { testKv } from "../../support/stores.ts";

/** Ten seconds before the end of a month. */
const NOW = Date.UTC(2026, 1, 28, 23, 59, 50);

interface Limits {
  readonly instance: number;
  readonly project?: number;
  readonly key?: number;
  readonly monthlyQuota?: number;
}

/** Admits `requests` of one project at one moment, and collects the refusals. */
async function refusals(
  requests: number,
  { instance, project, key, monthlyQuota = 0 }: Limits,
): Promise<Refusal[]> {
  await using stores = await testKv();
  const { serverKey } = await makeWorld(stores.kv);
  const found = await findIngest(stores.kv, serverKey) ?? assert.fail();
  const target = {
    monthlyQuota,
    key: { ...found.key, ratePerSec: key ?? null },
    project: { ...found.project, settings: { ...DEFAULT_SETTINGS, ratePerSec: project ?? null } },
  };
  const rates = openRates(stores.kv, { now: () => NOW });
  const refused: Refusal[] = [];
  for (let i = 0; i < requests; i++) {
    await admit(target, instance, rates).catch((error: unknown) => {
      assert.ok(error instanceof Refusal);
      refused.push(error);
    });
  }
  await rates.close();
  return refused;
}

Deno.test("admit() lets twice the rate through at once and refuses the rest for a second", async () => {
  const found = await refusals(12, { instance: 5 });
  assert.equal(found.length, 2);
  for (const { status, headers, outcome } of found) {
    assert.equal(status, 429);
    assert.deepEqual(headers, {
      "retry-after": "1",
      "x-sentry-rate-limits": "1::project:rate_limit",
    });
    assert.deepEqual([outcome.kind, outcome.reason], ["rate_limited", "project_rate"]);
  }
});

Deno.test("admit() lets the month's quota through and refuses the rest until the month ends", async () => {
  const found = await refusals(8, { instance: 100, monthlyQuota: 5 });
  assert.equal(found.length, 3);
  for (const { status, headers, outcome } of found) {
    assert.equal(status, 429);
    assert.deepEqual(headers, {
      "retry-after": "10",
      "x-sentry-rate-limits": "10::organization:monthly_quota",
    });
    assert.deepEqual([outcome.kind, outcome.reason], ["over_quota", "monthly_quota"]);
  }
});

Deno.test("admit() holds a project to its own rate, but lets it not exceed the instance's", async () => {
  assert.equal((await refusals(12, { instance: 100, project: 5 })).length, 2);
  assert.equal((await refusals(12, { instance: 5, project: 100 })).length, 2);
});

Deno.test("admit() holds a key to its own rate, and says that it is the key's", async () => {
  const found = await refusals(5, { instance: 100, key: 2 });
  assert.equal(found.length, 1);
  assert.equal(found[0]?.headers["x-sentry-rate-limits"], "1::key:rate_limit");
  assert.equal(found[0]?.outcome.reason, "key_rate");
});

Deno.test("what is over its rate is refused from memory until the next permits come, and asked for anew then", async () => {
  await using stores = await testKv();
  const { serverKey } = await makeWorld(stores.kv);
  const target = await findIngest(stores.kv, serverKey) ?? assert.fail();
  let now = NOW;
  const rates = openRates(stores.kv, { now: () => now });
  const spent = new SpentRates(rates);
  const ask = async () => {
    const error: unknown = await admit(target, 1, rates).then(() => null, (reason) => reason);
    if (error instanceof Refusal) spent.note("one way", target, error);
    return error;
  };
  assert.deepEqual([await ask(), await ask()], [null, null]);
  assert.equal(spent.find("one way"), null, "nothing was refused yet");
  const refusal = await ask();

  assert.equal(spent.find("one way")?.refusal, refusal);
  assert.equal(spent.find("one way")?.target, target);
  assert.equal(spent.find("another way"), null);
  now += 1_000;
  assert.equal(spent.find("one way"), null);
  assert.equal(await ask(), null);
  await rates.close();
});

Deno.test("only rates are refused from memory: a month's quota may be raised at any moment", async () => {
  const [refusal] = await refusals(2, { instance: 100, monthlyQuota: 1 });
  const spent = new SpentRates({ isSpent: () => true });
  await using stores = await testKv();
  const { serverKey } = await makeWorld(stores.kv);
  const target = await findIngest(stores.kv, serverKey) ?? assert.fail();
  spent.note("a way", target, refusal ?? assert.fail());
  assert.equal(spent.find("a way"), null);
});
