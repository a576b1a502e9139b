import assert from "node:assert/strict";
import fc from "fast-check";
import { NodeTable } from "@/lib/profiles/trees/tables.ts";

Deno.test("each pair of parent and frame has one node, however many there are", () => {
  const table = new NodeTable();
  const known = new Map<string, number>();
  let parent = 0;
  for (let step = 0; step < 50_000; step++) {
    const frame = Math.imul(step, 2654435761) >>> 26;
    const node = table.child(parent, frame);
    const key = `${parent} ${frame}`;
    assert.equal(known.get(key) ?? node, node);
    known.set(key, node);
    assert.deepEqual([table.parents[node], table.frames[node]], [parent, frame]);
    parent = step % 7 === 0 ? Math.imul(step, 40503) % table.count >>> 0 : node;
  }
  assert.equal(table.count, known.size + 1);
});

Deno.test("nodes are found again after the table grew", () => {
  fc.assert(fc.property(fc.array(fc.nat(30), { maxLength: 3_000 }), (frames) => {
    const table = new NodeTable();
    const walk = () => frames.map((frame, at) => table.child(at % 50, frame));
    // Parents must be there before their children.
    for (let frame = 1; frame < 50; frame++) table.child(0, 1_000 + frame);
    const first = walk();
    const { count } = table;
    assert.deepEqual(walk(), first);
    assert.equal(table.count, count);
  }));
});
