import assert from "node:assert/strict";
import { hintsOf } from "@/lib/traces/queries/query_hints.tsx";
import type { Span } from "@/lib/records/mod.ts";
import type { GroupCalls } from "@/lib/traces/queries/query_calls.ts";
import { spanRecord } from "@/test/support/records.ts";
import { inTime } from "@/test/support/time_budget.ts";

/** Spans of 10 ms, each beginning when the one before ended. */
function inARow(count: number, fields: (place: number) => Partial<Span> = () => ({})): Span[] {
  return Array.from({ length: count }, (_, place) =>
    spanRecord({
      start: 1_000 + place * 0.01,
      end: 1_000 + (place + 1) * 0.01,
      group: "select * from item where id = ?",
      description: `select * from item where id = ${place}`,
      data: {},
      ...fields(place),
    }));
}

function calls(spans: Span[], fields: Partial<GroupCalls> = {}): GroupCalls {
  return { traceId: "a".repeat(32), transaction: "GET /cart", service: "web", spans, ...fields };
}

function kinds(spans: Span[]): string[] {
  return hintsOf([calls(spans)]).map(({ kind, times }) => `${kind} ${times}`);
}

Deno.test("five statements of one kind, one after the other, are an N+1", () => {
  assert.deepEqual(kinds(inARow(4)), []);
  assert.deepEqual(kinds(inARow(5)), ["in_a_row 5"]);
});

Deno.test("what runs at the same time is no row", () => {
  const start = 1_000;
  assert.deepEqual(kinds(inARow(8, () => ({ start, end: start + 1 }))), []);
  const [one, two] = [inARow(4), inARow(4).map((span) => ({ ...span, start, end: start + 1 }))];
  assert.deepEqual(kinds([...one, ...two]), []);
});

Deno.test("a driver's span within that of the library above it does not end a row", () => {
  const outer = inARow(6);
  const inner = outer.map((span) =>
    spanRecord({ ...span, spanId: span.spanId.replace(/^./, "f"), parentSpanId: span.spanId })
  );
  assert.deepEqual(kinds([...outer, ...inner]), ["in_a_row 6"]);
});

Deno.test("the same statement with the same values is repeated; without its values nobody knows", () => {
  assert.deepEqual(kinds(inARow(3, () => ({ description: "select * from settings" }))), [
    "repeated 3",
  ]);
  for (const text of ["select ?", "select $1", "select %s", "select %(id)s", "select :id"]) {
    assert.deepEqual(kinds(inARow(3, () => ({ description: text }))), [], text);
  }
  const key = "db.query.parameter.id";
  const told = (value: (place: number) => string) =>
    kinds(inARow(3, (place) => ({ description: "select $1", data: { [key]: value(place) } })));
  assert.deepEqual(told(() => "7"), ["repeated 3"]);
  assert.deepEqual(told(String), []);
  const cast = "select '{}'::jsonb";
  assert.deepEqual(kinds(inARow(3, () => ({ description: cast }))), ["repeated 3"]);
});

Deno.test("what writes, frames a transaction or calls a model may come again and again", () => {
  const many = (fields: Partial<Span>) =>
    kinds(inARow(9, () => ({ description: String(fields.group), ...fields })));
  assert.deepEqual(many({ group: "BEGIN" }), []);
  assert.deepEqual(many({ group: "COMMIT" }), []);
  assert.deepEqual(many({ category: "ai", group: "chat gpt-5" }), []);
  assert.deepEqual(many({ category: "queue", group: "publish orders" }), ["in_a_row 9"]);
  assert.deepEqual(many({ category: "http", group: "POST api.example.com" }), ["in_a_row 9"]);
});

Deno.test("requests that differ in their query only are not repeated", () => {
  const get = (query: (place: number) => string) =>
    kinds(inARow(3, (place) => ({
      category: "http",
      group: "GET api.example.com",
      description: "GET https://api.example.com/search",
      data: { "http.query": query(place) },
    })));
  assert.deepEqual(get(() => "q=1"), ["repeated 3"]);
  assert.deepEqual(get((place) => `q=${place}`), []);
});

Deno.test("of several transactions the worst one is told, with its trace", () => {
  const worst = calls(inARow(9), { traceId: "b".repeat(32), transaction: "GET /orders" });
  const [hint] = hintsOf([calls(inARow(6)), worst, calls(inARow(7))]);
  assert.deepEqual([hint?.times, hint?.transaction, hint?.traceId, hint?.spanId], [
    9,
    "GET /orders",
    worst.traceId,
    worst.spans[0]?.spanId,
  ]);
  assert.ok(Math.abs((hint?.totalMs ?? 0) - 90) < 0.1);
});

Deno.test("ten thousand spans are looked through at once", () => {
  const spans = inARow(10_000);
  assert.deepEqual(inTime(1_000, () => kinds(spans)), ["in_a_row 10000"]);
});
