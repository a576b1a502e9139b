import assert from "node:assert/strict";
import { openSpool, type Spool, SpoolFull } from "@/lib/ingest/spool.ts";
import { decodeRequests, encodeRequest, type SpooledRequest } from "@/lib/ingest/spool_objects.ts";
import type { ObjectStore } from "@/lib/store/objects/store.ts";
import { StoreUnavailable } from "@/lib/core/errors.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { testKv, testObjects } from "../../support/stores.ts";
import { waitFor } from "../../support/wait_for.ts";

function request(text: string): SpooledRequest {
  return {
    requestId: "0192f3c4-0000-7000-8000-000000000001",
    protocol: "sentry_envelope",
    projectId: "7",
    publicKey: "0123456789abcdef0123456789abcdef",
    receivedAt: new Date("2026-01-02T03:04:05.678Z"),
    clientAddress: "10.0.0.1",
    userAgent: null,
    address: "/api/7/envelope/",
    contentType: "application/x-sentry-envelope",
    client: null,
    encoding: "gzip",
    body: new TextEncoder().encode(text),
  };
}

const textOf = ({ body }: SpooledRequest) => new TextDecoder().decode(body);

/** A database that can be away, and remembers what was replayed into it. */
class Database {
  isAway = false;
  attempts = 0;
  readonly requests: SpooledRequest[] = [];

  get texts(): string[] {
    return this.requests.map(textOf);
  }

  readonly replay = (request: SpooledRequest): Promise<void> => {
    this.attempts++;
    if (this.isAway) return Promise.reject(new StoreUnavailable("away"));
    this.requests.push(request);
    return Promise.resolve();
  };
}

interface TestSpool extends AsyncDisposable {
  readonly objects: ObjectStore;
  /** One more process on the same stores. */
  open(database: Database, maxBytes?: number): Spool;
  keys(): Promise<string[]>;
}

async function testSpool(): Promise<TestSpool> {
  await using opened = new AsyncDisposableStack();
  const { kv } = opened.use(await testKv());
  const { objects } = opened.use(await testObjects());
  const stores = opened.move();
  return {
    objects,
    open(database, maxBytes = 1_000_000) {
      const { replay } = database;
      const spool = openSpool({ kv, objects, log: silentLogger, maxBytes, replay });
      stores.defer(() => spool.close());
      return spool;
    },
    keys: async () => (await Array.fromAsync(objects.list("spool"))).map(({ key }) => key),
    [Symbol.asyncDispose]: () => stores.disposeAsync(),
  };
}

Deno.test("the spool gives a request back as it was", async () => {
  await using stores = await testSpool();
  const database = new Database();
  await stores.open(database).add(request("a"));
  await waitFor("the replay", () => database.requests[0]);
  assert.deepEqual(database.requests, [request("a")]);
  await waitFor("an empty spool", async () => (await stores.keys()).length === 0 || null);
});

Deno.test("the spool keeps requests while the database is away, and replays them in order", async () => {
  await using stores = await testSpool();
  const database = new Database();
  database.isAway = true;
  const spool = stores.open(database);
  for (const text of ["a", "b", "c"]) await spool.add(request(text));
  await waitFor("attempts", () => database.attempts >= 2 || null);
  assert.equal((await stores.keys()).length, 3);
  database.isAway = false;
  await waitFor("the replay", () => database.requests.length === 3 || null);
  assert.deepEqual(database.texts, ["a", "b", "c"]);
});

Deno.test("the spool replays what an earlier process left", async () => {
  await using stores = await testSpool();
  const away = new Database();
  away.isAway = true;
  const earlier = stores.open(away);
  await earlier.add(request("a"));
  await earlier.close();
  const database = new Database();
  stores.open(database);
  await waitFor("the replay", () => database.requests.length === 1 || null);
  assert.deepEqual(database.texts, ["a"]);
});

Deno.test("the spool takes no more bytes than it may, those of an earlier process included", async () => {
  await using stores = await testSpool();
  const database = new Database();
  database.isAway = true;
  const size = encodeRequest(request("a")).length;
  const earlier = stores.open(database, 2 * size);
  await earlier.add(request("a"));
  await earlier.close();
  const spool = stores.open(database, 2 * size);
  await spool.add(request("b"));
  await assert.rejects(spool.add(request("c")), SpoolFull);
  assert.equal(spool.waitingBytes, 2 * size);
});

Deno.test("requests that wait together share objects", async () => {
  await using stores = await testSpool();
  const database = new Database();
  database.isAway = true;
  const spool = stores.open(database);
  const texts = Array.from({ length: 100 }, (_, i) => String(i));
  await Promise.all(texts.map((text) => spool.add(request(text))));
  assert.ok((await stores.keys()).length < 10);
  database.isAway = false;
  await waitFor("the replay", () => database.requests.length === 100 || null);
  assert.deepEqual(database.texts, texts);
});

Deno.test("of several processes one replays, and each request once", async () => {
  await using stores = await testSpool();
  const database = new Database();
  database.isAway = true;
  const spools = [1, 2, 3].map(() => stores.open(database));
  const texts = Array.from({ length: 30 }, (_, i) => String(i).padStart(2, "0"));
  for (const [i, text] of texts.entries()) await spools[i % 3]?.add(request(text));
  database.isAway = false;
  await waitFor("an empty spool", async () => (await stores.keys()).length === 0 || null);
  await Promise.all(spools.map((spool) => spool.close()));
  assert.deepEqual(database.texts.toSorted(), texts);
});

Deno.test("an object that cannot be replayed is set aside and holds up no other", async () => {
  await using stores = await testSpool();
  await stores.objects.put("spool/000000000000001-broken", new Uint8Array([0, 0, 1, 0, 7]));
  const database = new Database();
  const spool = stores.open(database);
  await spool.add(request("a"));
  await waitFor("the replay", () => database.requests.length === 1 || null);
  await waitFor("only the broken object", async () => (await stores.keys()).length === 1 || null);
  assert.deepEqual(await stores.keys(), ["spool_set_aside/000000000000001-broken"]);
});

Deno.test("the spool says so when the object store does not take a request", async () => {
  await using stores = await testSpool();
  const spool = stores.open(new Database());
  stores.objects.put = () => Promise.reject(new Error("disk full"));
  await assert.rejects(spool.add(request("a")), /disk full/);
});

Deno.test("requests that an older version spooled have no content type", () => {
  const { contentType: _, ...older } = request("a");
  const [read] = decodeRequests(encodeRequest(older as SpooledRequest));
  assert.deepEqual(read, { ...older, contentType: "" });
});
