import assert from "node:assert/strict";
import type { PageScope } from "@/lib/releases/request_scope.ts";
import { loadEndpointDetail, readEndpointParams } from "@/lib/traces/endpoints/load_endpoint.ts";
import type { Project } from "@/lib/accounts/projects.ts";
import { testDatabase } from "@/test/support/database.ts";
import { transactionRecord } from "@/test/support/records.ts";
import { testWriter } from "@/test/support/writer.ts";

Deno.test("an endpoint's routes are the spellings that occur in what is looked at, most requests first", async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  const request = (route: string, environment: string) =>
    transactionRecord({ name: `GET ${route}`, httpMethod: "GET", route, environment });
  await writer.store(
    "1",
    request("/users/{id}", "production"),
    request("/users/:id", "production"),
    request("/users/:id", "production"),
    request("/users/<id>", "staging"),
    request("/orders/:id", "production"),
  );
  const params = readEndpointParams(new URLSearchParams({ endpoint: "GET /users/[id]" }));
  assert.ok(params);
  const now = new Date();
  const scope = (environments: string[]): PageScope => ({
    project: { id: "1" } as Project,
    scope: { environments, releases: [], services: [], range: "1h" },
    interval: { start: new Date(now.getTime() - 3_600_000), end: now },
    now,
    environments: [],
    releases: [],
    services: [],
    markers: [],
    apdexMs: 300,
    sampleRate: 1,
  });
  const routes = async (...environments: string[]) => {
    const detail = await loadEndpointDetail(database.sql, scope(environments), params);
    return [detail.routes, detail.total.count];
  };
  assert.deepEqual(await routes("production"), [["/users/:id", "/users/{id}"], 3]);
  assert.deepEqual(await routes("staging"), [["/users/<id>"], 1]);
  assert.deepEqual(await routes("test"), [[], 0]);
});
