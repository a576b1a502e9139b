import assert from "node:assert/strict";
import { envelopeUrl, errorEnvelope, post } from "../support/envelopes.ts";
import { type Server, startServer } from "../support/server.ts";
import { serverStores } from "../support/server_stores.ts";
import { storedIds } from "../support/stored_ids.ts";
import { waitFor } from "../support/wait_for.ts";

const CRASHES = Number(Deno.env.get("TEST_CRASHES") ?? 10);
const SENDERS = 16;
/** Crash moments fall anywhere between the first acknowledgement and this many. */
const MAX_ACKNOWLEDGED = 400;

Deno.test(`no acknowledged event is lost in ${CRASHES} crashes under load`, async () => {
  await using stores = await serverStores();
  const acknowledged = new Set<string>();
  let dsn: string | null = null;
  for (let crash = 0; crash < CRASHES; crash++) {
    await using server = await startServer({ SERVICE_INGEST_RATE_PER_SEC: "100000" }, stores);
    dsn ??= (await server.createProject("Crash")).serverDsn;
    const target = new URL(dsn);
    target.port = new URL(server.url).port;
    await crashUnderLoad(server, target.href, acknowledged);
  }
  await using server = await startServer({}, stores);
  assert.ok(acknowledged.size > CRASHES, "the load was acknowledged at all");
  assert.deepEqual(await storedIds(server, acknowledged), acknowledged);
});

Deno.test("SIGTERM answers what is in flight, keeps it, and ends within ten seconds", async () => {
  await using stores = await serverStores();
  const acknowledged = new Set<string>();
  {
    await using server = await startServer({}, stores);
    const { serverDsn } = await server.createProject("Drain");
    const load = sendUntilRefused(envelopeUrl(serverDsn), acknowledged);
    await waitFor("some acknowledgements", () => acknowledged.size > 20 || null);
    const start = Date.now();
    assert.equal(await server.stop(), 0);
    assert.ok(Date.now() - start < 10_000);
    await load;
  }
  await using server = await startServer({}, stores);
  assert.deepEqual(await storedIds(server, acknowledged), acknowledged);
});

async function crashUnderLoad(
  server: Server,
  dsn: string,
  acknowledged: Set<string>,
): Promise<void> {
  const goal = acknowledged.size + 1 + Math.floor(Math.random() * MAX_ACKNOWLEDGED);
  const load = sendUntilRefused(envelopeUrl(dsn), acknowledged);
  await waitFor("acknowledgements", () => acknowledged.size >= goal || null, 30_000);
  await server.kill();
  await load;
}

/** Sends without pause and notes what was acknowledged; ends when nobody listens any more. */
async function sendUntilRefused(url: string, acknowledged: Set<string>): Promise<void> {
  const sender = async () => {
    while (true) {
      const { eventId, body } = errorEnvelope();
      try {
        const status = await post(url, body);
        if (status === 200) acknowledged.add(eventId);
      } catch {
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
}
