import assert from "node:assert/strict";
import { replayInto } from "@/lib/ingest/replay.ts";
import { openSpool } from "@/lib/ingest/spool.ts";
import { apiApp } from "@/test/support/api_app.ts";
import { faultyLink } from "@/test/support/faulty_link.ts";
import { pprofGzip } from "@/test/support/pprof.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";
import { testIntake } from "@/test/support/test_intake.ts";
import { waitFor } from "@/test/support/wait_for.ts";
import { testWriter } from "@/test/support/writer.ts";

Deno.test("while Postgres is away profiles are spooled, and stored with all that their address says", async () => {
  await using opened = new AsyncDisposableStack();
  const intake = opened.use(await testIntake());
  const { config, kv, objects, sql, seriesLimits, families } = intake.services;
  const link = opened.use(faultyLink(sql));
  const writer = opened.use(testWriter(link.sql, { timeoutMs: 300 }));
  const replay = replayInto({
    config,
    kv,
    writer,
    seriesLimits,
    families,
    objects,
    log: silentLogger,
  });
  const spool = openSpool({ kv, objects, log: silentLogger, maxBytes: 1_000_000, replay });
  opened.defer(() => spool.close());
  // What still hangs on the link must not hold up the end of the test.
  opened.defer(() => link.resume());
  const send = apiApp({ ...intake.services, writer, spool });
  const headers = { authorization: `Bearer ${intake.serverKey}` };

  const form = new FormData();
  form.set("profile", new Blob([pprofGzip()]), "profile.pprof");
  link.pause();
  const uploaded = await send("/api/v1/profiles/pprof?service=shop&labels=region=eu", {
    method: "POST",
    headers,
    body: pprofGzip(),
  });
  assert.equal(uploaded.status, 200);
  const { id } = await uploaded.json();
  const pushed = await send("/ingest?name=cart{env=prod}", { method: "POST", headers, body: form });
  assert.equal(pushed.status, 200);
  await pushed.body?.cancel();
  link.resume();

  const rows = await waitFor("the replay", async () => {
    const found = await sql`
      select replace(profile_id::text, '-', '') as id, service, environment, labels from profiles
      order by service desc
    `;
    return found.length === 2 ? [...found] : null;
  });
  assert.deepEqual(rows[0], { id, service: "shop", environment: "", labels: { region: ["eu"] } });
  assert.deepEqual([rows[1]?.service, rows[1]?.environment], ["cart", "prod"]);
});
