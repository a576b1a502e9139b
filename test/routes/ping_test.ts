import assert from "node:assert/strict";
import { listKeys, updateKey } from "@/lib/accounts/keys.ts";
import { openSigner } from "@/lib/accounts/secrets.ts";
import { pingToken } from "@/lib/monitors/cron/ping.ts";
import type { Services } from "@/lib/server/services.ts";
import { faultyIntake } from "../support/faulty_intake.ts";
import { waitFor } from "../support/wait_for.ts";
import { type TestIntake, testIntake } from "../support/test_intake.ts";

/** Makes the monitor `backup` by a first check-in, and tells its address for pings. */
async function pingAddress(
  { services, send, project, serverKey }: Pick<
    TestIntake,
    "services" | "send" | "project" | "serverKey"
  >,
): Promise<string> {
  const made = await send(`/api/${project.id}/cron/backup/${serverKey}/?status=ok&environment=old`);
  assert.equal(made.status, 202);
  return await addressOf(services, project.id);
}

async function addressOf({ kv, config, sql }: Services, projectId: string): Promise<string> {
  // A store that is slow for a moment has it spooled first.
  const { nonce } = await waitFor("the monitor", async () => {
    const [row] = await sql<{ nonce: string }[]>`select ping_nonce as nonce from monitors`;
    return row;
  });
  const signer = await openSigner(kv, config);
  return `/ping/${await pingToken(signer, { projectId, slug: "backup", nonce })}`;
}

async function runsOf({ services: { sql } }: Pick<TestIntake, "services">) {
  return await sql<{ status: string; log: string | null; took: number | null }[]>`
    select status, log, duration_sec as took from check_ins
    where environment = 'production' order by started_at, received_at
  `;
}

Deno.test("pings begin, log and end a run, and the exit status says how", async () => {
  await using intake = await testIntake();
  const { send } = intake;
  const address = await pingAddress(intake);
  const post = { method: "POST", body: "dumping\n" };
  for (const action of ["/start", "/log", "/3"]) {
    const response = await send(address + action, action === "/start" ? {} : post);
    assert.equal(response.status, 200);
    assert.equal(await response.text(), "OK\n");
  }
  const [run, ...others] = await runsOf(intake);
  assert.equal(others.length, 0);
  assert.equal(run?.status, "error");
  assert.equal(run?.log, "dumping\ndumping\nExit status 3");
  const head = await send(address, { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.deepEqual((await runsOf(intake)).map(({ status }) => status), ["error", "ok"]);
  const failed = await send(`${address}/fail`);
  await failed.body?.cancel();
  assert.deepEqual((await runsOf(intake)).map(({ status }) => status), ["error", "ok", "error"]);
});

Deno.test("rid pairs the beginnings and ends of runs that overlap", async () => {
  await using intake = await testIntake();
  const { send } = intake;
  const address = await pingAddress(intake);
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
  for (const path of [`/start?rid=${first}`, `/start?rid=${second}`, `?rid=${first}`]) {
    await (await send(address + path)).body?.cancel();
  }
  const rows = await intake.services.sql<{ id: string; status: string }[]>`
    select check_in_id as id, status from check_ins where environment = 'production'
  `;
  assert.deepEqual(
    new Map(rows.map(({ id, status }) => [id, status])),
    new Map([
      [first, "ok"],
      [second, "in_progress"],
    ]),
  );
});

Deno.test("of a long log the last 10 KB are kept, without secrets", async () => {
  await using intake = await testIntake();
  const address = await pingAddress(intake);
  const body = `begin ${"x".repeat(30_000)} password=hunter2hunter2 end`;
  const response = await intake.send(address, { method: "POST", body });
  await response.body?.cancel();
  const [run] = await runsOf(intake);
  assert.ok(run?.log && run.log.length <= 10_000 && run.log.endsWith(" end"));
  assert.doesNotMatch(run.log, /hunter2|begin/);
});

Deno.test("an address that was changed, made up, or of a deleted monitor is unknown", async () => {
  await using intake = await testIntake();
  const { send, services: { sql }, project } = intake;
  const address = await pingAddress(intake);
  const statusOf = async (path: string) => {
    const response = await send(path);
    await response.body?.cancel();
    return response.status;
  };
  const wrong = address.slice(0, -1) + (address.endsWith("0") ? "1" : "0");
  assert.equal(await statusOf(wrong), 404);
  assert.equal(await statusOf(address.replace("backup", "other")), 404);
  assert.equal(await statusOf(`${address}/256`), 404);
  assert.equal(await statusOf(`${address}/nonsense`), 404);
  assert.equal(await statusOf("/ping/x"), 404);
  assert.equal((await send(address, { method: "DELETE" })).status, 405);
  // While a store is slow for a moment the signature alone counts.
  const isUnknown = () => waitFor("404", async () => await statusOf(address) === 404 || null);
  await sql`update monitors set ping_nonce = 'abcdef01' where project_id = ${project.id}`;
  await isUnknown();
  assert.equal(await statusOf(await addressOf(intake.services, project.id)), 200);
  await sql`delete from monitors`;
  await isUnknown();
});

Deno.test("a flood of pings gets 429 and is counted; a project without an enabled key gets 403", async () => {
  await using intake = await testIntake();
  const { send, services: { kv }, project } = intake;
  const address = await pingAddress(intake);
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const response = await send(address);
      await response.body?.cancel();
      return response.status;
    }),
  );
  assert.ok(statuses.includes(200) && statuses.includes(429));
  assert.ok(statuses.every((status) => status === 200 || status === 429));
  await waitFor("the outcome of those", async () => {
    const [row] = await intake.services.sql<{ count: number }[]>`
      select coalesce(sum(quantity), 0)::int as count from outcomes where reason = 'ping_rate'
    `;
    return row?.count === statuses.filter((status) => status === 429).length || null;
  });
  for (const key of await listKeys(kv, project.id)) {
    await updateKey(kv, key.publicKey, { isActive: false });
  }
  let status = 429;
  while (status === 429) {
    const response = await send(address);
    await response.body?.cancel();
    status = response.status;
  }
  assert.equal(status, 403);
});

Deno.test("Sentry's address takes HEAD, an exit status and a log as well", async () => {
  await using intake = await testIntake();
  const { send, project, serverKey } = intake;
  const address = `/api/${project.id}/cron/backup/${serverKey}/`;
  const head = await send(`${address}?status=ok`, { method: "HEAD" });
  assert.equal(head.status, 202);
  const failed = await send(`${address}?exit=1`, { method: "POST", body: "disk full" });
  assert.equal(failed.status, 202);
  assert.deepEqual((await runsOf(intake)).map(({ status, log }) => [status, log]), [
    ["ok", null],
    ["error", "disk full\nExit status 1"],
  ]);
  const badId = await send(`${address}?status=ok&check_in_id=7`);
  assert.equal(badId.status, 400);
  assert.match(await badId.text(), /id/);
});

Deno.test("pings that come while Postgres is away are spooled, and applied in their order when it is back", async () => {
  await using intake = await faultyIntake({ isAllAway: true });
  const address = await pingAddress(intake);
  intake.link.pause();
  for (const [path, body] of [["/start", ""], ["/3", "no space left"]]) {
    const response = await intake.send(address + path, { method: "POST", body: body ?? "" });
    assert.equal(response.status, 200, await response.text());
  }
  const unknown = await intake.send(`${address}0`);
  assert.equal(unknown.status, 404);
  assert.equal((await runsOf(intake)).length, 0);
  intake.link.resume();
  const runs = await waitFor("the replay", async () => {
    const found = await runsOf(intake);
    return found.some(({ status }) => status === "error") ? found : null;
  });
  assert.deepEqual(runs.map(({ status, log }) => [status, log]), [
    ["error", "no space left\nExit status 3"],
  ]);
});
