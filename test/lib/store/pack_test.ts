import assert from "node:assert/strict";
import fc from "fast-check";
import type { Span } from "@/lib/records/mod.ts";
import { packSpans, unpackSpans } from "@/lib/store/span_batch.ts";
import { spanRecord } from "../../support/records.ts";

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
  assert.deepEqual(unpackSpans(packSpans([child, orphan, root])), [root, orphan, child]);
});

Deno.test("nanoseconds come back as they were, and spans without any take no room for them", () => {
  const at = (fields: Partial<Span>) =>
    spanRecord({ start: 1_790_000_000.000001, end: 1_790_000_001.5, ...fields });
  const fine = [at({ fine: [7, 999] }), at({ fine: [0, 1] })];
  assert.deepEqual(unpackSpans(packSpans(fine)).map((span) => span.fine), [[7, 999], [0, 1]]);
  const [plain] = unpackSpans(packSpans([at({})]));
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
    const back = unpackSpans(packSpans(made));
    assert.deepEqual(
      new Set(back.map((s) => JSON.stringify(s))),
      new Set(byStart(made).map((s) => JSON.stringify(s))),
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
  const { ids, bytes } = packSpans([root, ...children]);
  assert.ok((ids.length + bytes.length) / 20 < 70, `${(ids.length + bytes.length) / 20}`);
});

Deno.test("spans of a version that is not known are refused in words", () => {
  assert.throws(
    () => unpackSpans({ ids: new Uint8Array(8), bytes: Uint8Array.of(9, 1) }),
    /version 9/,
  );
});
