import assert from "node:assert/strict";
import { openRates } from "../../../lib/control/rates.ts";
import { type AdmissionLimits, admit } from "../../../lib/intake/admit.ts";
import { identify } from "../../../lib/intake/identify.ts";
import { Refusal } from "../../../lib/intake/refusal.ts";
import { makeWorld } from "../../support/ingest_world.ts";
import { testKv } from "../../support/stores.ts";

/** Ten seconds before the end of a month. */
const NOW = Date.UTC(2026, 1, 28, 23, 59, 50);

/** Admits `requests` of one project at one moment, and collects the refusals. */
async function refusals(requests: number, limits: AdmissionLimits): Promise<Refusal[]> {
  await using stores = await testKv();
  const { serverKey } = await makeWorld(stores.kv);
  const target = await identify(stores.kv, { publicKey: serverKey, client: null }, null);
  const rates = openRates(stores.kv, { now: () => NOW });
  const found: Refusal[] = [];
  for (let i = 0; i < requests; i++) {
    await admit(target, limits, rates).catch((error: unknown) => {
      assert.ok(error instanceof Refusal);
      found.push(error);
    });
  }
  await rates.close();
  return found;
}

Deno.test("admit() lets twice the rate through at once and refuses the rest for a second", async () => {
  const found = await refusals(12, { ratePerSec: 5, monthlyQuota: 0 });
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
  const found = await refusals(8, { ratePerSec: 100, monthlyQuota: 5 });
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
