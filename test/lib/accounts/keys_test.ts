import assert from "node:assert/strict";
import { forgetProject, putAside } from "@/lib/accounts/deleted_projects.ts";
import { findIngest } from "@/lib/accounts/ingest_lookup.ts";
import {
  createKey,
  deleteKey,
  dsn,
  findKey,
  findRetired,
  type IngestKey,
  listKeys,
  reissueKey,
  updateKey,
} from "@/lib/accounts/keys.ts";
import { setMonthlyQuota } from "@/lib/accounts/quotas.ts";
import { createOrganization } from "../../support/organizations.ts";
import { createProject, markFirstEvent, type Project } from "@/lib/accounts/projects.ts";
import { interleaved } from "../../support/interleaved_kv.ts";
import { testKv } from "../../support/kv.ts";
import { person } from "../../support/people.ts";

async function project(kv: Deno.Kv): Promise<{ project: Project; key: IngestKey }> {
  const owner = await person(kv, "ann");
  const { id } = await createOrganization(kv, { name: "Acme", ownerId: owner.id });
  const project = await createProject(kv, { organizationId: id, name: "App", platform: "node" });
  const [key] = await listKeys(kv, project.id);
  return { project, key: key ?? assert.fail() };
}

Deno.test("a key has 32 lower-case hex digits and is found by them only", async () => {
  await using test = await testKv();
  const { key } = await project(test.kv);
  assert.match(key.publicKey, /^[0-9a-f]{32}$/);
  assert.match(key.id, /^[0-9a-f]{16}$/);
  assert.deepEqual(await findKey(test.kv, key.publicKey), key);
  const others = [
    "",
    key.publicKey.toUpperCase() + "A",
    key.publicKey.slice(1),
    `${key.publicKey}\n`,
    "0".repeat(32),
    "x".repeat(100_000),
  ];
  for (const text of others) {
    assert.equal(await findKey(test.kv, text), null);
    assert.equal(await findIngest(test.kv, text), null);
  }
});

Deno.test("keys can be made, renamed, disabled, enabled and deleted", async () => {
  await using test = await testKv();
  const { project: { id: projectId } } = await project(test.kv);
  const made = await createKey(test.kv, { projectId, name: " Jobs ", type: "server" });
  assert.deepEqual([made.name, made.type, made.isActive], ["Jobs", "server", true]);
  assert.equal((await listKeys(test.kv, projectId)).length, 3);
  const disabled = await updateKey(test.kv, made.publicKey, { isActive: false });
  assert.deepEqual(disabled, { ...made, isActive: false });
  const renamed = await updateKey(test.kv, made.publicKey, { name: "Cron", isActive: true });
  assert.deepEqual(renamed, { ...made, name: "Cron" });
  await assert.rejects(updateKey(test.kv, made.publicKey, { name: "" }), { field: "name" });
  await deleteKey(test.kv, made.publicKey);
  assert.equal(await findKey(test.kv, made.publicKey), null);
  assert.equal(await updateKey(test.kv, made.publicKey, { name: "Late" }), null);
  assert.equal((await listKeys(test.kv, projectId)).length, 2);
  await deleteKey(test.kv, made.publicKey);
});

Deno.test("a change never brings back a key that is deleted at that moment", async () => {
  await using test = await testKv();
  const { project: { id: projectId } } = await project(test.kv);
  for (let round = 0; round < 20; round++) {
    const { publicKey } = await createKey(test.kv, { projectId, name: "Key", type: "server" });
    await Promise.all([
      updateKey(test.kv, publicKey, { name: "Late" }),
      deleteKey(test.kv, publicKey),
      updateKey(test.kv, publicKey, { isActive: true }),
    ]);
    assert.equal(await findKey(test.kv, publicKey), null);
  }
});

Deno.test("keys are only made for a project that exists, and at most 100", async () => {
  await using test = await testKv();
  await assert.rejects(createKey(test.kv, { projectId: "1", name: "Key", type: "server" }), {
    status: 404,
  });
  const { project: { id: projectId } } = await project(test.kv);
  for (let made = 2; made < 100; made++) {
    await createKey(test.kv, { projectId, name: "Key", type: "browser" });
  }
  await assert.rejects(createKey(test.kv, { projectId, name: "Key", type: "browser" }), {
    name: "InvalidInput",
  });
  await putAside(test.kv, projectId, "ann");
  await forgetProject(test.kv, projectId);
  assert.deepEqual(await listKeys(test.kv, projectId), [], "100 keys fit in one deletion");
});

Deno.test("dsn() keeps scheme, port and path prefix of the base address", async () => {
  await using test = await testKv();
  const { key } = await project(test.kv);
  const f = (baseUrl: string, expected: string) =>
    assert.equal(dsn(baseUrl, key), expected.replace("KEY", key.publicKey));
  f("https://watch.example.com", "https://KEY@watch.example.com/1");
  f("http://localhost:8000", "http://KEY@localhost:8000/1");
  f("https://example.com/pre/fix/", "https://KEY@example.com/pre/fix/1");
  f("http://[::1]:8000", "http://KEY@[::1]:8000/1");
});

Deno.test("findIngest() sees every change at once, whatever it has seen before", async () => {
  await using test = await testKv();
  const { project: app, key } = await project(test.kv);
  const find = () => findIngest(test.kv, key.publicKey);
  assert.deepEqual(await find(), { key, project: app, monthlyQuota: 0 });
  assert.deepEqual(await find(), { key, project: app, monthlyQuota: 0 });

  const other = await Deno.openKv(test.path);
  await updateKey(other, key.publicKey, { isActive: false });
  assert.equal((await find())?.key.isActive, false);
  await updateKey(other, key.publicKey, { isActive: true });
  assert.equal((await find())?.key.isActive, true);
  await setMonthlyQuota(other, app.organizationId, 7);
  assert.equal((await find())?.monthlyQuota, 7);
  const at = new Date();
  await markFirstEvent(other, app.id, at);
  assert.deepEqual((await find())?.project.firstEventAt, at);
  await deleteKey(other, key.publicKey);
  assert.equal(await find(), null);
  assert.equal(await find(), null);

  const [browser] = await listKeys(test.kv, app.id);
  assert.notEqual(await findIngest(test.kv, browser?.publicKey ?? ""), null);
  await putAside(other, app.id, "ann");
  assert.equal(await findIngest(test.kv, browser?.publicKey ?? ""), null);
  other.close();
});

Deno.test("a reissued key keeps its id, and its old public key is remembered and unknown at once", async () => {
  await using test = await testKv();
  const { project: app, key } = await project(test.kv);
  await findIngest(test.kv, key.publicKey);
  const other = await Deno.openKv(test.path);
  const reissued = await reissueKey(other, key.publicKey);
  other.close();
  assert.ok(reissued);
  assert.notEqual(reissued.publicKey, key.publicKey);
  assert.equal(reissued.id, key.id);
  assert.equal(await findIngest(test.kv, key.publicKey), null);
  assert.equal((await findIngest(test.kv, reissued.publicKey))?.key.id, key.id);
  assert.deepEqual((await listKeys(test.kv, app.id)).map(({ id }) => id).length, 2);
  const retired = await findRetired(test.kv, key.publicKey);
  assert.deepEqual([retired?.why, retired?.keyId, retired?.projectId], [
    "reissued",
    key.id,
    app.id,
  ]);
  assert.equal(await reissueKey(test.kv, key.publicKey), null);
});

Deno.test("only one of two that reissue a key at once has done it", async () => {
  await using test = await testKv();
  const { key } = await project(test.kv);
  const results = await Promise.all([
    reissueKey(test.kv, key.publicKey),
    reissueKey(test.kv, key.publicKey),
  ]);
  assert.equal(results.filter((result) => result !== null).length, 1);
});

Deno.test("origins and rates of a key are checked", async () => {
  await using test = await testKv();
  const { key } = await project(test.kv);
  const change = (changes: Parameters<typeof updateKey>[2]) =>
    updateKey(test.kv, key.publicKey, changes);
  const changed = await change({
    allowedOrigins: [" https://Shop.example.com/ ", "", "*.example.com", "*.example.com"],
    ratePerSec: 5,
  });
  assert.deepEqual(changed?.allowedOrigins, ["https://shop.example.com", "*.example.com"]);
  assert.equal(changed?.ratePerSec, 5);
  await assert.rejects(change({ allowedOrigins: ["not an origin"] }), { field: "origins" });
  await assert.rejects(change({ ratePerSec: 0 }), { field: "rate" });
});

Deno.test("findIngest() believes the key, not what it remembers of it", async () => {
  await using test = await testKv();
  const { project: app, key } = await project(test.kv);
  const moved = await createProject(test.kv, { ...app, name: "Other", slug: "other" });
  assert.deepEqual((await findIngest(test.kv, key.publicKey))?.project, app);
  // As after the restore of a backup.
  await test.kv.set(["ingest_key", key.publicKey], { ...key, projectId: moved.id });
  assert.deepEqual((await findIngest(test.kv, key.publicKey))?.project, moved);
  assert.deepEqual((await findIngest(test.kv, key.publicKey))?.project, moved);
});

Deno.test("findIngest() reads together what is asked for together, and anew for whoever asks later", async () => {
  await using test = await testKv();
  const { project: app } = await project(test.kv);
  const publicKeys = (await listKeys(test.kv, app.id)).map(({ publicKey }) => publicKey);
  const [first = ""] = publicKeys;
  for (const publicKey of publicKeys) await findIngest(test.kv, publicKey);
  const { kv, reads } = counted(test.kv);

  const asked = Array.from(
    { length: 64 },
    (_, index) => publicKeys[index % publicKeys.length] ?? "",
  );
  const found = await Promise.all(asked.map((publicKey) => findIngest(kv, publicKey)));
  assert.deepEqual(found.map((ingest) => ingest?.key.publicKey), asked);
  assert.ok(reads() <= 1 + 2 * publicKeys.length, `${reads()} reads`);

  // The first of these is under way when the key goes.
  const before = findIngest(kv, first);
  await deleteKey(test.kv, first);
  assert.equal(await findIngest(kv, first), null);
  await before;
});

Deno.test("findIngest() finds a key while another request learns where it belongs", async () => {
  await using test = await testKv();
  const { project: app, key } = await project(test.kv);
  const found: unknown[] = [];
  const kv: Deno.Kv = interleaved(test.kv, "ingest_key", async () => {
    found.push(await findIngest(kv, key.publicKey));
  });
  found.push(await findIngest(kv, key.publicKey));
  const ingest = { key, project: app, monthlyQuota: 0 };
  assert.deepEqual(found, [ingest, ingest]);
});

Deno.test("requests that come while a lookup is under way share the next one", async () => {
  await using test = await testKv();
  const { key } = await project(test.kv);
  const { kv, begun, release, count } = held(test.kv);
  const found = [findIngest(kv, key.publicKey)];
  await begun;
  for (let request = 0; request < 9; request++) {
    found.push(findIngest(kv, key.publicKey));
    await Promise.resolve();
  }
  release();
  assert.deepEqual(
    (await Promise.all(found)).map((ingest) => ingest?.key.id),
    found.map(() => key.id),
  );
  assert.ok(count() < found.length / 2, `${count()} lookups for ${found.length} requests`);
});

Deno.test("a distant store is asked again before it has answered", async () => {
  await using test = await testKv();
  const { key } = await project(test.kv);
  const { kv, begun, release } = held(test.kv);
  const first = findIngest(kv, key.publicKey);
  await begun;
  assert.equal((await findIngest(kv, key.publicKey))?.key.id, key.id, "while the first one waits");
  release();
  assert.equal((await first)?.key.id, key.id);
});

/** The same store, whose first lookup is answered when it is released. */
function held(kv: Deno.Kv) {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let count = 0;
  const proxy = new Proxy(kv, {
    get(target, name) {
      if (name === "getMany") {
        return async (keys: Deno.KvKey[]) => {
          begun.resolve();
          if (count++ === 0) await gate.promise;
          return await target.getMany(keys);
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { kv: proxy, begun: begun.promise, release: gate.resolve, count: () => count };
}

/** The same store with its reads counted. */
function counted(kv: Deno.Kv): { kv: Deno.Kv; reads: () => number } {
  let reads = 0;
  const proxy = new Proxy(kv, {
    get(target, name) {
      if (name === "get" || name === "getMany") reads++;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { kv: proxy, reads: () => reads };
}
