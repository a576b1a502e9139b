import assert from "node:assert/strict";
import {
  createKey,
  deleteKey,
  KEY_TYPES,
  type KeyType,
  reissueKey,
  updateKey,
} from "@/lib/accounts/keys.ts";
import { type Claim, identify, originOf } from "@/lib/ingest/identify.ts";
import { Refusal } from "@/lib/core/refusal.ts";
import { makeWorld } from "../../support/ingest_world.ts";
import { testKv } from "../../support/stores.ts";

const claim = (publicKey: string, fields: Partial<Claim> = {}): Claim => ({
  credentials: { publicKey, client: null },
  projectId: null,
  keyTypes: KEY_TYPES,
  origin: null,
  ...fields,
});

async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const error = await work.then(() => null, (reason) => reason);
  assert.ok(error instanceof Refusal, `expected a refusal, got ${error}`);
  return error;
}

Deno.test("identify() finds the project of a key, with and without a project in the address", async () => {
  await using stores = await testKv();
  const { project, serverKey } = await makeWorld(stores.kv);
  for (const projectId of [project.id, null]) {
    const found = await identify(stores.kv, claim(serverKey, { projectId }));
    assert.deepEqual(found.project, project);
    assert.equal(found.key.publicKey, serverKey);
  }
});

Deno.test("identify() refuses a key from the moment it is disabled, reissued or deleted", async () => {
  await using stores = await testKv();
  const { kv } = stores;
  const { project } = await makeWorld(kv);
  const key = await createKey(kv, { projectId: project.id, name: "mine", type: "server" });
  const refused = async (publicKey: string, reason: string, detail: RegExp) => {
    const refusal = await refusalOf(identify(kv, claim(publicKey)));
    assert.equal(refusal.status, 401);
    assert.deepEqual(refusal.outcome, {
      kind: "refused",
      reason,
      projectId: project.id,
      keyId: key.id,
    });
    assert.match(refusal.detail, detail);
  };
  await identify(kv, claim(key.publicKey));
  await updateKey(kv, key.publicKey, { isActive: false });
  await refused(key.publicKey, "disabled_key", /disabled/);
  await updateKey(kv, key.publicKey, { isActive: true });

  const reissued = await reissueKey(kv, key.publicKey) ?? assert.fail();
  await refused(key.publicKey, "reissued_key", /reissued on \d{4}-\d\d-\d\d: use the new DSN/);
  await identify(kv, claim(reissued.publicKey));
  await deleteKey(kv, reissued.publicKey);
  await refused(reissued.publicKey, "revoked_key", /revoked on/);
});

Deno.test("identify() refuses the key of another project and counts it for the key's own", async () => {
  await using stores = await testKv();
  const mine = await makeWorld(stores.kv, "mine");
  const other = await makeWorld(stores.kv, "other");
  const { status, outcome } = await refusalOf(
    identify(stores.kv, claim(mine.serverKey, { projectId: other.project.id })),
  );
  assert.equal(status, 403);
  assert.deepEqual([outcome.reason, outcome.projectId], ["project_mismatch", mine.project.id]);
});

Deno.test("identify() refuses requests without a key, unknown keys, and addresses without a number", async () => {
  await using stores = await testKv();
  const { serverKey } = await makeWorld(stores.kv);
  const statusOf = async (fields: Partial<Claim>, key = serverKey) =>
    (await refusalOf(identify(stores.kv, claim(key, fields)))).status;
  assert.equal(await statusOf({ credentials: null }), 401);
  assert.equal(await statusOf({}, "f".repeat(32)), 401);
  assert.equal(await statusOf({ projectId: "x" }), 400);
});

Deno.test("identify() lets only the types of keys in that the address is for, and names the type", async () => {
  await using stores = await testKv();
  const { browserKey, serverKey } = await makeWorld(stores.kv);
  const keyTypes: KeyType[] = ["server"];
  await identify(stores.kv, claim(serverKey, { keyTypes }));
  const { status, detail, outcome } = await refusalOf(
    identify(stores.kv, claim(browserKey, { keyTypes })),
  );
  assert.equal(status, 403);
  assert.match(detail, /This is a browser key/);
  assert.equal(outcome.reason, "key_type");
});

Deno.test("identify() lets pages in from the origins of a key only", async () => {
  await using stores = await testKv();
  const { kv } = stores;
  const { project } = await makeWorld(kv);
  const cases: [type: KeyType, origin: string | null, isLetIn: boolean][] = [
    ["browser", "https://shop.example.com", true],
    ["browser", "https://www.shop.example.org", true],
    ["browser", "http://localhost:3000", true],
    ["browser", "http://shop.example.com", false],
    ["browser", "https://shop.example.com:8443", false],
    ["browser", "https://shop.example.com.evil.net", false],
    ["browser", "https://evilshop.example.org", false],
    ["browser", "null", false],
    ["browser", null, false],
    ["site", null, true],
    ["site", "https://evil.example.net", false],
    ["server", "https://evil.example.net", true],
  ];
  const allowedOrigins = ["https://shop.example.com", "*.shop.example.org", "localhost:*"];
  for (const [type, origin, isLetIn] of cases) {
    const key = await createKey(kv, { projectId: project.id, name: "k", type });
    await updateKey(kv, key.publicKey, { allowedOrigins });
    const work = identify(kv, claim(key.publicKey, { origin }));
    if (isLetIn) await work;
    else assert.equal((await refusalOf(work)).outcome.reason, "origin", `${type} ${origin}`);
    await deleteKey(kv, key.publicKey);
  }
});

Deno.test("originOf() is the Origin, else where the Referer points", () => {
  const of = (headers: Record<string, string>) =>
    originOf(new Request("http://x.test", { headers }));
  assert.equal(of({ origin: "https://a.test", referer: "https://b.test/x" }), "https://a.test");
  assert.equal(of({ referer: "https://b.test/x?y" }), "https://b.test");
  assert.equal(of({ origin: "null" }), "null");
  assert.equal(of({}), null);
});
