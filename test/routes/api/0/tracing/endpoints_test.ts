import assert from "node:assert/strict";
import type { Transaction } from "@/lib/records/mod.ts";
import { transactionRecord } from "@/test/support/records.ts";
import { tracedApi } from "@/test/support/traced_api.ts";

interface EndpointAnswer {
  readonly endpoint: string;
  readonly method: string;
  readonly route: string;
  readonly services: string[];
  readonly protocols: string[];
  readonly requests: number;
  readonly statuses: Record<string, number>;
  readonly errorRate: number;
  readonly apdex: number;
  readonly lastSeen: string;
}

async function endpointApi() {
  const api = await tracedApi();
  const send = (...fields: Partial<Transaction>[]) =>
    api.store(fields.map((each) => transactionRecord(each)));
  await send(
    { httpMethod: "GET", route: "/users/:id", service: "web", httpStatus: 200 },
    { httpMethod: "GET", route: "/users/:id", service: "web", httpStatus: 404 },
    {
      httpMethod: "GET",
      route: "/users/{id}",
      service: "api",
      sentAs: "entry",
      httpStatus: 500,
      isFailed: true,
      durationMs: 5_000,
    },
    { httpMethod: "POST", route: "/orders", httpStatus: 201 },
    { httpMethod: "", route: "", name: "nightly", httpStatus: null },
  );
  return { ...api, send };
}

Deno.test("an endpoint is one row, whichever protocol and framework tell of it", async () => {
  await using api = await endpointApi();
  const rows = await api.read<EndpointAnswer[]>("/endpoints/?statsPeriod=24h");
  assert.deepEqual(rows.map(({ endpoint }) => endpoint), ["GET /users/{}", "POST /orders"]);
  const [users] = rows;
  assert.ok(users);
  assert.deepEqual([users.method, users.route, users.requests], ["GET", "/users/:id", 3]);
  assert.deepEqual([users.services, users.protocols], [["web", "api"], ["sentry", "otlp"]]);
  assert.deepEqual(users.statuses, { "2xx": 1, "3xx": 0, "4xx": 1, "5xx": 1, none: 0 });
  assert.equal(users.errorRate, 1 / 3);
  assert.ok(Math.abs(users.apdex - 2 / 3) < 0.01);
  assert.ok(Date.parse(users.lastSeen) > Date.now() - 7_200_000);
});

Deno.test("endpoints are searched, narrowed, sorted and paged", async () => {
  await using api = await endpointApi();
  const found = async (search: string) =>
    (await api.read<EndpointAnswer[]>(`/endpoints/?${search}`)).map(({ endpoint }) => endpoint);
  assert.deepEqual(await found("query=ORD"), ["POST /orders"]);
  assert.deepEqual(await found("query=get*id"), ["GET /users/{}"]);
  assert.deepEqual(await found("method=post"), ["POST /orders"]);
  assert.deepEqual(await found("service=api"), ["GET /users/{}"]);
  assert.deepEqual(await found("environment=nowhere"), []);
  assert.deepEqual(await found("sort=-endpoint"), ["POST /orders", "GET /users/{}"]);
  assert.deepEqual(await found("sort=-lastSeen&per_page=1&cursor=0:1:0"), ["POST /orders"]);
  assert.equal((await api.refusal("/endpoints/?sort=-size")).status, 400);
});

Deno.test("one organization never sees the endpoints of another", async () => {
  await using api = await tracedApi();
  await api.store([transactionRecord()], api.otherWorld);
  assert.deepEqual(await api.read("/endpoints/"), []);
  assert.equal((await api.call("owner", "/projects/other/other-shop/endpoints/")).status, 404);
});
