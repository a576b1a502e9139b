import assert from "node:assert/strict";
import { faultyIntake } from "@/test/support/faulty_intake.ts";
import { pprofGzip } from "@/test/support/pprof.ts";
import { waitFor } from "@/test/support/wait_for.ts";

Deno.test("while Postgres is away profiles are spooled, and stored with all that their address says", async () => {
  await using intake = await faultyIntake();
  const { link, send, services: { sql } } = intake;
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
