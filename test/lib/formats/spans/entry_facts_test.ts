import assert from "node:assert/strict";
import { endpointKey } from "@/lib/formats/spans/entry_keys.ts";
import {
  entryFacts,
  type EntrySource,
  transactionNameOf,
} from "@/lib/formats/spans/entry_facts.ts";

function facts(entry: Partial<EntrySource>) {
  return entryFacts({
    name: "",
    source: "",
    op: "",
    kind: "",
    status: "",
    attributes: {},
    ...entry,
  });
}

const SERVER = { op: "http.server", kind: "server" } as const;
const GET = { "http.request.method": "GET" };

Deno.test("one request has one endpoint, whichever SDK or protocol tells of it", () => {
  const byHost = "http://localhost/users/17";
  for (
    const entry of [
      // @sentry/node 10 with and without a router, 11 without.
      { op: "http.server", name: "GET /users/:id", source: "route", httpMethod: "GET" },
      { op: "http.server", name: "GET /users/17", source: "url", httpMethod: "GET" },
      { ...SERVER, name: "GET", source: "url", attributes: { ...GET, "url.path": "/users/17" } },
      // Flask and Django by function, by URL; an ASGI application that found nothing.
      {
        op: "http.server",
        name: "get_user",
        source: "component",
        httpMethod: "GET",
        path: "/users/17",
      },
      {
        op: "http.server",
        name: "/users/<int:id>",
        source: "route",
        httpMethod: "GET",
        path: "/users/17",
      },
      {
        op: "http.server",
        name: "/users/{id}/",
        source: "route",
        httpMethod: "GET",
        path: "/users/17/",
      },
      { op: "http.server", name: byHost, source: "url", httpMethod: "GET", path: "/users/17" },
      {
        op: "http.server",
        name: "generic WSGI request",
        source: "route",
        httpMethod: "GET",
        path: "/users/17",
      },
      // Rails.
      {
        op: "http.server",
        name: "UsersController#show",
        source: "view",
        httpMethod: "GET",
        path: "/users/17",
      },
      // OpenTelemetry with a route, without one, and with its older names.
      { ...SERVER, name: "GET /users/{id}", attributes: { ...GET, "http.route": "/users/{id}" } },
      { ...SERVER, name: "GET", attributes: { ...GET, "http.route": "users/{id:int}" } },
      { ...SERVER, name: "GET", attributes: { ...GET, "url.path": "/users/17" } },
      { ...SERVER, name: "GET /users/17", attributes: GET },
    ]
  ) {
    const { httpMethod, route } = facts(entry);
    assert.equal(endpointKey(httpMethod, route), "GET /users/{}", JSON.stringify(entry));
  }
});

Deno.test("names of Sentry's SDKs stay but for their ids, and routes hold none", () => {
  for (
    const [name, source, expected, expectedSource] of [
      ["nightly report", "custom", "nightly report", "custom"],
      ["Nightly 17/18", "custom", "Nightly {id}/{id}", "sanitized"],
      ["import order-4711", "task", "import order-{id}", "sanitized"],
      ["mail ann@example.com", "unknown", "mail {email}", "sanitized"],
      ["GET /users/17?tab=1", "custom", "GET /users/{id}", "sanitized"],
      ["/users/:id", "route", "/users/:id", "route"],
      ["/users/17", "route", "/users/17", "route"],
      ["app.views.users", "component", "app.views.users", "component"],
      ["/users/17?tab=1", "url", "/users/{id}", "sanitized"],
      ["https://shop.example.com/users/17", "unknown", "/users/{id}", "sanitized"],
      ["tasks/17", "unknown", "tasks/{id}", "sanitized"],
      ["sync", "unknown", "sync", "unknown"],
      ["", "unknown", "<unlabeled transaction>", "unknown"],
    ] as const
  ) {
    const named = facts({ name, source });
    assert.deepEqual([named.name, named.source], [expected, expectedSource]);
  }
});

Deno.test("names that say nothing are made of the path", () => {
  const page = { "url.path": "/users/17" };
  assert.equal(
    facts({ op: "pageload", name: "Pageload", source: "url", attributes: page }).name,
    "/users/{id}",
  );
  assert.equal(facts({ op: "navigation", name: "Navigation", source: "url" }).name, "Navigation");
  const served = { ...SERVER, name: "GET", source: "url" };
  assert.equal(facts({ ...served, attributes: page }).name, "GET /users/{id}");
  assert.equal(
    facts({ ...served, attributes: { "http.route": "/users/:id" } }).name,
    "GET /users/:id",
  );
  assert.equal(facts(served).name, "GET");
});

Deno.test("a page has one name, whether a page load or a vital tells it", () => {
  for (
    const [name, source] of [["/users/17", "url"], ["/users/:id", "route"], [
      "cart",
      "custom",
    ], ["order 4711", "custom"]] as const
  ) {
    assert.equal(transactionNameOf(name), facts({ op: "pageload", name, source }).name);
  }
});

Deno.test("entries of OpenTelemetry are named by what they do", () => {
  const name = (entry: Partial<EntrySource>) => facts(entry).name;
  assert.equal(
    name({
      ...SERVER,
      name: "x",
      attributes: { "http.request.method": "_OTHER", "http.route": "/a" },
    }),
    "HTTP /a",
  );
  assert.equal(
    name({ ...SERVER, name: "POST /cart/add", attributes: { "http.request.method": "POST" } }),
    "POST /cart/add",
  );
  assert.equal(
    name({
      kind: "client",
      name: "GET",
      attributes: { ...GET, "url.full": "https://api.example.com/7" },
    }),
    "GET api.example.com",
  );
  assert.equal(
    name({ kind: "server", name: "x", attributes: { "rpc.method": "shop.Cart/Add" } }),
    "shop.Cart/Add",
  );
  assert.equal(
    name({
      kind: "consumer",
      name: "orders process",
      attributes: {
        "messaging.system": "kafka",
        "messaging.operation.type": "process",
        "messaging.destination.name": "orders",
      },
    }),
    "orders process",
  );
  assert.equal(
    name({
      kind: "client",
      name: "INSERT shop.users",
      attributes: {
        "db.system.name": "mysql",
        "db.namespace": "shop",
        "db.operation.name": "INSERT",
        "db.collection.name": "users",
      },
    }),
    "INSERT shop.users",
  );
  assert.equal(
    name({
      kind: "client",
      name: "SELECT * FROM users WHERE id = 17",
      attributes: {
        "db.system.name": "mysql",
        "db.query.text": "SELECT * FROM users WHERE id = 17",
      },
    }),
    "SELECT * FROM users WHERE id = ?",
  );
  const orders = { "messaging.system": "kafka", "messaging.destination.name": "orders" };
  assert.equal(
    name({
      kind: "producer",
      name: "orders",
      attributes: { ...orders, "messaging.operation.type": "send" },
    }),
    "send orders",
  );
  assert.equal(
    name({
      kind: "client",
      name: "q",
      attributes: { "db.system.name": "mysql", "db.query.text": "SELECT 1" },
    }),
    "SELECT ?",
  );
  assert.equal(name({ kind: "internal", name: "nightly report" }), "nightly report");
  assert.equal(name({ kind: "internal", name: "import order 4711" }), "import order {id}");
  assert.equal(name({ kind: "internal", name: "GET /users/17" }), "GET /users/{id}");
  assert.equal(name({}), "<unlabeled transaction>");
});

Deno.test("requests that came to no route and were answered 404 are one name for each method", () => {
  const lost = { "http.request.method": "GET", "http.response.status_code": 404 };
  const asked = { ...lost, "url.path": "/wp-login.php" };
  const path = "/wp-login.php";
  for (
    const entry of [
      // OpenTelemetry: Node and Java name the method, older ones the path.
      { ...SERVER, name: "GET", attributes: asked },
      { ...SERVER, name: "GET /wp-login.php", attributes: asked },
      { ...SERVER, name: "GET /wp-login.php", attributes: lost },
      { ...SERVER, name: "GET /{{7*7}}", attributes: { ...lost, "url.path": "/{{7*7}}" } },
      // Sentry: Express and Go; Django; Flask; streamed.
      {
        op: "http.server",
        name: "GET /wp-login.php",
        source: "url",
        httpMethod: "GET",
        httpStatus: 404,
      },
      { op: "http.server", name: path, source: "url", httpMethod: "GET", httpStatus: 404, path },
      {
        op: "http.server",
        name: "generic WSGI request",
        source: "route",
        httpMethod: "GET",
        httpStatus: 404,
        path,
      },
      { ...SERVER, name: "GET", source: "url", attributes: asked },
    ]
  ) {
    const { name, httpMethod, route } = facts(entry);
    assert.equal(name, "GET (no route)", JSON.stringify(entry));
    assert.equal(endpointKey(httpMethod, route), "GET (no route)");
  }
});

Deno.test("a route that answers 404 keeps its name, and so does a path that was found", () => {
  const asked = { ...GET, "url.path": "/users/17" };
  const gone = { ...asked, "http.response.status_code": 404 };
  for (
    const entry of [
      { ...SERVER, name: "GET", attributes: { ...gone, "http.route": "/users/{id}" } },
      { ...SERVER, name: "GET /users/{id}", attributes: gone },
      { ...SERVER, name: "GET", attributes: { ...asked, "http.response.status_code": 200 } },
      {
        op: "http.server",
        name: "GET /users/{id}",
        source: "route",
        httpMethod: "GET",
        httpStatus: 404,
      },
      {
        op: "http.server",
        name: "GET /users/17",
        source: "url",
        httpMethod: "GET",
        httpStatus: 403,
      },
    ]
  ) assert.equal(facts(entry).name, "GET /users/{id}", JSON.stringify(entry));
  const view = { op: "http.server", name: "get_user", source: "component", httpMethod: "GET" };
  assert.equal(facts({ ...view, httpStatus: 404 }).name, "get_user");
});

Deno.test("a server's status code tells whether a request failed, else the status", () => {
  const failed = (entry: Partial<EntrySource>) => facts(entry).isFailed;
  assert.equal(
    failed({ ...SERVER, status: "not_found", httpMethod: "GET", httpStatus: 404 }),
    false,
  );
  assert.equal(failed({ ...SERVER, status: "ok", httpMethod: "GET", httpStatus: 502 }), true);
  assert.equal(failed({ ...SERVER, status: "not_found", httpMethod: "GET" }), true);
  assert.equal(failed({ op: "task", status: "internal_error" }), true);
  for (const status of ["", "ok", "cancelled", "unknown"]) assert.equal(failed({ status }), false);
});

Deno.test("only HTTP servers have a route, and SQL's verbs are no methods", () => {
  assert.equal(facts({ op: "pageload", name: "/users/:id", source: "route" }).route, "");
  assert.equal(facts({ name: "DELETE users", kind: "internal" }).httpMethod, "");
  assert.equal(facts({ name: "GET /users", source: "route", op: "http.server" }).httpMethod, "GET");
});

Deno.test("what is no status code is none", () => {
  for (const code of [0, 99, 600, NaN]) assert.equal(facts({ httpStatus: code }).httpStatus, null);
  assert.equal(facts({ attributes: { "http.response.status_code": "404" } }).httpStatus, 404);
});
