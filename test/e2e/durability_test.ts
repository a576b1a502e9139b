import assert from "node:assert/strict";
import { envelopeUrl, errorEnvelope, post } from "../support/envelopes.ts";
import { type Server, startServer } from "../support/server.ts";
import { serverStores } from "../support/server_stores.ts";
import { storedIds } from "../support/stored_ids.ts";
import { waitFor } from "../support/wait_for.ts";

const CRASHES = Number(Deno.env.get("TEST_CRASHES") ?? 4);
const SENDERS = 16;
/** Crash moments fall anywhere between the first acknowledgement and this many. */
const MAX_ACKNOWLEDGED = 400;

for (const isolates of [1, 2]) {
  Deno.test(`no acknowledged event is lost in ${CRASHES} crashes under load, with ${isolates} isolate(s)`, () =>
    surviveCrashes(isolates));
}

async function surviveCrashes(isolates: number): Promise<void> {
  await using stores = await serverStores();
  const acknowledged = new Set<string>();
  let dsn: string | null = null;
  for (let crash = 0; crash < CRASHES; crash++) {
    const env = { SERVICE_INGEST_RATE_PER_SEC: "100000" };
    await using server = await startServer(env, stores, isolates);
    dsn ??= (await server.createProject("Crash")).serverDsn;
    const target = new URL(dsn);
    target.port = new URL(server.url).port;
    await crashUnderLoad(server, target.href, acknowledged);
  }
  await using server = await startServer({}, stores);
  assert.ok(acknowledged.size > CRASHES, "the load was acknowledged at all");
  assert.deepEqual(await storedIds(server, acknowledged), acknowledged);
}

for (const isolates of [1, 2]) {
  Deno.test(`SIGTERM lets uploads finish, asks for those that do not with 503, keeps what it answered, and ends within ten seconds, with ${isolates} isolate(s)`, () =>
    drainAll(isolates));
}

async function drainAll(isolates: number): Promise<void> {
  await using stores = await serverStores();
  const acknowledged = new Set<string>();
  {
    await using server = await startServer({}, stores, isolates);
    const { serverDsn } = await server.createProject("Drain");
    const url = envelopeUrl(serverDsn);
    const { eventId, body } = errorEnvelope();
    using finishing = await beginUpload(url, body);
    using hanging = await beginUpload(url, body);
    const load = sendUntilRefused(url, acknowledged);
    await waitFor("some acknowledgements", () => acknowledged.size > 20 || null);
    const start = Date.now();
    const stopped = server.stop();
    await waitFor("the signal", () => server.output().includes("stopping") || null);
    await finishing.finish();
    assert.match(await finishing.answer(), /^HTTP\/1\.1 200 /);
    acknowledged.add(eventId);
    assert.match(await hanging.answer(), /^HTTP\/1\.1 503 [^]*\r\nretry-after: \d+\r\n/i);
    assert.equal(await stopped, 0);
    assert.ok(Date.now() - start < 10_000);
    await load;
  }
  await using server = await startServer({}, stores);
  assert.deepEqual(await storedIds(server, acknowledged), acknowledged);
}

interface Upload extends Disposable {
  /** Sends the rest. */
  finish(): Promise<void>;
  /** The answer, as far as it came at once. */
  answer(): Promise<string>;
}

/** Sends all of a request but the last bytes. */
async function beginUpload(url: string, body: string): Promise<Upload> {
  const { hostname, port, pathname, search } = new URL(url);
  const bytes = new TextEncoder().encode(body);
  const head =
    `POST ${pathname}${search} HTTP/1.1\r\nhost: x\r\ncontent-length: ${bytes.length}\r\n\r\n`;
  const connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode(head));
  await connection.write(bytes.subarray(0, -10));
  return {
    finish: async () => void await connection.write(bytes.subarray(-10)),
    async answer() {
      const buffer = new Uint8Array(10_000);
      const length = await connection.read(buffer);
      return new TextDecoder().decode(buffer.subarray(0, length ?? 0));
    },
    [Symbol.dispose]: () => connection.close(),
  };
}

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
