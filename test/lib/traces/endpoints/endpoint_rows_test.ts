import assert from "node:assert/strict";
import { type EndpointPart, endpointRows } from "@/lib/traces/endpoints/load_endpoints.ts";
import { Sketch } from "@/lib/store/stats/sketch.ts";
import { NO_STATS } from "@/lib/store/stats/stats.ts";

function part(fields: Partial<EndpointPart> & { readonly ms?: number[] }): EndpointPart {
  const { ms = [100], ...facts } = fields;
  const sketch = new Sketch();
  for (const each of ms) sketch.add(each);
  return {
    ...NO_STATS,
    httpMethod: "GET",
    route: "/users/:id",
    service: "web",
    protocol: "sentry",
    count: ms.length,
    weight: ms.length,
    statuses: [ms.length, 0, 0, 0],
    sketch,
    lastSeen: new Date("2026-11-21T10:00:00Z"),
    ...facts,
  };
}

Deno.test("frameworks that write one endpoint differently give one row, named as most requests are", () => {
  const [row, ...others] = endpointRows(
    [
      part({}),
      part({
        route: "/users/{userId}",
        service: "api",
        protocol: "otlp",
        ms: [200, 300, 400],
        lastSeen: new Date("2026-11-21T11:00:00Z"),
      }),
      part({ route: "/users/<int:pk>/", service: "" }),
    ],
    2,
    250,
  );
  assert.deepEqual(others, []);
  assert.ok(row);
  assert.deepEqual([row.key, row.method, row.route], [
    "GET /users/{}",
    "GET",
    "/users/{userId}",
  ]);
  assert.deepEqual(row.routes, ["/users/{userId}", "/users/:id", "/users/<int:pk>/"]);
  assert.deepEqual([row.services, row.protocols], [["api", "web"], ["otlp", "sentry"]]);
  assert.deepEqual([row.requests, row.perMinute], [5, 2.5]);
  assert.ok(Math.abs((row.p99 ?? 0) - 400) < 8);
  assert.ok(Math.abs((row.apdex ?? 0) - 0.8) < 0.02);
  assert.equal(row.lastSeen?.toISOString(), "2026-11-21T11:00:00.000Z");
});

Deno.test("methods are endpoints of their own, and what is no endpoint has no row", () => {
  const rows = endpointRows(
    [part({}), part({ httpMethod: "DELETE" }), part({ httpMethod: "" }), part({ route: "" })],
    1,
    100,
  );
  assert.deepEqual(rows.map(({ key }) => key), ["GET /users/{}", "DELETE /users/{}"]);
});

Deno.test("answers count what was sampled away, and requests without a status", () => {
  const [row] = endpointRows(
    [
      part({ ms: [1, 2, 3, 4], weight: 40, statuses: [1, 0, 1, 1], failures: 2 }),
      part({ ms: [5], statuses: [0, 1, 0, 0] }),
    ],
    1,
    100,
  );
  assert.deepEqual(row?.answers, [10, 1, 10, 10, 10]);
  assert.equal(row?.failureRate, 2 / 5);
  assert.equal(row?.requests, 41);
});
