import assert from "node:assert/strict";
import { MINUTE_MS } from "@/lib/core/time.ts";
import { listInstances, startHeartbeat } from "@/lib/server/own_health/instances.ts";
import { testKv } from "@/test/support/stores.ts";

Deno.test("processes are listed with how they are until they are stopped; one that says nothing is gone, and comes last", async () => {
  await using stores = await testKv();
  const { kv } = stores;
  const asked = { kv, config: { port: 8001 } };
  const start = (port: number, startedAt: string) =>
    startHeartbeat({ kv, config: { port, isolates: 2 }, startedAt: new Date(startedAt) });
  const first = start(8001, "2026-11-26T10:00:00Z");
  const second = start(8002, "2026-11-26T09:00:00Z");
  await first.run();
  assert.deepEqual(
    (await listInstances(asked)).map(({ port, isolates, isThis, isGone }) => (
      { port, isolates, isThis, isGone }
    )),
    [{ port: 8001, isolates: 2, isThis: true, isGone: false }],
  );
  await second.run();
  const portsAt = async (now: Date) =>
    (await listInstances(asked, now)).map(({ port, isGone }) => [port, isGone]);
  const now = new Date();
  assert.deepEqual(await portsAt(now), [[8002, false], [8001, false]]);
  assert.deepEqual(await portsAt(new Date(now.getTime() + MINUTE_MS)), [[8002, true], [
    8001,
    true,
  ]]);
  await second.close();
  assert.deepEqual(await portsAt(now), [[8001, false]]);
  await first.close();
  assert.deepEqual(await portsAt(now), []);
});
