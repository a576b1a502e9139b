import assert from "node:assert/strict";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import { noRepairs } from "@/lib/formats/pprof/faults.ts";
import {
  functions,
  goodProfile,
  joined,
  locations,
  msg,
  num,
  packed,
  raw,
  refusalOf,
  sample,
  sampleTypes,
  STRINGS,
  strings,
  tables,
  text,
  unpacked,
} from "./messages.ts";

const MAX = (1n << 63n) - 1n;
const MIN = -(1n << 63n);

function decoded(...parts: Uint8Array[]) {
  return decodePprof(joined(...parts)).profile;
}

Deno.test("a profile becomes tables that refer to one another by place", () => {
  const { profile, repairs } = decodePprof(goodProfile);
  assert.deepEqual(repairs, noRepairs());
  assert.deepEqual(profile.sampleTypes, [
    { type: "samples", unit: "count" },
    { type: "cpu", unit: "nanoseconds" },
  ]);
  assert.deepEqual(profile.strings, STRINGS);
  assert.deepEqual([...profile.samples.starts], [0, 2, 3]);
  assert.deepEqual([...profile.samples.locations], [1, 0, 0]);
  assert.deepEqual([...profile.samples.values], [1n, 10n, 1n, 10n]);
  assert.deepEqual([...profile.locations.lineStarts], [0, 1, 2]);
  assert.deepEqual([...profile.locations.lineFunctions], [0, 1]);
  assert.deepEqual([...profile.locations.lines], [12, 34]);
  assert.deepEqual([...profile.locations.columns], [0, 5]);
  assert.deepEqual([...profile.locations.mappings], [-1, -1]);
  assert.deepEqual([...profile.functions.names], [5, 7]);
  assert.deepEqual([...profile.functions.filenames], [6, 6]);
  assert.deepEqual([...profile.functions.startLines], [10, 0]);
  assert.equal(profile.timeNanos, 1_795_000_000n * 10n ** 9n);
  assert.equal(profile.durationNanos, 0n);
  assert.equal(profile.periodType, null);
});

Deno.test("the head is read whatever the order of fields", () => {
  const profile = decoded(
    packed(13, [7, 6]),
    num(13, 5),
    num(14, 3),
    num(12, 10_000_000),
    msg(11, num(1, 3), num(2, 4)),
    num(10, 30n * 10n ** 9n),
    sample([2, 1]),
    strings,
    functions,
    locations,
    sampleTypes,
  );
  assert.deepEqual(profile.comments, ["work", "main.go", "main"]);
  assert.equal(profile.defaultSampleType, "cpu");
  assert.deepEqual(profile.periodType, { type: "cpu", unit: "nanoseconds" });
  assert.equal(profile.period, 10_000_000n);
  assert.equal(profile.durationNanos, 30n * 10n ** 9n);
  assert.deepEqual([...profile.samples.locations], [1, 0]);
});

Deno.test("lists of numbers may be packed, one by one, or both", () => {
  for (const write of [packed, unpacked]) {
    const profile = decoded(tables, msg(2, write(1, [2, 1, 1]), write(2, [-5, MAX])));
    assert.deepEqual([...profile.samples.locations], [1, 0, 0]);
    assert.deepEqual([...profile.samples.values], [-5n, MAX]);
  }
  const mixed = decoded(tables, msg(2, num(1, 2), packed(1, [1]), num(2, MIN), packed(2, [7])));
  assert.deepEqual([...mixed.samples.locations], [1, 0]);
  assert.deepEqual([...mixed.samples.values], [MIN, 7n]);
});

Deno.test("numbers of 64 bits are exact, with sign and beyond 2^53", () => {
  const values = [0n, 1n, -1n, 127n, 128n, (1n << 28n) - 1n, 1n << 28n, (1n << 32n) - 1n, 1n << 32n]
    .concat([(1n << 35n) - 1n, 1n << 35n, (1n << 53n) + 1n, -(1n << 53n) - 1n, MAX, MIN]);
  const samples = values.map((value) => msg(2, packed(1, [1]), packed(2, [value, -value])));
  const read = [...decoded(tables, ...samples).samples.values];
  assert.deepEqual(read, values.flatMap((value) => [value, BigInt.asIntN(64, -value)]));
  const address = (1n << 64n) - 2n;
  const mapping = msg(3, num(1, 1), num(2, address), num(3, address + 1n), num(4, 1n << 60n));
  const profile = decoded(
    sampleTypes,
    strings,
    mapping,
    msg(4, num(1, 1), num(2, 1), num(3, address)),
    sample([1], msg(3, num(1, 5), num(3, MIN + 1n), num(4, 4))),
  );
  assert.deepEqual([...profile.locations.addresses], [address]);
  assert.deepEqual([...profile.locations.mappings], [0]);
  assert.deepEqual([...profile.mappings.starts], [address]);
  assert.deepEqual([...profile.mappings.limits], [address + 1n]);
  assert.deepEqual([...profile.mappings.offsets], [1n << 60n]);
  assert.deepEqual([...profile.samples.labels.numbers], [MIN + 1n]);
});

Deno.test("ids may be any numbers of 64 bits, in any order", () => {
  const ids = [(1n << 64n) - 1n, 1n << 32n, 1n, (1n << 53n) + 1n, 1n << 53n];
  const parts = ids.flatMap((id, index) => [
    msg(5, num(1, id), num(2, 3 + index)),
    msg(4, num(1, id), msg(4, num(1, ids[ids.length - 1 - index] ?? 0))),
    msg(3, num(1, id), num(5, 6)),
  ]);
  const profile = decoded(sampleTypes, strings, ...parts, sample(ids), sample(ids.toReversed()));
  assert.deepEqual([...profile.samples.locations], [0, 1, 2, 3, 4, 4, 3, 2, 1, 0]);
  assert.deepEqual([...profile.locations.lineFunctions], [4, 3, 2, 1, 0]);
});

Deno.test("inlined functions keep their order", () => {
  const inlined = msg(4, num(1, 1), msg(4, num(1, 2), num(2, 7)), msg(4, num(1, 1), num(2, 9)));
  const profile = decoded(sampleTypes, functions, strings, inlined, sample([1]));
  assert.deepEqual([...profile.locations.lineStarts], [0, 2]);
  assert.deepEqual([...profile.locations.lineFunctions], [1, 0]);
  assert.deepEqual([...profile.locations.lines], [7, 9]);
});

Deno.test("a column in the upper half of a line is taken apart, and negative lines are unknown", () => {
  const lines = [(17n << 32n) | 42n, -3n, 42n];
  const parts = lines.map((line, index) =>
    msg(4, num(1, index + 1), msg(4, num(1, 1), num(2, line)))
  );
  const profile = decoded(sampleTypes, functions, strings, ...parts, sample([1, 2, 3]));
  assert.deepEqual([...profile.locations.lines], [42, 0, 42]);
  assert.deepEqual([...profile.locations.columns], [17, 0, 0]);
});

Deno.test("labels are texts or numbers with a unit", () => {
  const profile = decoded(
    tables,
    sample([1], msg(3, num(1, 5), num(2, 7)), msg(3, num(1, 6), num(3, -4), num(4, 4))),
    sample([1]),
    sample([1], msg(3, num(1, 6), num(3, 0))),
  );
  const { labels } = profile.samples;
  assert.deepEqual([...labels.starts], [0, 2, 2, 3]);
  assert.deepEqual([...labels.keys], [5, 6, 6]);
  assert.deepEqual([...labels.texts], [7, 0, 0]);
  assert.deepEqual([...labels.numbers], [0n, -4n, 0n]);
  assert.deepEqual([...labels.units], [0, 4, 0]);
});

Deno.test("what pprof leaves free is taken: no samples, empty stacks, no functions, empty types", () => {
  assert.equal(decoded(tables).samples.count, 0);
  assert.deepEqual([...decoded(tables, msg(2, packed(2, [1, 2]))).samples.starts], [0, 0]);
  const bare = decoded(sampleTypes, strings, msg(4, num(1, 1), num(3, 4096)), sample([1]));
  assert.deepEqual([...bare.locations.lineStarts], [0, 0]);
  const unnamed = decoded(msg(1), strings, msg(2, packed(2, [5])));
  assert.deepEqual(unnamed.sampleTypes, [{ type: "", unit: "" }]);
  assert.deepEqual([...unnamed.samples.values], [5n]);
  const ten = Array.from({ length: 10 }, () => msg(1, num(1, 1), num(2, 2)));
  const wide = decoded(...ten, strings, msg(2, packed(2, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])));
  assert.equal(wide.samples.values[9], 9n);
});

Deno.test("a mapping that is not there is none", () => {
  const lost = msg(4, num(1, 1), num(2, 77), msg(4, num(1, 1)));
  assert.deepEqual([...decoded(sampleTypes, functions, strings, lost).locations.mappings], [-1]);
});

Deno.test("fields that nobody knows are passed over", () => {
  const unknown = joined(
    num(99, 5),
    text(100, "later"),
    Uint8Array.of(101 << 3 & 0x7f | 1 | 0x80, 101 >> 4, 0, 0, 0, 0, 0, 0, 0, 0),
    Uint8Array.of(102 << 3 & 0x7f | 5 | 0x80, 102 >> 4, 0, 0, 0, 0),
  );
  const profile = decoded(unknown, tables, msg(2, packed(1, [1]), unknown, packed(2, [1, 2])));
  assert.deepEqual([...profile.samples.values], [1n, 2n]);
});

Deno.test("texts that are no UTF-8 become readable", () => {
  const profile = decoded(
    tables,
    raw(6, Uint8Array.of(0x61, 0xff, 0x62)),
    text(6, "\ufeffnaïve 🦕"),
  );
  assert.deepEqual(profile.strings.slice(-2), ["a\ufffdb", "\ufeffnaïve 🦕"]);
});

Deno.test("texts come one by one whatever stands beside them and however long they are", () => {
  const encoder = new TextEncoder();
  const long = "x".repeat(300);
  const names = [
    "main",
    "größe",
    "ab",
    "\ufffd",
    "имя",
    long,
    "b",
    "",
    "𝄞",
    "z".repeat(2_000),
    "c",
  ];
  const many = Array.from({ length: 40 }, () => names).flat();
  const damaged = raw(6, Uint8Array.from([0x6d, 0xff, 0x6e]));
  const profile = decoded(
    tables,
    ...many.map((name) => raw(6, encoder.encode(name))),
    damaged,
    text(6, "last"),
  );
  assert.deepEqual(profile.strings, [...STRINGS, ...many, "m\ufffdn", "last"]);
});

Deno.test("places of one, two and three bytes are read alike, packed or not", () => {
  const places = [1, 127, 128, 300, 16_383, 16_384, 20_000];
  const count = 20_000;
  const many = Array.from({ length: count }, (_, index) => msg(4, num(1, index + 1)));
  const stack = [...places, ...places.toReversed()];
  const profile = decoded(
    sampleTypes,
    functions,
    strings,
    ...many,
    sample(stack),
    msg(2, unpacked(1, stack), packed(2, [1, 10])),
  );
  const expected = stack.map((id) => id - 1);
  assert.deepEqual([...profile.samples.locations], [...expected, ...expected]);
});

Deno.test("a list of places that ends within a number is refused", () => {
  const cut = msg(2, raw(1, Uint8Array.from([0x01, 0x80])), packed(2, [1, 10]));
  const error = refusalOf(() => decodePprof(joined(tables, cut)));
  assert.match(error.message, /sample 1/);
});
