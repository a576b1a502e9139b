import assert from "node:assert/strict";
import { PROTOCOL_NAMES } from "@/lib/core/measures/measures.ts";
import { SharedNumbers } from "@/lib/core/measures/numbers.ts";
import { protocolNamed } from "@/lib/ingest/protocols/named.ts";

/** What each isolate of a process does at its start. */
function isolate() {
  const numbers = new SharedNumbers();
  const requests = numbers.counter({
    name: "requests",
    help: "",
    labels: { way: ["a", "b"], outcome: ["stored", "other"] },
  });
  const times = numbers.histogram({ name: "times", help: "", bounds: [1, 5] });
  const queue = numbers.gauge({ name: "queue", help: "" });
  const age = numbers.gauge({ name: "age", help: "", isMost: true });
  numbers.open();
  return { numbers, requests, times, queue, age };
}

Deno.test("isolates that share their memory count together, and each of them can tell", () => {
  const first = isolate();
  const second = isolate();
  second.numbers.join(first.numbers.memory, 2);

  first.requests.add(2, "a", "stored");
  second.requests.add(3, "a", "stored");
  second.requests.add(1, "b", "stored");
  first.queue.set(4);
  second.queue.set(3);
  first.age.set(4);
  second.age.set(9);

  for (const { requests, queue, age } of [first, second]) {
    assert.equal(requests.total("a", "stored"), 5);
    assert.equal(requests.total("b", "stored"), 1);
    assert.equal(requests.total("b", "other"), 0);
    assert.equal(queue.total(), 7, "a gauge is their sum");
    assert.equal(age.total(), 9, "or the largest of them");
  }
});

Deno.test("a value that a label does not have counts as its last one", () => {
  const { requests } = isolate();
  requests.add(1, "a", "unheard of");
  assert.equal(requests.total("a", "other"), 1);
});

Deno.test("a histogram knows how many values were at most each bound, and their sum", () => {
  const { numbers, times } = isolate();
  for (const value of [0.5, 1, 3, 70]) times.observe(value);
  const { count, sum, buckets } = times.read();
  assert.equal(count, 4);
  assert.equal(sum, 74.5);
  assert.deepEqual(buckets.map(({ count }) => count), [2, 1, 1]);
  const family = numbers.read().find(({ name }) => name === "times");
  assert.deepEqual(family?.samples.map(({ suffix, labels, value }) => [suffix, labels.le, value]), [
    ["_bucket", "1", 2],
    ["_bucket", "5", 3],
    ["_bucket", "+Inf", 4],
    ["_sum", undefined, 74.5],
    ["_count", undefined, 4],
  ]);
});

Deno.test("all protocols of the intake are counted under their own names", () => {
  const named = PROTOCOL_NAMES.filter((name) => name !== "other");
  for (const name of named) assert.equal(protocolNamed(name).name, name);
});
