import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import { inflatePprof } from "@/lib/formats/pprof/compression.ts";
import { PprofError } from "@/lib/formats/pprof/faults.ts";
import { inTime } from "@/test/support/time_budget.ts";
import {
  empties,
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
  strings,
  tables,
  text,
} from "./messages.ts";

const MAX_MS = 100;
const MEBIBYTE = 1024 * 1024;

/** Reads it; undefined when it was refused. */
function readOrRefused(bytes: Uint8Array) {
  try {
    return decodePprof(inflatePprof(bytes)).profile;
  } catch (error) {
    if (!(error instanceof PprofError)) throw error;
    assert.match(error.message, /^[a-z].*[^.]$/);
  }
}

/** Repeats bytes. */
function times(bytes: Uint8Array, count: number): Uint8Array {
  const all = new Uint8Array(bytes.length * count);
  for (let at = 0; at < all.length; at += bytes.length) all.set(bytes, at);
  return all;
}

Deno.test("gzip that is cut short at any byte is refused", () => {
  const gzipped = gzipSync(goodProfile);
  for (let length = 0; length < gzipped.length; length++) {
    const { kind } = refusalOf(() => decodePprof(inflatePprof(gzipped.subarray(0, length))));
    assert.equal(kind, "invalid");
  }
});

Deno.test("gzip with any bit wrong is refused, or is the same profile", () => {
  const gzipped = gzipSync(goodProfile);
  for (let bit = 0; bit < 8 * gzipped.length; bit++) {
    const damaged = Uint8Array.from(gzipped);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ 1 << (bit & 7);
    const profile = readOrRefused(damaged);
    // What the head says of time and system is not covered by the checksum.
    if (profile !== undefined) assert.deepEqual(profile, decodePprof(goodProfile).profile);
  }
});

Deno.test("plain bytes that are cut short at any byte are refused", () => {
  // The strings are last, as Go writes them, but for the time of the profile.
  const body = joined(sampleTypes, sample([2, 1]), sample([1]), locations, num(9, 5), strings);
  for (let length = 0; length < body.length; length++) {
    assert.equal(refusalOf(() => decodePprof(body.subarray(0, length))).kind, "invalid");
  }
});

Deno.test("random bytes are refused and nothing else", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 4_096 }), (bytes) => {
      inTime(MAX_MS, () => readOrRefused(bytes));
      inTime(MAX_MS, () => readOrRefused(gzipSync(bytes)));
    }),
    { numRuns: 500 },
  );
});

Deno.test("a profile with random bytes changed is read or refused, and all it refers to is there", () => {
  const change = fc.tuple(fc.nat(goodProfile.length - 1), fc.nat(255));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const bytes = Uint8Array.from(goodProfile);
      for (const [at, byte] of changes) bytes[at] = byte;
      const profile = readOrRefused(bytes);
      if (profile === undefined) return;
      const { samples, locations, functions, mappings, strings } = profile;
      assert.equal(samples.values.length, samples.count * profile.sampleTypes.length);
      assert.equal(samples.starts.at(-1), samples.locations.length);
      assert.equal(samples.labels.starts.at(-1), samples.labels.keys.length);
      assert.ok(samples.locations.every((place) => place < locations.count));
      assert.ok(locations.lineFunctions.every((place) => place < functions.count));
      assert.ok(locations.mappings.every((place) => place < mappings.count));
      assert.ok(functions.names.every((place) => place < strings.length));
      assert.ok(samples.labels.texts.every((place) => place < strings.length));
    }),
    { numRuns: 5_000 },
  );
});

Deno.test("random messages with the fields of a profile are read or refused", () => {
  const field = fc.oneof(
    fc.tuple(fc.nat(16), fc.bigInt({ min: -2n, max: 1n << 64n })).map(([n, value]) =>
      num(n + 1, value)
    ),
    fc.tuple(fc.nat(16), fc.uint8Array({ maxLength: 8 })).map(([n, bytes]) => raw(n + 1, bytes)),
  );
  const message = fc.array(field, { maxLength: 5 }).map((parts) => joined(...parts));
  const nested = fc.tuple(fc.nat(5), message).map(([n, bytes]) => raw(n + 1, bytes));
  const body = fc.array(fc.oneof(field, nested, nested), { maxLength: 12 });
  fc.assert(
    fc.property(body, fc.boolean(), (parts, hasTables) => {
      readOrRefused(joined(...hasTables ? [tables] : [], ...parts));
    }),
    { numRuns: 5_000 },
  );
});

const FLOODS: Readonly<Record<string, Uint8Array>> = {
  "a million samples": joined(tables, times(sample([2, 1]), 1_000_000)),
  "empty samples": empties(2, 10_000_000),
  "empty sample types": empties(1, 10_000_000),
  "empty mappings": empties(3, 10_000_000),
  "empty locations": empties(4, 10_000_000),
  "empty functions": empties(5, 10_000_000),
  "empty strings": empties(6, 10_000_000),
  "empty period types": empties(11, 10_000_000),
  "fields that nobody knows": empties(15, 10_000_000),
  "comments": joined(tables, raw(13, new Uint8Array(10_000_000))),
  "empty lines": joined(tables, raw(4, empties(4, 10_000_000))),
  "lines": joined(tables, msg(4, num(1, 3), times(msg(4, num(1, 1)), 5_000_000))),
  "empty labels": joined(tables, raw(2, empties(3, 10_000_000))),
  "frames": joined(tables, msg(2, raw(1, new Uint8Array(20_000_000).fill(1)))),
  "more bytes than any profile": new Uint8Array(32 * MEBIBYTE + 1),
};

for (const [what, body] of Object.entries(FLOODS)) {
  Deno.test(`a flood is refused at once: ${what}`, () => {
    // Twenty kilobytes, of which gzip makes twenty megabytes.
    const gzipped = gzipSync(body);
    assert.equal(inTime(MAX_MS, () => refusalOf(() => inflatePprof(gzipped))).kind, "too_large");
    const { kind, message } = inTime(MAX_MS, () => refusalOf(() => decodePprof(body)));
    assert.equal(kind, "too_large", message);
  });
}

Deno.test("what fits the limits is read in time, however it is made up", () => {
  const values = joined(tables, msg(2, raw(2, new Uint8Array(20_000_000))));
  assert.equal(inTime(MAX_MS, () => refusalOf(() => decodePprof(values))).kind, "invalid");
  const lost = joined(tables, times(sample([99]), 200_000));
  assert.match(
    inTime(MAX_MS, () => refusalOf(() => decodePprof(lost))).message,
    /^sample 1 .* \(200000 of 200000 samples are damaged\)$/,
  );
  const long = joined(tables, text(6, "é".repeat(10 * MEBIBYTE)));
  assert.equal(inTime(MAX_MS, () => decodePprof(long)).repairs.cutTexts, 1);
});

Deno.test("ids that are made to collide do not slow reading down", () => {
  // Multiples of a large power of two fall together in a table that takes the lowest bits.
  const ids = Array.from({ length: 100_000 }, (_, n) => BigInt(n + 1) << 40n);
  const body = joined(
    sampleTypes,
    strings,
    ...ids.map((id) => msg(4, num(1, id))),
    msg(2, packed(1, ids.slice(0, 2_000)), packed(2, [1, 2])),
  );
  assert.equal(inTime(MAX_MS, () => decodePprof(body)).profile.samples.locations.length, 2_000);
});

Deno.test("a bomb of five hundred megabytes is refused at once", () => {
  const gzipped = gzipSync(new Uint8Array(500 * MEBIBYTE), { level: 1 });
  const { kind } = inTime(MAX_MS, () => refusalOf(() => inflatePprof(gzipped)));
  assert.equal(kind, "too_large");
});
