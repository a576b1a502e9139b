import assert from "node:assert/strict";
import { spanFacts, type SpanSource } from "@/lib/formats/spans/span_facts.ts";

function facts(source: Partial<SpanSource>) {
  return spanFacts({ kind: "", name: "", op: "", description: "", attributes: {}, ...source });
}

function workOf(source: Partial<SpanSource>): [op: string, category: string, group: string] {
  const { op, category, group } = facts(source);
  return [op, category, group];
}

const STATEMENT = "SELECT * FROM orders WHERE id = 7";
const NORMALIZED = "SELECT * FROM orders WHERE id = ?";

Deno.test("a query is the same work whoever tells of it", () => {
  const system = { "db.system.name": "postgresql" };
  for (
    const source of [
      { op: "db.sql.query", description: STATEMENT },
      { op: "db", name: "SELECT orders", attributes: { "db.query.text": STATEMENT } },
      {
        kind: "client" as const,
        name: "SELECT shop.orders",
        attributes: { ...system, "db.query.text": STATEMENT },
      },
    ]
  ) {
    const { description, category, group } = facts(source);
    assert.deepEqual([description, category, group], [STATEMENT, "db", NORMALIZED]);
  }
  assert.deepEqual(
    workOf({
      kind: "client",
      name: "find",
      attributes: { ...system, "db.operation.name": "find", "db.collection.name": "users" },
    }),
    ["db", "db", "find users"],
  );
});

Deno.test("a request to another server is the same work whoever tells of it", () => {
  const attributes = {
    "http.request.method": "GET",
    "url.full": "https://api.example.com/users/7?token=x",
    "server.address": "api.example.com",
    "server.port": 443,
  };
  for (
    const source of [
      { op: "http.client", description: "GET https://api.example.com/users/7" },
      { op: "http.client", name: "GET api.example.com", attributes },
      { kind: "client" as const, name: "GET", attributes },
    ]
  ) {
    const { description, ...work } = facts(source);
    assert.equal(description, "GET https://api.example.com/users/7");
    assert.deepEqual(work, { op: "http.client", category: "http", group: "GET api.example.com" });
  }
  assert.equal(
    facts({ kind: "client", attributes: { ...attributes, "url.template": "/users/{id}" } }).group,
    "GET /users/{id}",
  );
  assert.equal(
    facts({ op: "http.client", description: "POST http://localhost:3001/x" }).group,
    "POST localhost:3001",
  );
});

Deno.test("serving a request is the program itself", () => {
  const http = { "http.request.method": "GET" };
  assert.deepEqual(workOf({ kind: "server", attributes: http }), ["http.server", "", ""]);
  assert.deepEqual(workOf({ op: "http.server", name: "GET /" }), ["http.server", "", ""]);
  assert.deepEqual(workOf({ op: "grpc.server", name: "x" }), ["grpc.server", "", ""]);
  assert.deepEqual(workOf({ kind: "internal", attributes: http }), ["http", "", ""]);
  assert.deepEqual(workOf({ name: "work" }), ["default", "", ""]);
});

Deno.test("a local root has no category", () => {
  const root = { op: "db", description: STATEMENT, isEntry: true };
  assert.deepEqual(workOf(root), ["db", "", ""]);
});

Deno.test("a database that is called over HTTP is a database", () => {
  const attributes = {
    "http.request.method": "POST",
    "url.full": "http://es:9200/products/_search",
    "db.system.name": "elasticsearch",
    "db.operation.name": "search",
    "db.collection.name": "products",
  };
  assert.deepEqual(workOf({ kind: "client", attributes }), ["db", "db", "search products"]);
});

Deno.test("caches group by operation and prefix of the key", () => {
  const attributes = { "cache.key": ["user:17"] };
  assert.deepEqual(workOf({ op: "cache.get", attributes }), ["cache.get", "cache", "get user:*"]);
  assert.equal(
    facts({ op: "cache.put", description: "laravel_user_17" }).group,
    "put laravel_user_*",
  );
});

Deno.test("queues group by operation and destination", () => {
  const attributes = { "messaging.system": "kafka", "messaging.destination.name": "orders" };
  const otel = workOf({ kind: "producer", name: "orders send", attributes });
  assert.deepEqual(otel, ["queue.publish", "queue", "publish orders"]);
  assert.deepEqual(workOf({ op: "queue.publish", name: "orders", attributes }), otel);
  const reply = {
    "messaging.destination.name": "amq.gen-7",
    "messaging.destination.temporary": true,
  };
  assert.equal(facts({ op: "queue.publish", attributes: reply }).group, "publish (temporary)");
});

Deno.test("remote calls group by method", () => {
  const attributes = { "rpc.system.name": "grpc", "rpc.method": "shop.Cart/Add" };
  assert.deepEqual(workOf({ kind: "client", attributes }), ["rpc", "rpc", "shop.Cart/Add"]);
  assert.deepEqual(
    workOf({ op: "grpc.client", description: "unary unary call to /shop.Cart/Add" }),
    ["grpc.client", "rpc", "shop.Cart/Add"],
  );
});

Deno.test("views, files of a page, files and models have groups of their own", () => {
  assert.deepEqual(workOf({ op: "template.render", description: "cart.html" }), [
    "template.render",
    "render",
    "cart.html",
  ]);
  assert.deepEqual(workOf({ op: "ui.react.render", description: "<Cart>" })[1], "render");
  assert.deepEqual(workOf({ op: "view.process_action.action_controller" })[1], "");
  assert.deepEqual(
    workOf({ op: "resource.script", name: "https://cdn.example.com/app.3f2a1b9c.js?v=1" }),
    ["resource.script", "resource", "cdn.example.com/app.{hash}.js"],
  );
  assert.deepEqual(workOf({ op: "file.read", description: "/tmp/a.JSON" })[2], "read *.json");
  assert.deepEqual(
    workOf({
      kind: "client",
      attributes: { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1" },
    }),
    ["gen_ai.chat", "ai", "chat m-1"],
  );
});
