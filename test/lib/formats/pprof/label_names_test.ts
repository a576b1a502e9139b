import assert from "node:assert/strict";
import { isReservedLabel, spanIdOf, traceIdOf, traceLabelOf } from "@/lib/formats/pprof/labels.ts";

const TRACE = "5b8efff798038103d269b633813fc60c";
const SPAN = "eee19b7ec3c1b174";

Deno.test("labels that name a trace are known however they are spelt", () => {
  for (const key of ["trace_id", "traceId", "TraceID", "trace-id", "trace.id", "otel.trace_id"]) {
    assert.equal(traceLabelOf(key), "trace_id");
  }
  for (const key of ["span_id", "span id", "local root span id", "Span-ID"]) {
    assert.equal(traceLabelOf(key), "span_id");
  }
  assert.equal(traceLabelOf("profile_id"), "profile_id");
  for (const key of ["", "trace endpoint", "thread id", "constructor", "__proto__", "trace"]) {
    assert.equal(traceLabelOf(key), null);
  }
});

Deno.test("ids of traces are hex, UUIDs, decimals or numbers", () => {
  assert.equal(traceIdOf(TRACE), TRACE);
  assert.equal(traceIdOf(` ${TRACE.toUpperCase()} `), TRACE);
  assert.equal(traceIdOf("5b8efff7-9803-8103-d269-b633813fc60c"), TRACE);
  assert.equal(traceIdOf(SPAN), "0".repeat(16) + SPAN);
  assert.equal(traceIdOf("18446744073709551615"), "0".repeat(16) + "f".repeat(16));
  assert.equal(traceIdOf(-1n), "0".repeat(16) + "f".repeat(16));
  assert.equal(traceIdOf("255"), "0".repeat(30) + "ff");
  for (const text of ["", "0", "0".repeat(32), "abc", "18446744073709551616", "x".repeat(32)]) {
    assert.equal(traceIdOf(text), null);
  }
  assert.equal(traceIdOf(0n), null);
});

Deno.test("ids of spans are hex, decimals or numbers", () => {
  assert.equal(spanIdOf(SPAN.toUpperCase()), SPAN);
  assert.equal(spanIdOf("1234567890123456"), "1234567890123456");
  assert.equal(spanIdOf("123456789012345678"), "01b69b4ba630f34e");
  assert.equal(spanIdOf(-2n), "fffffffffffffffe");
  for (const text of ["", TRACE, "0".repeat(16), "-5", "1e5"]) assert.equal(spanIdOf(text), null);
});

Deno.test("pprof keeps some labels for itself", () => {
  assert.equal(isReservedLabel("pprof::base"), true);
  assert.equal(isReservedLabel("pprof"), false);
});
