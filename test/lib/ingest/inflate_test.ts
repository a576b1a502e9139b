import assert from "node:assert/strict";
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import fc from "fast-check";
import { inflate, inflateStart } from "@/lib/ingest/inflate.ts";
import { joinBytes } from "@/lib/core/read_body.ts";
import { Refusal } from "@/lib/core/refusal.ts";
import { inTime } from "../../support/time_budget.ts";

const CAP = 100_000;
const COMPRESSORS = {
  gzip: gzipSync,
  "x-gzip": gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};
const text = new TextEncoder().encode('{"a":1}\n{"type":"event"}\n{"b":"hello hello hello"}');

function refusalOf(run: () => unknown): Refusal {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof Refusal, `expected a refusal, got ${error}`);
    return error;
  }
  throw new assert.AssertionError({ message: "expected a refusal" });
}

Deno.test("inflate() gives back what was compressed, in every encoding", () => {
  for (const [encoding, compress] of Object.entries(COMPRESSORS)) {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 5_000 }), (bytes) => {
      assert.deepEqual(new Uint8Array(inflate(compress(bytes), encoding, CAP)), bytes);
    }));
  }
});

Deno.test("inflate() takes deflate without its zlib header", () => {
  assert.deepEqual(new Uint8Array(inflate(deflateRawSync(text), "deflate", CAP)), text);
});

Deno.test("inflate() takes several gzip members in a row", () => {
  const two = new Uint8Array([...gzipSync(text), ...gzipSync(text)]);
  assert.equal(inflate(two, "gzip", CAP).length, 2 * text.length);
});

Deno.test("inflate() takes as many gzip members as joined logs have, and refuses more before it has unpacked one", async () => {
  const one = gzipSync("a");
  const members = (count: number) => joinBytes(Array(count).fill(one));
  assert.equal(inflate(members(10_000), "gzip", CAP).length, 10_000);
  for (const encoding of ["gzip", "x-gzip"]) {
    // The last one is damaged, which nobody has looked at.
    const many = joinBytes([members(10_001), one.subarray(0, 12)]);
    const { status, detail, outcome } = refusalOf(() => inflate(many, encoding, CAP));
    assert.equal(status, 413);
    assert.match(detail, /10,000 gzip members/);
    assert.deepEqual(outcome, { kind: "too_large", reason: "too_many_parts" });
    assert.equal((await inflateStart(many, encoding, CAP)).length, 0);
  }
});

Deno.test("inflate() takes one gzip member in which the beginnings of many stand, as long as they are not too many", () => {
  const files = joinBytes(Array(9_000).fill(gzipSync(text)));
  const stored = gzipSync(files, { level: 0 });
  assert.deepEqual(new Uint8Array(inflate(stored, "gzip", 1_000_000)), files);
});

Deno.test("inflate() leaves a body alone that names no compression", () => {
  for (const encoding of ["", "identity", "utf-8", "UTF-8", " none "]) {
    assert.equal(inflate(text, encoding, CAP), text);
  }
});

Deno.test("inflate() takes a plain body whose header says that it is compressed", () => {
  for (const encoding of Object.keys(COMPRESSORS)) {
    assert.equal(inflate(text, encoding, CAP), text);
  }
});

Deno.test("inflate() refuses truncated bodies with 400, wherever they end", () => {
  for (const [encoding, compress] of Object.entries(COMPRESSORS)) {
    const whole = compress(text);
    for (let length = 1; length < whole.length; length++) {
      const { status } = refusalOf(() => inflate(whole.subarray(0, length), encoding, CAP));
      assert.equal(status, 400, `${encoding} cut to ${length} of ${whole.length}`);
    }
  }
});

Deno.test("inflate() refuses garbage with 400", () => {
  const garbage = new Uint8Array(200).fill(0xa7);
  for (const encoding of Object.keys(COMPRESSORS)) {
    assert.equal(refusalOf(() => inflate(garbage, encoding, CAP)).status, 400, encoding);
  }
});

Deno.test("inflate() cuts bombs at the cap with 413, quickly", () => {
  const zeros = new Uint8Array(50_000_000);
  for (const [encoding, compress] of Object.entries(COMPRESSORS)) {
    const bomb = compress(zeros);
    const refusal = inTime(100, () => refusalOf(() => inflate(bomb, encoding, CAP)), encoding);
    assert.equal(refusal.status, 413, encoding);
  }
});

Deno.test("inflate() allows exactly as many bytes as the cap", () => {
  for (const [encoding, compress] of Object.entries(COMPRESSORS)) {
    assert.equal(inflate(compress(new Uint8Array(CAP)), encoding, CAP).length, CAP, encoding);
    const over = compress(new Uint8Array(CAP + 1));
    assert.equal(refusalOf(() => inflate(over, encoding, CAP)).status, 413, encoding);
  }
});

Deno.test("inflate() names the encodings it knows when it is asked for another", () => {
  for (const encoding of ["compress", "lz4", "gzip, br", "__proto__", "constructor"]) {
    const { status, detail } = refusalOf(() => inflate(text, encoding, CAP));
    assert.equal(status, 415);
    assert.match(detail, /gzip, deflate, br, zstd/);
  }
});

Deno.test("inflate() answers any bytes in any encoding with bytes or a refusal", () => {
  fc.assert(fc.property(
    fc.uint8Array({ maxLength: 500 }),
    fc.constantFrom(...Object.keys(COMPRESSORS)),
    (bytes, encoding) => {
      try {
        assert.ok(inflate(bytes, encoding, CAP).length <= CAP);
      } catch (error) {
        assert.ok(error instanceof Refusal);
      }
    },
  ));
});

Deno.test("inflate() frees what broken brotli bodies took", () => {
  const body = brotliCompressSync(Array.from({ length: 20_000 }, wordsOf).join("\n"));
  const broken = new Uint8Array(body.subarray(0, 20_000));
  broken.set([0xff ^ (broken[BREAKING_BYTE] ?? 0)], BREAKING_BYTE);
  const before = Deno.memoryUsage().rss;
  for (let i = 0; i < 2_000; i++) refusalOf(() => inflate(broken, "br", 1_000_000));
  const grownMb = (Deno.memoryUsage().rss - before) / 1e6;
  assert.ok(grownMb < 100, `memory grew by ${grownMb} MB`);
});

Deno.test("inflate() frees what broken zstd bodies took", async () => {
  const words = Array.from({ length: 50 }, wordsOf).join("\n");
  const broken = new Uint8Array(zstdCompressSync(new TextEncoder().encode(words)));
  // In the tables of its codes.
  broken.set([0xff, 0xff, 0xff], 13);
  const before = Deno.memoryUsage().rss;
  for (let i = 0; i < 10_000; i++) {
    refusalOf(() => inflate(broken, "zstd", 1_000_000));
    // As between requests.
    if (i % 100 === 0) await new Promise((resolve) => setTimeout(resolve));
  }
  const grownMb = (Deno.memoryUsage().rss - before) / 1e6;
  assert.ok(grownMb < 80, `memory grew by ${grownMb} MB`);
});

/** Changing this one makes Deno's own decoder leak 300 MB in the test above. */
const BREAKING_BYTE = 882;

function wordsOf(_: unknown, i: number): string {
  return JSON.stringify({
    a: i,
    b: `hello ${((i * 2_654_435_761) >>> 0).toString(36)}`,
    c: [1, 2, 3],
  });
}
