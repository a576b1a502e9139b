import assert from "node:assert/strict";
import fc from "fast-check";
import { Profile, StringTable } from "pprof-format";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import { PprofBuilder } from "@/lib/formats/pprof/encode.ts";
import { noRepairs } from "@/lib/formats/pprof/faults.ts";
import { plainByOther, type PlainLocation, plainOf, type PlainProfile } from "./plain_profile.ts";

const DAY_NANOS = 86_400n * 10n ** 9n;

/** Objects of the usual kind, which can be compared with those that are read. */
function record<T>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(shape, { noNullPrototype: true }) as fc.Arbitrary<T>;
}

const int64 = fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n });
const name = fc.oneof(fc.constantFrom("", "main", "work", "a;b", "naïve", "🦕"), fc.string());
const valueType = record({ type: name, unit: name });
const line = record({
  name,
  systemName: name,
  file: name,
  startLine: fc.nat(),
  line: fc.nat(),
  column: fc.nat(),
});
const location: fc.Arbitrary<PlainLocation> = record({
  mapping: fc.option(record({ filename: name, buildId: name })),
  address: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
  lines: fc.array(line, { maxLength: 3 }),
});
const key = name.filter((text) => text !== "");
const none = fc.constant("");
const label = fc.oneof(
  record({ key, text: key, number: fc.constant(0n), unit: none }),
  record({ key, text: none, number: int64, unit: name }),
);

/** Samples take their locations from few, so that many are the same. */
const profile: fc.Arbitrary<PlainProfile> = fc.tuple(
  fc.array(valueType, { minLength: 1, maxLength: 5 }),
  fc.array(location, { minLength: 1, maxLength: 6 }),
).chain(([sampleTypes, locations]) =>
  record({
    sampleTypes: fc.constant(sampleTypes),
    samples: fc.array(
      record({
        stack: fc.array(fc.constantFrom(...locations), { maxLength: 12 }),
        values: fc.array(int64, { minLength: sampleTypes.length, maxLength: sampleTypes.length }),
        labels: fc.array(label, { maxLength: 3 }),
      }),
      { maxLength: 12 },
    ),
    timeNanos: fc.constantFrom(0n, 1_795_000_000_123_456_789n),
    durationNanos: fc.bigInt({ min: 0n, max: DAY_NANOS }),
    periodType: fc.option(valueType),
    period: int64,
    comments: fc.array(name, { maxLength: 3 }),
    defaultSampleType: name,
  })
);

function encoded(plain: PlainProfile): Uint8Array {
  const { samples, periodType, ...head } = plain;
  const builder = new PprofBuilder({ ...head, ...periodType === null ? {} : { periodType } });
  const place = ({ mapping, address, lines }: PlainLocation) =>
    builder.location(
      lines.map(({ name, systemName, file, startLine, line, column }) => ({
        function: builder.function(name, file, { systemName, startLine }),
        line,
        column,
      })),
      {
        address,
        mapping: mapping === null ? 0 : builder.mapping(mapping.filename, mapping.buildId),
      },
    );
  for (const { stack, values, labels } of samples) {
    builder.sample(
      stack.map(place),
      values,
      labels.map(({ key, text, number, unit }) =>
        text === "" ? { key, number, unit } : { key, text }
      ),
    );
  }
  return builder.toBytes();
}

Deno.test("what is built is read back as it was", () => {
  fc.assert(
    fc.property(profile, (plain) => {
      const { profile, repairs } = decodePprof(encoded(plain));
      assert.deepEqual(plainOf(profile), plain);
      assert.deepEqual(repairs, noRepairs());
    }),
    { numRuns: 500 },
  );
});

Deno.test("others read the same from what is built", () => {
  fc.assert(
    fc.property(profile, (plain) => {
      assert.deepEqual(plainByOther(encoded(plain)), plain);
    }),
    { numRuns: 500 },
  );
});

Deno.test("what others wrote is read as they read it", () => {
  fc.assert(
    fc.property(profile, (plain) => {
      // It has no room for messages of nothing.
      const { sampleTypes, periodType } = plain;
      fc.pre([...sampleTypes, periodType].every((it) => it === null || it.type || it.unit));
      const bytes = Profile.decode(encoded(plain)).encode();
      assert.deepEqual(plainOf(decodePprof(bytes).profile), plain);
    }),
    { numRuns: 500 },
  );
});

Deno.test("the strings that others leave after the tables are found", () => {
  const stringTable = new StringTable();
  const bytes = new Profile({
    stringTable,
    sampleType: [{ type: stringTable.dedup("wall"), unit: stringTable.dedup("nanoseconds") }],
    sample: [{ locationId: [1n << 60n], value: [-5n] }],
    location: [{ id: 1n << 60n, line: [{ functionId: 7, line: 3, column: 9 }] }],
    function: [{ id: 7, name: stringTable.dedup("run") }],
  }).encode();
  const { samples } = plainOf(decodePprof(bytes).profile);
  assert.equal(samples[0]?.stack[0]?.lines[0]?.name, "run");
  assert.deepEqual(samples[0]?.values, [-5n]);
});

Deno.test("what is added twice has one id", () => {
  const builder = new PprofBuilder({
    sampleTypes: [{ type: "samples", unit: "count" }],
    timeNanos: 0n,
    durationNanos: 0n,
  });
  const work = builder.function("work", "main.go");
  assert.equal(builder.function("work", "main.go"), work);
  assert.notEqual(builder.function("work", "other.go"), work);
  assert.notEqual(builder.function("work", "main.go", { startLine: 3 }), work);
  assert.equal(builder.mapping("shop", "id"), builder.mapping("shop", "id"));
  const lines = [{ function: work, line: 3, column: 0 }];
  const place = builder.location(lines);
  assert.equal(builder.location(lines), place);
  assert.notEqual(builder.location(lines, { address: 5n }), place);
  assert.throws(() => builder.sample([place], [1n, 2n]), RangeError);
});

Deno.test("the bytes may be taken more than once, with what was added between", () => {
  const builder = new PprofBuilder({
    sampleTypes: [{ type: "samples", unit: "count" }],
    timeNanos: 0n,
    durationNanos: 0n,
  });
  const add = (name: string) =>
    builder.sample(
      [builder.location([{ function: builder.function(name, ""), line: 1, column: 0 }])],
      [1n],
    );
  add("one");
  const first = builder.toBytes();
  add("two");
  assert.equal(decodePprof(builder.toBytes()).profile.samples.count, 2);
  assert.equal(decodePprof(first).profile.samples.count, 1);
});
