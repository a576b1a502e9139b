import assert from "node:assert/strict";
import { connectServer } from "@/lib/store/database.ts";
import { KeptFacts } from "@/lib/store/search_index/kept_facts.ts";
import { packJson } from "@/lib/store/search_index/segment.ts";

Deno.test("facts of the same bytes are unpacked once, those of other bytes for themselves", () => {
  const kept = new KeptFacts();
  let unpacked = 0;
  const compact = (facts: readonly unknown[]) => {
    unpacked++;
    return facts.map((fact) => [fact]);
  };
  assert.deepEqual(kept.read(packJson([1, 2]), compact), [[1], [2]]);
  assert.deepEqual(kept.read(packJson([1, 2]), compact), [[1], [2]]);
  assert.equal(unpacked, 1);
  assert.deepEqual(kept.read(packJson([1, 3]), compact), [[1], [3]]);
  assert.equal(unpacked, 2);
});

Deno.test("facts that nobody has read for long are dropped, those in use stay", () => {
  const kept = new KeptFacts();
  const unpacked: unknown[] = [];
  const compact = (facts: readonly unknown[]) => {
    unpacked.push(facts[0]);
    return facts;
  };
  for (let segment = 0; segment < 300; segment++) {
    kept.read(packJson([segment]), compact);
    kept.read(packJson([0]), compact);
  }
  assert.equal(unpacked.length, 300);
  kept.read(packJson([1]), compact);
  kept.read(packJson([299]), compact);
  assert.deepEqual(unpacked.slice(300), [1]);
});

Deno.test("each database has facts of its own", async () => {
  const [one, other] = ["postgres://localhost/one", "postgres://localhost/other"].map((url) =>
    connectServer(url)
  );
  assert.ok(one !== undefined && other !== undefined);
  assert.equal(KeptFacts.of(one), KeptFacts.of(one));
  assert.notEqual(KeptFacts.of(one), KeptFacts.of(other));
  await Promise.all([one.end(), other.end()]);
});
