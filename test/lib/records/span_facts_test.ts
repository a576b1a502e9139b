import assert from "node:assert/strict";
import { spanFactsJson } from "@/lib/records/span_rules.ts";

Deno.test("what spans work with is found by, statements, ids and sizes are not", () => {
  const facts = spanFactsJson([
    {
      data: {
        "db.system.name": "postgresql",
        "db.query.text": "select 1",
        "messaging.message.id": "7",
        "http.route": "/",
      },
    },
    {
      data: { "db.system.name": "redis", "server.address": "db-1", "gen_ai.usage.input_tokens": 7 },
    },
    {
      data: { "db.system.name": "redis", "rpc.method": "x".repeat(101), "rpc.system.name": ["a"] },
    },
  ]);
  assert.deepEqual(JSON.parse(facts), {
    "db.system.name": ["postgresql", "redis"],
    "server.address": ["db-1"],
  });
});

Deno.test("a batch has at most 20 keys of 10 values", () => {
  const spans = Array.from({ length: 30 }, (_, n) => ({
    data: { [`db.k${n % 25}`]: "x", "rpc.service": `s${n}` },
  }));
  const facts = Object.entries<string[]>(JSON.parse(spanFactsJson(spans)));
  assert.equal(facts.length, 20);
  assert.equal(Math.max(...facts.map(([, values]) => values.length)), 10);
});
