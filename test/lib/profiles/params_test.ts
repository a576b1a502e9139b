import assert from "node:assert/strict";
import {
  oncePerName,
  profilingParams,
  readProfilingParams,
  readValueId,
  valueId,
} from "@/lib/profiles/params.ts";

const read = (query: string) => readProfilingParams(new URLSearchParams(query));

Deno.test("parameters are read and written back as they were", () => {
  const query = new URLSearchParams([
    ["profile_type", "cpu:cpu:nanoseconds"],
    ["transaction", "GET /"],
    ["label", "handler=pay=now"],
    ["label", "zone=b"],
    ["trace", "a".repeat(32)],
    ["span", "b".repeat(16)],
    ["profiler", "c".repeat(32)],
    ["thread", "7"],
    ["focus", "^main\\."],
    ["invert", "1"],
    ["by", "package"],
    ["function", "main.work"],
  ]);
  const params = readProfilingParams(query);
  assert.deepEqual(params.errors, {});
  assert.deepEqual(params.labels, [["handler", "pay=now"], ["zone", "b"]]);
  assert.deepEqual(profilingParams(params), [...query]);
});

Deno.test("labels may stand in one parameter, a line each", () => {
  const once = oncePerName(profilingParams(read("label=a%3D1&label=b%3D2")));
  assert.deepEqual(once, { label: "a=1\nb=2" });
  assert.deepEqual(read(`${new URLSearchParams(once)}`).labels, [["a", "1"], ["b", "2"]]);
});

Deno.test("ids are taken with dashes and in capitals", () => {
  const id = "AAAAAAAA-bbbb-cccc-dddd-eeeeeeeeeeee";
  assert.equal(read(`trace=${id}`).traceId, id.replaceAll("-", "").toLowerCase());
});

Deno.test("what is wrong is told by its name and left out", () => {
  const params = read("profile_type=cpu&label=x&trace=1&span=z&profiler=0&focus=(&by=moon");
  assert.deepEqual(Object.keys(params.errors).sort(), [
    "by",
    "focus",
    "label",
    "profile_type",
    "profiler",
    "span",
    "trace",
  ]);
  assert.deepEqual(profilingParams(params), []);
  assert.match(read(`label=${"a%3D1%0A".repeat(21)}`).errors.label ?? "", /At most 20/);
});

Deno.test("types are one word in addresses, whatever their names are", () => {
  const value = { kind: "other", type: { type: "a:b%", unit: "" } } as const;
  assert.deepEqual(readValueId(valueId(value)), value);
  for (const text of ["", "cpu", "cpu:cpu", "moon:cpu:nanoseconds", "cpu:a:b:c"]) {
    assert.equal(readValueId(text), null, text);
  }
});
