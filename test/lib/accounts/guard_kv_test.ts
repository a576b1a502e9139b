import assert from "node:assert/strict";
import { guardKv } from "@/lib/accounts/open_kv.ts";
import { StoreUnavailable } from "@/lib/core/errors.ts";
import { testKv } from "../../support/kv.ts";

Deno.test("while the disk is full KV is read and not written", async () => {
  await using store = await testKv();
  const disk = { isLow: () => true, isFull: () => false };
  const kv = guardKv(store.kv, disk);
  await kv.set(["a"], 1);
  await kv.atomic().set(["b"], 2).commit();
  disk.isFull = () => true;
  await assert.rejects(kv.set(["a"], 3), StoreUnavailable);
  await assert.rejects(kv.delete(["a"]), StoreUnavailable);
  await assert.rejects(kv.atomic().set(["b"], 3).commit(), StoreUnavailable);
  assert.deepEqual((await kv.getMany([["a"], ["b"]])).map(({ value }) => value), [1, 2]);
  disk.isFull = () => false;
  assert.ok((await kv.atomic().set(["b"], 3).commit()).ok);
});
