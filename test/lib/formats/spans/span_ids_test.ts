import assert from "node:assert/strict";
import { entryEventId, spanBatchId } from "@/lib/formats/spans/span_fields.ts";

const TRACE = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";
const A = { spanId: "00f067aa0ba902b7" };
const B = { spanId: "b7ad6b7169203331" };

Deno.test("the id of a row of spans is that of its set of spans", () => {
  const id = spanBatchId(TRACE, [A, B]);
  assert.match(id, /^[0-9a-f]{32}$/);
  assert.equal(spanBatchId(TRACE, [B, A]), id);
  assert.notEqual(spanBatchId(TRACE, [A]), id);
  assert.notEqual(spanBatchId("f".repeat(32), [A, B]), id);
});

Deno.test("the event id of a span is its own", () => {
  assert.match(entryEventId(TRACE, A.spanId), /^[0-9a-f]{32}$/);
  assert.notEqual(entryEventId(TRACE, A.spanId), entryEventId(TRACE, B.spanId));
});
