import assert from "node:assert/strict";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import { inflatePprof } from "@/lib/formats/pprof/compression.ts";
import { goodProfile, joined, refusalOf, text } from "./messages.ts";

const encoder = new TextEncoder();

Deno.test("a profile comes plain, under gzip, or under gzip twice", () => {
  assert.equal(inflatePprof(goodProfile), goodProfile);
  const once = gzipSync(goodProfile);
  assert.deepEqual([...inflatePprof(once)], [...goodProfile]);
  assert.deepEqual([...inflatePprof(gzipSync(once))], [...goodProfile]);
  const halves = joined(gzipSync(goodProfile.subarray(0, 20)), gzipSync(goodProfile.subarray(20)));
  assert.deepEqual([...inflatePprof(halves)], [...goodProfile]);
});

Deno.test("small profiles may be compressed as much as they can be", () => {
  const plain = joined(goodProfile, text(6, "x".repeat(900_000)));
  assert.equal(inflatePprof(gzipSync(plain)).length, plain.length);
});

Deno.test("gzip that is damaged is refused with what is wrong", () => {
  const gzipped = gzipSync(goodProfile);
  const wrongSum = Uint8Array.from(gzipped);
  wrongSum[wrongSum.length - 6] = (wrongSum[wrongSum.length - 6] ?? 0) ^ 1;
  const messages: readonly (readonly [Uint8Array, string])[] = [
    [gzipped.subarray(0, -1), "its gzip data end too early"],
    [Uint8Array.of(0x1f, 0x8b), "its gzip data end too early"],
    [wrongSum, "its gzip data are damaged"],
    [joined(gzipped, encoder.encode("and more")), "its gzip data are damaged"],
    [gzipSync(gzipSync(gzipped)), "it is under more than 2 layers of gzip"],
    [gzipSync(new Uint8Array(0)), "it is empty"],
    [new Uint8Array(0), "it is empty"],
  ];
  for (const [bytes, message] of messages) {
    const refusal = refusalOf(() => inflatePprof(bytes));
    assert.equal(refusal.message, message);
    assert.equal(refusal.kind, "invalid");
  }
});

Deno.test("what is larger, more compressed or in more pieces than any profile is too large", () => {
  const manyMembers = joined(...Array(10_001).fill(gzipSync("")));
  const messages: readonly (readonly [Uint8Array, string])[] = [
    [gzipSync(new Uint8Array(5e6)), "it is compressed more than 100-fold, as no profile is"],
    [
      gzipSync(gzipSync(new Uint8Array(20e6))),
      "it is compressed more than 100-fold, as no profile is",
    ],
    [manyMembers, "it has more than 10,000 gzip members"],
    [gzipSync(manyMembers), "it has more than 10,000 gzip members"],
    [gzipSync(new Uint8Array(400e6)), "it is larger than 32 MiB without compression"],
    [new Uint8Array(33 << 20).fill(10), "it is larger than 32 MiB without compression"],
  ];
  for (const [bytes, expected] of messages) {
    const { kind, message } = refusalOf(() => inflatePprof(bytes));
    assert.equal(message, expected);
    assert.equal(kind, "too_large");
  }
});

/** What is sent in place of profiles, and the word of the refusal. */
const OTHERS: readonly (readonly [string | Uint8Array, RegExp])[] = [
  [zstdCompressSync(goodProfile), /^it is zstd data: compress with gzip/],
  [Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0), /legacy binary format/],
  ["heap profile: 5: 1024 [5: 1024] @ heap/1048576\n", /remove debug=1/],
  ["goroutine profile: total 5\n1 @ 0x4 0x5\n", /remove debug=1/],
  ["goroutine 1 [running]:\nmain.main()\n", /remove debug=1/],
  ["threadcreate profile: total 8\n", /remove debug=1/],
  ["--- contention:\ncycles/second=2400000000\n", /remove debug=1/],
  ["--- mutex:\ncycles/second=2400000000\n", /remove debug=1/],
  ["--- heapz 1 ---\n", /legacy text format/],
  ["--- contentionz 1 ---\n", /legacy text format/],
  ["--- threadz ---\n", /legacy text format/],
  ["go 1.22 trace\x00\x00\x00", /execution trace of Go/],
  ['{"$schema":"https://www.speedscope.app/file-format-schema.json"}', /speedscope/],
  ['{"nodes":[],"startTime":1,"endTime":2,"samples":[],"timeDeltas":[]}', /\.cpuprofile/],
  ['{"traceEvents":[]}', /trace of Chrome/],
  ['{"resourceProfiles":[]}', /JSON/],
  ["\ufeff[]", /JSON/],
  ["<!DOCTYPE html><p>502", /HTML page/],
  ["<html>", /HTML page/],
  ['<?xml version="1.0"?><x/>', /XML/],
  ["main;work;sleep 12\nmain 3\n", /collapsed stacks/],
  ["Not found\n", /^it is the text "Not found", not a pprof profile$/],
  [
    "Could not enable CPU profiling: cpu profiling already in use\n",
    /^it is the text "Could not enable CPU profiling: cpu profiling already in use", not/,
  ],
  [`${"secret ".repeat(60)}\n`, /^it is text, not a pprof profile$/],
  ["H4sIAAAAAAAAA+NiEGAA", /base64/],
  ["FLR\x00\x00\x02", /Java Flight Recorder/],
  ["BZh91AY&SY", /bzip2/],
  ["PK\x03\x04", /zip/],
];

Deno.test("other formats are refused by their names", () => {
  for (const [body, word] of OTHERS) {
    const bytes = typeof body === "string" ? encoder.encode(body) : body;
    for (const sent of [bytes, gzipSync(bytes)]) {
      const { kind, message } = refusalOf(() => inflatePprof(sent));
      assert.match(message, word);
      assert.equal(kind, "invalid");
    }
  }
});

Deno.test("a stream of zlib is no profile", () => {
  const sent = deflateSync(goodProfile);
  assert.equal(refusalOf(() => decodePprof(inflatePprof(sent))).kind, "invalid");
});
