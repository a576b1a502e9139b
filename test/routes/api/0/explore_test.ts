/** Questions about errors, spans and logs, by the API. */
import assert from "node:assert/strict";
import { type TestApi, testApi } from "@/test/support/api_people.ts";
import { apiApp } from "@/test/support/api_app.ts";
import { errorEnvelope } from "@/test/support/envelopes.ts";
import { logRecord, transactionRecord } from "@/test/support/records.ts";
import { authHeader } from "@/test/support/test_intake.ts";

interface Table {
  readonly data: readonly Record<string, unknown>[];
  readonly meta: { readonly fields: Record<string, string> };
}

const EVENTS = "/organizations/acme/events/";

/** Two errors, a transaction and a log. */
async function withTelemetry(): Promise<TestApi> {
  const api = await testApi();
  const send = apiApp(api.services);
  for (const title of ["First", "Second"]) {
    const response = await send(`/api/${api.project.id}/envelope/`, {
      method: "POST",
      headers: authHeader(api.serverKey),
      body: errorEnvelope(title).body,
    });
    await response.body?.cancel();
  }
  const records = [
    transactionRecord({ name: "GET /cart", durationMs: 120 }),
    logRecord({ body: "paid by card" }),
  ];
  await api.services.writer.commit(api.project.id, { records, outcomes: [] });
  return api;
}

const ask = (api: TestApi, query: string) => api.call<Table>("viewer", `${EVENTS}?${query}`);

Deno.test("errors are told by fields, with their types, ids and short ids", async () => {
  await using api = await withTelemetry();
  const { body } = await ask(api, "field=issue&field=title&field=timestamp&sort=title&query=First");
  const [row, ...others] = body.data;
  assert.deepEqual(others, []);
  assert.match(String(row?.issue), /^ACME-SHOP-\d$/);
  assert.match(String(row?.title), /First/);
  assert.match(String(row?.timestamp), /Z$/);
  assert.match(String(row?.id), /^[0-9a-f]{32}$/);
  assert.equal(row?.["project.name"], "acme-shop");
  assert.equal(body.meta.fields.timestamp, "date");
});

Deno.test("aggregates count by the columns beside them", async () => {
  await using api = await withTelemetry();
  const { body } = await ask(api, "field=project&field=count()&sort=-count");
  assert.deepEqual(body.data, [{ project: "acme-shop", "count()": 2 }]);
  assert.deepEqual(body.meta.fields, { project: "string", "count()": "integer" });
});

Deno.test("spans and logs are asked the same way", async () => {
  await using api = await withTelemetry();
  const spans = await ask(
    api,
    "dataset=spans&field=transaction&field=p95(span.duration)&query=span.duration:>100ms",
  );
  assert.deepEqual(spans.body.data, [{ transaction: "GET /cart", "p95(span.duration)": 120 }]);
  assert.equal(spans.body.meta.fields["p95(span.duration)"], "duration");
  const none = await ask(api, "dataset=spans&field=transaction&query=span.duration:>1s");
  assert.deepEqual(none.body.data, []);
  const logs = await ask(api, "dataset=logs&field=message&query=message:*card*");
  assert.equal(logs.body.data[0]?.message, "paid by card");
});

Deno.test("tables come in pages", async () => {
  await using api = await withTelemetry();
  const first = await ask(api, "field=title&per_page=1");
  const [, cursor] = /rel="next"; results="true"; cursor="([^"]+)"/
    .exec(first.headers.get("link") ?? "") ?? [];
  const second = await ask(api, `field=title&per_page=1&cursor=${cursor}`);
  assert.notEqual(first.body.data[0]?.id, second.body.data[0]?.id);
  assert.match(second.headers.get("link") ?? "", /rel="next"; results="false"/);
});

Deno.test("series are counts along the time, of all and of the top groups", async () => {
  await using api = await withTelemetry();
  const path = "/organizations/acme/events-stats/?statsPeriod=2h&interval=1h";
  const total = (data: [number, [{ count: number }]][]) =>
    data.reduce((sum, [, [{ count }]]) => sum + count, 0);
  type Series = { data: [number, [{ count: number }]][] };
  const all = await api.call<Series>("viewer", `${path}&yAxis=count()`);
  assert.equal(total(all.body.data), 2);
  assert.equal(all.body.data.length, 3);
  const top = await api.call<Record<string, Series>>(
    "viewer",
    `${path}&yAxis=count()&field=level&topEvents=5`,
  );
  assert.equal(total(top.body.error?.data ?? []), 2);
  const axes = await api.call<Record<string, Series>>(
    "viewer",
    `${path}&yAxis=count()&yAxis=count_unique(user)`,
  );
  assert.equal(total(axes.body["count()"]?.data ?? []), 2);
});

Deno.test("what came is counted by category and outcome", async () => {
  await using api = await withTelemetry();
  const { body } = await api.call<{
    intervals: string[];
    groups: { by: Record<string, string>; totals: Record<string, number>; series: object }[];
  }>(
    "viewer",
    "/organizations/acme/stats_v2/?statsPeriod=24h&interval=1h&groupBy=category&groupBy=outcome&field=sum(quantity)",
  );
  const errors = body.groups.find(({ by }) => by.category === "error");
  assert.deepEqual(errors?.by, { category: "error", outcome: "accepted" });
  assert.equal(errors?.totals["sum(quantity)"], 2);
});

Deno.test("what makes no sense is answered with 400 and words", async () => {
  await using api = await withTelemetry();
  for (
    const query of [
      "field=everything()",
      "field=sum(timestamp)",
      "dataset=nothing",
      "query=timestamp:>yesterday",
      "dataset=spans&query=span.duration:>fast",
      `field=${"x".repeat(300)}`,
      Array.from({ length: 30 }, (_, index) => `field=f${index}`).join("&"),
      "query=(level:error",
      "cursor=x",
    ]
  ) assert.equal((await ask(api, query)).status, 400, query);
  for (
    const query of [
      "field=%00&query=%00",
      "field=count(%27);drop&query=%27",
      "field=tags[a%27b]&query=tags[a%27b]:%25",
      "field=avg(color)&query=project:nothing",
      "query=issue:NOPE-1 OR !has:user&field=min(timestamp)",
    ]
  ) assert.ok([200, 400].includes((await ask(api, query)).status), query);
});

Deno.test("telemetry of other organizations is not there", async () => {
  await using api = await withTelemetry();
  const own = await api.call<Table>("stranger", "/organizations/other/events/?field=title");
  assert.deepEqual(own.body.data, []);
  const foreign = `/organizations/other/events/?field=title&project=${api.project.id}`;
  assert.equal((await api.call("stranger", foreign)).status, 404);
  assert.equal((await api.call("stranger", `${EVENTS}?field=title`)).status, 404);
  const named = await api.call<Table>(
    "stranger",
    "/organizations/other/events/?field=title&query=project:acme-shop",
  );
  assert.deepEqual(named.body.data, []);
});
