import assert from "node:assert/strict";
import { openSealer, SealBroken } from "@/lib/accounts/secrets.ts";
import { testKv } from "../../support/kv.ts";

const KEY = { secretKey: "a key from the settings" };

Deno.test("openSealer() seals texts so that they open again", async () => {
  await using store = await testKv();
  const sealer = await openSealer(store.kv, KEY);
  const sealed = await sealer.seal("tøken", "1/a");
  assert.equal(new TextDecoder().decode(sealed).includes("token"), false);
  assert.equal(await sealer.open(sealed, "1/a"), "tøken");
});

Deno.test("openSealer() never seals a text the same way twice", async () => {
  await using store = await testKv();
  const sealer = await openSealer(store.kv, KEY);
  assert.notDeepEqual(await sealer.seal("token", "1/a"), await sealer.seal("token", "1/a"));
});

Deno.test("what was sealed opens neither in another place, nor damaged, nor by another key", async () => {
  await using store = await testKv();
  const sealer = await openSealer(store.kv, KEY);
  const sealed = await sealer.seal("token", "1/a");
  await assert.rejects(sealer.open(sealed, "2/a"), SealBroken);
  await assert.rejects(sealer.open(sealed.with(-1, (sealed.at(-1) ?? 0) ^ 1), "1/a"), SealBroken);
  await assert.rejects(sealer.open(new Uint8Array(), "1/a"), SealBroken);
  const other = await openSealer(store.kv, { secretKey: "another key of settings" });
  await assert.rejects(other.open(sealed, "1/a"), SealBroken);
});

Deno.test("openSealer() keeps one random key for all when the settings name none", async () => {
  await using store = await testKv();
  const none = { secretKey: null };
  const sealers = await Promise.all([openSealer(store.kv, none), openSealer(store.kv, none)]);
  const sealed = await sealers[0].seal("token", "1/a");
  assert.equal(await sealers[1].open(sealed, "1/a"), "token");
  await using elsewhere = await testKv();
  await assert.rejects((await openSealer(elsewhere.kv, none)).open(sealed, "1/a"), SealBroken);
});
