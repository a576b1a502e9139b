import assert from "node:assert/strict";
import { openSpool, type Spool, SpoolFull } from "@/lib/ingest/spool.ts";
import { decodeRequests, encodeRequest, type SpooledRequest } from "@/lib/ingest/spool_objects.ts";
import type { ObjectStore } from "@/lib/store/objects/store.ts";
import { StoreUnavailable, Unstorable } from "@/lib/core/errors.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { spooledRequest as request } from "../../support/spooled_request.ts";
import { testKv, testObjects } from "../../support/stores.ts";
import { waitFor } from "../../support/wait_for.ts";

const textOf = ({ body }: SpooledRequest) => new TextDecoder().decode(body);

/** A database that can be away, and remembers what was replayed into it. */
class Database {
  isAway = false;
  /** Bodies that it refuses, whatever happens. */
  refuses = new Set<string>();
  /** Bodies that take too long each time. */
  isSlowWith = new Set<string>();
  /** So many requests must have begun before any of them is stored. */
  waitsFor = 1;
  #begun = 0;
  #haveBegun = Promise.withResolvers<void>();
  attempts = 0;
  readonly requests: SpooledRequest[] = [];

  get texts(): string[] {
    return this.requests.map(textOf);
  }

  readonly replay = (request: SpooledRequest): Promise<void> => {
    this.attempts++;
    if (this.isAway) return Promise.reject(new StoreUnavailable("away"));
    if (this.isSlowWith.has(textOf(request))) return Promise.reject(new StoreUnavailable("slow"));
    if (this.refuses.has(textOf(request))) return Promise.reject(new Unstorable("0A000"));
    this.requests.push(request);
    if (++this.#begun >= this.waitsFor) this.#haveBegun.resolve();
    return this.#haveBegun.promise;
  };
}

interface OpenOptions {
  readonly version?: string;
  readonly asideMaxBytes?: number;
  readonly isWell?: () => Promise<boolean>;
}

interface TestSpool extends AsyncDisposable {
  readonly objects: ObjectStore;
  /** One more process on the same stores. */
  open(database: Database, maxBytes?: number, options?: OpenOptions): Spool;
  keys(): Promise<string[]>;
}

async function testSpool(): Promise<TestSpool> {
  await using opened = new AsyncDisposableStack();
  const { kv } = opened.use(await testKv());
  const { objects } = opened.use(await testObjects());
  const stores = opened.move();
  return {
    objects,
    open(database, maxBytes = 1_000_000, options = {}) {
      const { replay } = database;
      const spool = openSpool({ kv, objects, log: silentLogger, maxBytes, replay, ...options });
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

Deno.test("objects that wait are replayed side by side, so that they commit together", async () => {
  await using stores = await testSpool();
  const away = new Database();
  away.isAway = true;
  const earlier = stores.open(away);
  for (const text of ["a", "b", "c"]) await earlier.add(request(text));
  await earlier.close();
  assert.equal((await stores.keys()).length, 3);

  const database = new Database();
  // None of them is stored before all have begun.
  database.waitsFor = 3;
  stores.open(database);
  await waitFor("the replay", () => database.requests.length === 3 || null);
  assert.deepEqual(database.texts, ["a", "b", "c"]);
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

Deno.test("of requests that share an object those that cannot be stored are set aside, and the replay goes on", async () => {
  await using stores = await testSpool();
  const database = new Database();
  database.isAway = true;
  database.refuses = new Set(["b", "d"]);
  const spool = stores.open(database);
  await spool.add(request("a"));
  await Promise.all(["b", "c", "d", "e"].map((text) => spool.add(request(text))));
  database.isAway = false;
  await waitFor("the replay", () => database.requests.length === 3 || null);
  assert.deepEqual(database.texts, ["a", "c", "e"]);
  await waitFor(
    "an empty spool",
    async () => (await stores.keys()).every((key) => !key.startsWith("spool/")) || null,
  );
  assert.equal((await spool.aside.state()).requests, 2);

  database.refuses.delete("b");
  assert.equal(await spool.aside.tryAgain(), 2);
  spool.lookAgain();
  await waitFor("what is mended", () => database.texts.includes("b") || null);
  await waitFor("the other one", async () => (await spool.aside.state()).requests === 1 || null);
});

Deno.test("a request that finds no room to be set aside stays in the spool and holds up no other", async () => {
  await using stores = await testSpool();
  const database = new Database();
  database.isAway = true;
  database.refuses = new Set(["a"]);
  const spool = stores.open(database, 1_000_000, { asideMaxBytes: 0 });
  for (const text of ["a", "b", "c"]) await spool.add(request(text));
  database.isAway = false;
  await waitFor("the replay", () => database.requests.length === 2 || null);
  assert.deepEqual(database.texts, ["b", "c"]);
  const waiting = async () =>
    (await stores.keys()).filter((key) => key.startsWith("spool/")).length;
  await waitFor("the others to go", async () => await waiting() === 1 || null);
  database.refuses.clear();
  await waitFor("its turn", () => database.requests.length === 3 || null);
});

Deno.test("a request that takes too long each time holds up no other, be it in its object or behind it", async () => {
  await using stores = await testSpool();
  const database = new Database();
  database.isAway = true;
  database.isSlowWith.add("b");
  const isWell = () => Promise.resolve(!database.isAway);
  const spool = stores.open(database, undefined, { isWell });
  await spool.add(request("first"));
  await Promise.all(["a", "b", "c"].map((text) => spool.add(request(text))));
  await spool.add(request("last"));
  database.isAway = false;
  await waitFor("what is behind it", () => database.texts.includes("last") || null);
  await waitFor("what is beside it", () => {
    const { texts } = database;
    return texts.includes("a") && texts.includes("c") || null;
  });
  assert.ok(!database.texts.includes("b"));
  await waitFor("the others to go", async () => (await stores.keys()).length === 1 || null);
  database.isSlowWith.clear();
  await waitFor("it as well", () => database.texts.includes("b") || null);
});

Deno.test("a newer version tries once by itself what an older one has set aside", async () => {
  await using stores = await testSpool();
  const database = new Database();
  database.refuses = new Set(["a", "b"]);
  const older = stores.open(database, undefined, { version: "0.9.1" });
  for (const text of ["a", "b"]) await older.add(request(text));
  await waitFor("both", async () => (await older.aside.state()).requests === 2 || null);
  await older.close();
  const { attempts } = database;
  const same = stores.open(database, undefined, { version: "0.9.1" });
  const previous = stores.open(database, undefined, { version: "0.9.0" });
  await Promise.all([same, previous].map((spool) => spool.close()));
  assert.equal(database.attempts, attempts);

  database.refuses.delete("a");
  const newer = stores.open(database, undefined, { version: "0.10.0" });
  await waitFor("what is mended", () => database.texts.includes("a") || null);
  const [left] = await waitFor("the other one", async () => {
    const objects = await newer.aside.find({});
    return objects.length === 1 ? objects : null;
  });
  assert.equal(left?.version, "0.10.0");
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
