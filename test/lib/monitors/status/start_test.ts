import assert from "node:assert/strict";
import { SECOND_MS } from "@/lib/core/time.ts";
import { readSnapshot } from "@/lib/monitors/status/snapshot.ts";
import { startStatusPages } from "@/lib/monitors/status/start.ts";
import { setState, statusSite } from "../../../support/status_site.ts";

Deno.test("the state is read anew each minute, and at once when a monitor changes", async () => {
  await using site = await statusSite();
  const { services, monitor, organization, page } = site;
  const beginning = Date.now();
  let elapsed = 0;
  const worker = startStatusPages({
    ...services,
    now: () => new Date(beginning + elapsed * SECOND_MS),
    pollMs: null,
  });
  await using _worker = { [Symbol.asyncDispose]: () => worker.close() };
  const measured = async (seconds: number) => {
    elapsed = seconds;
    await worker.run();
    const state = await readSnapshot(services.kv, organization.id);
    const at = (Date.parse(state?.measuredAt ?? "") - beginning) / SECOND_MS;
    return [at, state?.entries[`${page.entries[0]?.projectId}/${monitor.monitorId}`]?.state];
  };
  assert.deepEqual(await measured(10), [10, "up"]);
  assert.deepEqual(await measured(20), [10, "up"]);
  await setState(services, monitor, "down");
  assert.deepEqual(await measured(30), [30, "down"]);
  assert.deepEqual(await measured(80), [30, "down"]);
  assert.deepEqual(await measured(90), [90, "down"]);
});

Deno.test("while Postgres is away the last state stays, and the log says so once", async () => {
  await using site = await statusSite();
  const { services, organization } = site;
  const before = await readSnapshot(services.kv, organization.id);
  await services.sql.end({ timeout: 1 });
  const warnings: string[] = [];
  const log = { ...services.log, warn: (message: string) => void warnings.push(message) };
  const worker = startStatusPages({ ...services, log, pollMs: null });
  await using _worker = { [Symbol.asyncDispose]: () => worker.close() };
  await worker.run();
  await worker.run();
  assert.deepEqual(await readSnapshot(services.kv, organization.id), before);
  assert.deepEqual(warnings, ["cannot read the state for status pages"]);
});
