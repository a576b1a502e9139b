import assert from "node:assert/strict";
import type { JsonObject } from "@/lib/formats/json.ts";
import { canonicalAttributes } from "@/lib/formats/spans/canonical_attributes.ts";

function canonical(attributes: JsonObject): JsonObject {
  canonicalAttributes(attributes);
  return attributes;
}

Deno.test("old names of attributes become the current ones", () => {
  assert.deepEqual(
    canonical({
      "http.method": "GET",
      "http.status_code": 200,
      "http.url": "https://shop.example.com/a?b=1",
      "http.user_agent": "curl",
      "db.system": "mssql",
      "db.name": "shop",
      "db.statement": "select 1",
      "db.sql.table": "orders",
      "messaging.operation": "publish",
      "messaging.destination": "orders",
      "code.function": "run",
      "code.namespace": "app.Jobs",
      "code.lineno": 7,
      "peer.service": "billing",
      "http.request.header.content_type": ["text/html"],
      own: 1,
    }),
    {
      "http.request.method": "GET",
      "http.response.status_code": 200,
      "url.full": "https://shop.example.com/a?b=1",
      "user_agent.original": "curl",
      "db.system.name": "microsoft.sql_server",
      "db.namespace": "shop",
      "db.query.text": "select 1",
      "db.collection.name": "orders",
      "messaging.operation.type": "send",
      "messaging.destination.name": "orders",
      "code.function.name": "app.Jobs.run",
      "code.line.number": 7,
      "service.peer.name": "billing",
      "http.request.header.content-type": ["text/html"],
      own: 1,
    },
  );
});

Deno.test("where both names are there, the current one wins", () => {
  assert.deepEqual(
    canonical({ "http.method": "POST", "http.request.method": "GET", "http.target": "/a?b" }),
    { "http.request.method": "GET", "url.path": "/a", "url.query": "b" },
  );
  assert.deepEqual(canonical({ "url.path": "/new", "http.target": "/old" }), {
    "url.path": "/new",
  });
});

Deno.test("the target of a request is its path and its query", () => {
  assert.deepEqual(canonical({ "http.target": "/users/7?tab=a?b#top" }), {
    "url.path": "/users/7",
    "url.query": "tab=a?b",
  });
  assert.deepEqual(canonical({ "http.query": "?a=1", "http.fragment": "#top" }), {
    "url.query": "a=1",
    "url.fragment": "top",
  });
});

Deno.test("the peer of a client is a server, and that of a server a client", () => {
  assert.deepEqual(canonical({ "net.peer.name": "db.internal", "net.peer.port": 5432 }), {
    "server.address": "db.internal",
    "server.port": 5432,
  });
  assert.deepEqual(
    canonical({ "net.peer.port": 50123, "net.host.name": "shop", "net.host.port": 443 }),
    { "server.address": "shop", "server.port": 443, "client.port": 50123 },
  );
  assert.deepEqual(canonical({ "http.host": "shop.example.com:8080" }), {
    "server.address": "shop.example.com",
    "server.port": 8080,
  });
});

Deno.test("remote calls have one qualified method and a code by name", () => {
  assert.deepEqual(
    canonical({
      "rpc.system": "connect_rpc",
      "rpc.service": "shop.Cart",
      "rpc.method": "Add",
      "rpc.grpc.status_code": 4,
    }),
    {
      "rpc.system.name": "connectrpc",
      "rpc.method": "shop.Cart/Add",
      "rpc.status_code": "DEADLINE_EXCEEDED",
    },
  );
});

Deno.test("canonical attributes stay as they are, whatever their values", () => {
  for (
    const attributes of [
      { "http.method": "GET", "http.target": "/a?b", "net.peer.name": "x", "http.host": "y:1" },
      { "rpc.service": "a.B", "rpc.method": "C", "rpc.grpc.status_code": 13 },
      { "rpc.service": "a.B" },
      { "http.method": null, "http.target": 7, "net.peer.name": ["x"], "code.function": {} },
      { "db.system": null, "rpc.grpc.status_code": "nonsense", "http.host": "" },
      JSON.parse('{"__proto__":1,"constructor":2,"toString":3}'),
    ] satisfies JsonObject[]
  ) {
    const once = canonical(attributes);
    assert.deepEqual(canonical(structuredClone(once)), once);
  }
});

Deno.test("an HTTP observation of Micrometer gets the names of the conventions, what only looks like one does not", () => {
  const observed = { method: "GET", outcome: "SUCCESS", exception: "none" };
  const common = { "http.request.method": "GET", outcome: "SUCCESS", exception: "none" };
  assert.deepEqual(
    canonical({ ...observed, uri: "root", status: "200", "http.url": "/?a=1" }),
    { ...common, "http.route": "/", "http.response.status_code": 200, "url.path": "/?a=1" },
  );
  assert.deepEqual(
    canonical({ ...observed, uri: "NOT_FOUND", status: "404" }),
    { ...common, uri: "NOT_FOUND", "http.response.status_code": 404 },
  );
  assert.deepEqual(
    canonical({
      ...observed,
      uri: "/a/{b}",
      status: "IO_ERROR",
      "client.name": "api",
      exception: "IOException",
    }),
    {
      ...common,
      "url.template": "/a/{b}",
      status: "IO_ERROR",
      "client.name": "api",
      exception: "IOException",
      "error.type": "IOException",
    },
  );
  const own = { method: "card", outcome: "paid", status: "ok" };
  assert.deepEqual(canonical({ ...own }), own);
});
