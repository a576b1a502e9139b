import assert from "node:assert/strict";
import { createKey, deleteKey, updateKey } from "../../../lib/control/keys.ts";
import { identify } from "../../../lib/intake/identify.ts";
import { Refusal } from "../../../lib/intake/refusal.ts";
import { makeWorld } from "../../support/ingest_world.ts";
import { testKv } from "../../support/stores.ts";

const carrying = (publicKey: string) => ({ publicKey, client: null });

async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const error = await work.then(() => null, (reason) => reason);
  assert.ok(error instanceof Refusal, `expected a refusal, got ${error}`);
  return error;
}

Deno.test("identify() finds the project of a key, with and without a project in the address", async () => {
  await using stores = await testKv();
  const { project, serverKey } = await makeWorld(stores.kv);
  for (const projectId of [project.id, null]) {
    const found = await identify(stores.kv, carrying(serverKey), projectId);
    assert.deepEqual(found.project, project);
    assert.equal(found.key.publicKey, serverKey);
  }
});

Deno.test("identify() refuses a key from the moment it is disabled or deleted", async () => {
  await using stores = await testKv();
  const { kv } = stores;
  const { project } = await makeWorld(kv);
  const key = await createKey(kv, { projectId: project.id, name: "mine", type: "server" });
  await identify(kv, carrying(key.publicKey), project.id);
  await updateKey(kv, key.id, { isActive: false });
  const disabled = await refusalOf(identify(kv, carrying(key.publicKey), project.id));
  assert.equal(disabled.status, 401);
  assert.deepEqual(disabled.outcome, {
    kind: "refused",
    reason: "disabled_key",
    projectId: project.id,
  });
  await deleteKey(kv, key.id);
  const deleted = await refusalOf(identify(kv, carrying(key.publicKey), project.id));
  assert.equal(deleted.status, 401);
  assert.deepEqual(deleted.outcome, { kind: "refused", reason: "unknown_key" });
});

Deno.test("identify() refuses the key of another project and counts it for the key's own", async () => {
  await using stores = await testKv();
  const mine = await makeWorld(stores.kv, "mine");
  const other = await makeWorld(stores.kv, "other");
  const { status, outcome } = await refusalOf(
    identify(stores.kv, carrying(mine.serverKey), other.project.id),
  );
  assert.equal(status, 403);
  assert.deepEqual(outcome, {
    kind: "refused",
    reason: "project_mismatch",
    projectId: mine.project.id,
  });
});

Deno.test("identify() refuses requests without a key, and addresses without a project number", async () => {
  await using stores = await testKv();
  const { serverKey } = await makeWorld(stores.kv);
  assert.equal((await refusalOf(identify(stores.kv, null, "1"))).status, 401);
  assert.equal((await refusalOf(identify(stores.kv, carrying(serverKey), "x"))).status, 400);
});
