/** What a server does when its disk is full, and after there is room again. Needs to mount a file system. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { envelopeUrl, errorEnvelope, type MadeEvent, post } from "../support/envelopes.ts";
import { readiness, spoolEmptied, startLoad } from "../support/load.ts";
import { startServer } from "../support/server.ts";
import { serverStores } from "../support/server_stores.ts";
import { smallDisk } from "../support/small_disk.ts";
import { storedIds } from "../support/stored_ids.ts";
import { waitFor } from "../support/wait_for.ts";

const ROOM_MB = 200;
/** Connections that the dead engine left open would be given up after a minute. */
const RECOVERY_LIMIT_MS = 45_000;

/** Whether disks can be mounted at all. */
await using probe = await smallDisk(1);

Deno.test({
  name: "a full disk loses nothing that was acknowledged, and room is used again without a restart",
  // Only administrators mount, and only on Linux like this.
  ignore: probe === null,
  async fn() {
    await using disk = await smallDisk(ROOM_MB);
    assert.ok(disk);
    await using stores = await serverStores();
    // All three stores on this disk, whatever the TEST_* variables say.
    const onDisk = { ...stores, dataDir: disk.path, env: {} };
    const acknowledged = new Set<string>();
    {
      await using server = await startServer({ SERVICE_INGEST_RATE_PER_SEC: "100000" }, onDisk);
      const { serverDsn } = await server.createProject("Full");
      const url = envelopeUrl(serverDsn);
      await disk.fill();
      const load = startLoad(url, largeEvent);
      await waitFor("refusals", () => (load.refused.get(503) ?? 0) > 1_000 || null, 120_000);
      const page = await fetch(`${server.url}/sign-in`);
      assert.match(await page.text(), /<h1/, "pages go on");
      assert.equal((await readiness(server)).intake, "refusing");
      const refused = await fetch(url, { method: "POST", body: errorEnvelope().body });
      assert.match(await refused.text(), /no room on its disk/);
      assert.equal(refused.headers.get("retry-after"), "60");
      await load.stop();
      assert.deepEqual([...load.refused.keys()], [503], "nothing but: come again");
      for (const id of load.acknowledged) acknowledged.add(id);

      await disk.makeRoom();
      const afterwards = await waitFor("an acknowledgement", async () => {
        const { eventId, body } = errorEnvelope();
        return await post(url, body) === 200 ? eventId : null;
      }, 60_000);
      acknowledged.add(afterwards);
      await spoolEmptied(server, RECOVERY_LIMIT_MS);
      assert.deepEqual(await storedIds(server, acknowledged), acknowledged);
      await server.kill();
    }
    await using server = await startServer({}, onDisk);
    await spoolEmptied(server);
    assert.deepEqual(await storedIds(server, acknowledged), acknowledged);
  },
});

/** 100 KB that no compression makes smaller. */
function largeEvent(): MadeEvent {
  const { eventId, body } = errorEnvelope();
  const [head = "", item = "", payload = ""] = body.split("\n");
  const extra = { noise: randomBytes(75_000).toString("base64") };
  const event = JSON.stringify({ ...JSON.parse(payload), extra });
  return { eventId, body: [head, item, event].join("\n") };
}
