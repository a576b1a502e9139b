import assert from "node:assert/strict";
import { listRefused } from "@/lib/usage/refused_requests.ts";
import { testIntake } from "../../support/test_intake.ts";
import { waitFor } from "../../support/wait_for.ts";

const ADDRESSES = [
  "/v1/traces",
  "/v1/metrics/",
  "/v1/logs",
  "/api/v1/profiles/pprof",
  "/api/v1/write",
];
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

Deno.test("server addresses refuse browser keys with 403, and keys that are unknown or missing with 401", async () => {
  await using intake = await testIntake();
  const { send, browserKey } = intake;
  for (const address of ADDRESSES) {
    const post = (headers: Record<string, string>) =>
      send(address, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: "{}",
      });
    const browser = await post(bearer(browserKey));
    assert.equal(browser.status, 403, address);
    assert.match(await browser.text(), /This is a browser key/);
    for (const headers of [{}, bearer("f".repeat(32)), bearer("nonsense")]) {
      const response = await post(headers);
      assert.equal(response.status, 401, address);
      await response.body?.cancel();
    }
  }
});

Deno.test("refused requests are kept for the doctor, without payload and whole keys", async () => {
  await using intake = await testIntake();
  const { send, path, project, services, browserKey } = intake;
  const unknown = "f".repeat(32);
  const post = (key: string, origin: string) =>
    send(path, {
      method: "POST",
      headers: {
        "x-sentry-auth": `Sentry sentry_key=${key}, sentry_client=sentry.test/1.0`,
        origin,
        "user-agent": "Mozilla/5.0",
      },
      body: "my secret payload",
    });
  for (const response of [await post(unknown, "https://a.test"), await post(browserKey, "null")]) {
    await response.body?.cancel();
  }
  const list = await waitFor("two notes", async () => {
    const found = await listRefused(services.sql, project.id);
    return found.length === 2 ? found : null;
  });
  const [own, foreign] = [true, false].map((isOwn) =>
    list.find(({ isOwnKey }) => isOwnKey === isOwn)
  );
  assert.deepEqual(
    [foreign?.status, foreign?.reason, foreign?.keyHint, foreign?.sdk, foreign?.origin],
    [401, "unknown_key", "ffffffff", "sentry.test/1.0", "https://a.test"],
  );
  assert.deepEqual([own?.status, own?.reason, own?.keyHint], [
    400,
    "unreadable_envelope",
    browserKey.slice(0, 8),
  ]);
  const text = JSON.stringify(list);
  for (const secret of [unknown, browserKey, "my secret payload"]) {
    assert.ok(!text.includes(secret));
  }
});

Deno.test("the list of refused requests holds the newest hundred of a project", async () => {
  await using intake = await testIntake({ ingestRatePerSec: 1_000 });
  const { send, project, services } = intake;
  for (let round = 0; round < 3; round++) {
    for (let index = 0; index < 60; index++) {
      const response = await send(`/api/${project.id}/envelope/`, { method: "POST", body: "{}" });
      await response.body?.cancel();
    }
    await waitFor("the notes", async () => {
      const [row] = await services.sql`select count(*)::int as count from refused_requests`;
      return row?.count >= Math.min(100, 60 * (round + 1)) || null;
    });
  }
  await services.refusals.close();
  const [row] = await services.sql`select count(*)::int as count from refused_requests`;
  assert.equal(row?.count, 100);
});

Deno.test("a quota holds for the month, and a raised one from the next request on", async () => {
  await using intake = await testIntake();
  const { organization, services: { kv } } = intake;
  const { setMonthlyQuota } = await import("@/lib/accounts/quotas.ts");
  await setMonthlyQuota(kv, organization.id, 2);
  const statuses = async (count: number) => {
    const found: number[] = [];
    for (let index = 0; index < count; index++) {
      const response = await intake.post("{}");
      found.push(response.status);
      await response.body?.cancel();
    }
    return found;
  };
  assert.deepEqual(await statuses(3), [200, 200, 429]);
  await setMonthlyQuota(kv, organization.id, 3);
  assert.deepEqual(await statuses(2), [200, 429]);
  await setMonthlyQuota(kv, organization.id, 0);
  assert.deepEqual(await statuses(1), [200]);
});

Deno.test("a quota of bytes counts bodies as they are sent, and what it refuses is an outcome of its own", async () => {
  await using intake = await testIntake();
  const { organization, project, services: { kv, sql, writer } } = intake;
  const { quotaUse, setMonthlyBytes } = await import("@/lib/accounts/quotas.ts");
  const body = JSON.stringify({ message: "x".repeat(300) });
  await setMonthlyBytes(kv, organization.id, 2 * body.length + 10);
  const answers: string[] = [];
  for (const sent of [body, body, body, "{}"]) {
    const response = await intake.post(sent);
    answers.push(`${response.status} ${response.headers.get("x-sentry-rate-limits") ?? ""}`);
    await response.body?.cancel();
  }
  assert.deepEqual([answers[0], answers[1], answers[3]], ["200 ", "200 ", "200 "]);
  assert.match(answers[2] ?? "", /^429 \d+::organization:monthly_bytes$/);
  const { used } = await quotaUse(kv, organization.id, new Date(), "bytes");
  assert.ok(used >= 2 * body.length + 2 && used <= 2 * body.length + 10, `${used}`);
  await writer.close();
  const [outcome] = await sql`
    select sum(quantity)::int as quantity from outcomes
    where project_id = ${project.id} and kind = 'over_quota' and reason = 'monthly_bytes'
  `;
  assert.deepEqual({ ...outcome }, { quantity: 1 });
  const [counted] =
    await sql`select sum(bytes)::int as bytes from key_hours where project_id = ${project.id}`;
  assert.deepEqual({ ...counted }, { bytes: 2 * body.length + 2 });
});
