import assert from "node:assert/strict";
import fc from "fast-check";
import type { Span } from "@/lib/records/mod.ts";
import { idsHex, inOrder, packChunk, unpackSpans } from "@/lib/store/spans/chunk.ts";
import { spanRecord } from "@/test/support/records.ts";

/** Two spans as version 1 packed them. */
const OLD_BATCH =
  "0185983d0ec2300c46efc25c417f40555998183803ead0ce0824a80452d5bbf36c272149073246a99dbecf7162" +
  "878868bb321a698028bbc713a6afdd91a45448c804b13434dcdbe2b4029b23d5891fd07adf31988bc1563ad929" +
  "1a9a186c4f49b5852df5d8cd98e75e1b2cc568e032f43699f0e704c5f43940b6bb4882440017224185be4088e4" +
  "32970aea2de980fb0778bd6cc32bc56ab83a525c4a4d71d542fa4e62ea6565a6a2683bebdf4abf935613665db3" +
  "a9aacbed8144243598547037aa0eda1a1cac452d05f5f1888d89ae4facf1b6318ad90b6f98d07c2475f1e5bc7e" +
  "ef9d378b59f7f1641bd4fbe422496df833246a684ce9da311b2bf7e2c47bfe04cf49f896fdf205";

/** Several parts in one chunk, each read by itself. */
function throughChunk(...parts: Span[][]): Span[][] {
  const ordered = parts.map(inOrder);
  const bytes = packChunk(ordered);
  return ordered.map((spans, place) =>
    unpackSpans({ ids: Uint8Array.fromHex(idsHex(spans)), bytes, place })
  );
}

const byStart = (spans: readonly Span[]) => [...spans].sort((a, b) => a.start - b.start);

Deno.test("spans come back as they were, by start", () => {
  const root = spanRecord({
    parentSpanId: null,
    isSegment: true,
    start: 1_790_000_000.000001,
    end: 1_790_000_001.5,
    name: "GET /orders/:id",
    kind: "server",
    measurements: [{ name: "ttfb", value: 120.5, unit: "millisecond" }],
    links: [{ traceId: "a".repeat(32), spanId: "b".repeat(16), attributes: { "link.type": "x" } }],
  });
  const child = spanRecord({
    parentSpanId: root.spanId,
    segmentId: root.spanId,
    start: 1_790_000_000.25,
    end: 1_790_000_000.25,
    category: "db",
    group: "SELECT ?",
    data: { "db.query.text": "SELECT 1", rows: 3, flags: [true, null], nested: { deep: ["x"] } },
    events: [{ time: 1_790_000_000.3, name: "exception", attributes: { "exception.type": "E" } }],
  });
  const orphan = spanRecord({
    parentSpanId: "f".repeat(16),
    start: 1_790_000_000.1,
    end: 1_790_000_003,
  });
  assert.deepEqual(throughChunk([child, orphan, root]), [[root, orphan, child]]);
});

Deno.test("nanoseconds come back as they were, and spans without any take no room for them", () => {
  const at = (fields: Partial<Span>) =>
    spanRecord({ start: 1_790_000_000.000001, end: 1_790_000_001.5, ...fields });
  const fine = [at({ fine: [7, 999] }), at({ fine: [0, 1] })];
  const [back = []] = throughChunk([...fine, at({})]);
  assert.deepEqual(back.map((span) => span.fine), [[7, 999], [0, 1], undefined]);
  const [[plain] = []] = throughChunk([at({})]);
  assert.ok(plain !== undefined && !("fine" in plain));
});

Deno.test("any texts, names of attributes and times survive", () => {
  const id = fc.array(fc.constantFrom(..."0123456789abcdef"), { minLength: 16, maxLength: 16 })
    .map((digits) => digits.join(""));
  const micros = fc.integer({ min: 1, max: 2 ** 51 }).map((time) => time / 1e6);
  const span = fc.record({
    spanId: id,
    parentSpanId: fc.option(id),
    start: micros,
    length: fc.integer({ min: 0, max: 1e9 }),
    text: fc.string({ unit: "binary" }).map((text) => text.toWellFormed()),
    data: fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()),
  });
  const spans = fc.uniqueArray(span, { minLength: 1, maxLength: 20, selector: (s) => s.spanId });
  fc.assert(fc.property(spans, (facts) => {
    const made = facts.map(({ spanId, parentSpanId, start, length, text, data }) =>
      spanRecord({
        spanId,
        parentSpanId,
        start,
        end: (Math.round(start * 1e6) + length) / 1e6,
        description: text,
        name: text,
        data: JSON.parse(JSON.stringify(data)),
      })
    );
    const parts = [made.slice(0, 3), [], made.slice(3, 4), made.slice(4)];
    const back = throughChunk(...parts);
    assert.deepEqual(
      back.map((spans) => new Set(spans.map((s) => JSON.stringify(s)))),
      parts.map((spans) => new Set(byStart(spans).map((s) => JSON.stringify(s)))),
    );
  }));
});

Deno.test("spans like those of a web application take less than 70 bytes each", () => {
  const root = spanRecord({ op: "http.server", description: "GET /orders/:id" });
  const children = Array.from({ length: 19 }, (_, i) =>
    spanRecord({
      parentSpanId: root.spanId,
      segmentId: root.spanId,
      start: root.start + Math.random(),
      end: root.start + 1 + Math.random(),
      op: "db.query",
      description: `SELECT * FROM orders WHERE id = $1 AND kind = '${i % 4}'`,
      data: { "db.system.name": "postgresql", "server.address": "db", "server.port": 5432 },
    }));
  const bytes = packChunk([inOrder([root, ...children])]);
  assert.ok(8 + bytes.length / 20 < 70, `${8 + bytes.length / 20}`);
});

Deno.test("spans of many short traces take less than 30 bytes each, their ids included", () => {
  const parts = Array.from({ length: 64 }, (_, trace) => {
    const root = spanRecord({ name: "GET /orders/:id", data: { "url.path": `/orders/${trace}` } });
    const children = Array.from({ length: 7 }, () =>
      spanRecord({
        parentSpanId: root.spanId,
        segmentId: root.spanId,
        start: root.start + Math.random(),
        end: root.start + 1 + Math.random(),
        data: { "db.system.name": "postgresql", "server.address": "db", "server.port": 5432 },
      }));
    return inOrder([root, ...children]);
  });
  const bytes = packChunk(parts).length / (64 * 8);
  assert.ok(8 + bytes < 30, `${8 + bytes}`);
});

Deno.test("spans that an earlier version stored are read as they were", () => {
  const [root, child] = unpackSpans({
    ids: Uint8Array.fromHex("a".repeat(16) + "b".repeat(16)),
    bytes: Uint8Array.fromHex(OLD_BATCH),
    place: 0,
  });
  assert.equal(root?.name, "GET /orders/:id");
  assert.equal(root?.isSegment, true);
  assert.deepEqual(root?.measurements, [{ name: "ttfb", value: 120.5, unit: "millisecond" }]);
  assert.equal(child?.parentSpanId, root?.spanId);
  assert.equal(child?.segmentId, root?.spanId);
  assert.deepEqual(child?.fine, [7, 999]);
  assert.deepEqual(child?.data, { "db.query.text": "SELECT 1", rows: 3, flags: [true, null] });
  assert.equal(child?.events[0]?.name, "exception");
});

Deno.test("spans of a version that is not known are refused in words", () => {
  assert.throws(
    () => unpackSpans({ ids: new Uint8Array(8), bytes: Uint8Array.of(9, 1), place: 0 }),
    /version 9/,
  );
});
