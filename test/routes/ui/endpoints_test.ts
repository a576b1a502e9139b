import assert from "node:assert/strict";
import { createOrganization } from "../../support/organizations.ts";
import type { TelemetryRecord } from "@/lib/records/mod.ts";
import { newEventId } from "../../support/error_event.ts";
import { person } from "../../support/people.ts";
import { spanBatchRecord, spanRecord, transactionRecord } from "../../support/records.ts";
import { shop } from "../../support/shop.ts";
import { textOf } from "../../support/ui_app.ts";

const CLICK = "00000000000000a1";

/** A project whose endpoint is served by two services that write it differently. */
async function servingShop() {
  const site = await shop();
  const traceId = newEventId();
  const records: TelemetryRecord[] = [
    spanBatchRecord({
      traceId,
      service: "storefront",
      transaction: "/cart",
      spans: [spanRecord({ spanId: CLICK, category: "http", group: "GET api" })],
    }),
    transactionRecord({ traceId, parentSpanId: CLICK, service: "orders" }),
    transactionRecord({ service: "orders", httpStatus: 404, durationMs: 2_500 }),
    transactionRecord({
      name: "GET /orders/{orderId}",
      route: "/orders/{orderId}",
      service: "billing",
      sentAs: "entry",
      httpStatus: 503,
      isFailed: true,
    }),
    transactionRecord({
      name: "POST /payments",
      route: "/payments",
      httpMethod: "POST",
      httpStatus: null,
    }),
    transactionRecord({ name: "nightly", op: "task", httpMethod: "", route: "", httpStatus: null }),
  ];
  await site.services.writer.commit(site.projectId, { records, outcomes: [] });
  return { ...site, traceId, base: `/projects/${site.projectId}/endpoints` };
}

Deno.test("Endpoints lists one row for each method and route, whoever serves it", async () => {
  await using site = await servingShop();
  const answer = await site.owner.get(site.base);
  assert.equal(answer.status, 200);
  const text = textOf(answer.html);
  assert.match(text, /GET \/orders\/:id orders, billing · Sentry SDK, OpenTelemetry 3 /);
  assert.match(text, /2xx 1 4xx 1 5xx 1/);
  assert.match(text, /POST \/payments Sentry SDK 1 .*no status 1/);
  assert.match(text, /Showing 1–2 of 2 endpoints/);
  assert.doesNotMatch(text, /nightly/);
  assert.match(answer.html, /endpoints\/detail\?endpoint=GET\+%2Forders%2F%7B%7D"/);
  assert.match(answer.html, /<title>Endpoints · Shop/);
});

Deno.test("Endpoints is searched by any spelling, narrowed by method and service, and sorted", async () => {
  await using site = await servingShop();
  const list = async (search: string) => textOf((await site.owner.get(site.base + search)).html);
  assert.match(await list("?query=get*ORDERID"), /of 1 endpoint.*/);
  assert.match(await list("?method=post"), /Showing 1–1 of 1 endpoint /);
  assert.match(await list("?service=billing"), /GET \/orders\/\{orderId\} billing/);
  assert.match(await list("?sort=-errors"), /\/orders\/:id.*\/payments/);
  assert.match(await list("?sort=errors"), /\/payments.*\/orders\/:id/);
  assert.match(await list("?query=nothing"), /No endpoints match/);
  assert.match(await list("?page=99"), /Showing 1–2 of 2/);
});

Deno.test("an endpoint shows its transactions, callers, samples, statuses and releases", async () => {
  await using site = await servingShop();
  const answer = await site.owner.get(`${site.base}/detail?endpoint=GET%20/orders/{}`);
  assert.equal(answer.status, 200);
  const text = textOf(answer.html);
  assert.match(text, /GET \/orders\/:id.*also written \/orders\/\{orderId\}/);
  assert.match(text, /Requests per minute by status.*Duration.*Error rate.*Apdex/);
  assert.match(text, /Transactions Names .*GET \/orders\/:id 2 .*GET \/orders\/\{orderId\} 1 /);
  assert.match(text, /newest 3 requests.*\/cart storefront 33\.3%.*2 began their trace here/);
  assert.match(text, /Slowest requests.*2\.5 s.*Failed requests.*503/);
  assert.match(text, /Status codes Of the 3 requests.*Releases.*shop@1\.0 3/);
  assert.match(answer.html, /transactions\/summary\?name=GET\+%2Forders%2F%3Aid"/);
  assert.match(answer.html, new RegExp(`/traces/${site.traceId}`));
  const other = await site.owner.get(`${site.base}/detail?endpoint=get%20/orders/%3Aanything/`);
  assert.match(textOf(other.html), /also written/);
});

Deno.test("an endpoint that is not there is answered in words, and none at all with the list", async () => {
  await using site = await servingShop();
  const unknown = await site.owner.get(`${site.base}/detail?endpoint=GET%20/nowhere`);
  assert.equal(unknown.status, 200);
  assert.match(textOf(unknown.html), /GET \/nowhere.*No requests in this time/);
  for (const name of ["", "?endpoint=", "?endpoint=GET", "?endpoint=%20"]) {
    const answer = await site.owner.get(`${site.base}/detail${name}`);
    assert.deepEqual([answer.status, answer.location], [302, site.base], name);
  }
});

Deno.test("nothing that an address can hold breaks the pages of endpoints", async () => {
  await using site = await servingShop();
  const odd = [
    "query=%00*%25_%5C&sort=-nothing&page=-1&method=%00",
    "query=***&page=NaN&range=99y&service=%00",
    "start=2026-13-45&end=x&sort=-&environment=%00",
    `query=${"*a".repeat(500)}`,
  ];
  const endpoints = [
    "GET%20/%00",
    "%00%20/orders",
    "G%20%7B",
    `GET%20/${"(".repeat(900)}`,
    "x%20…",
  ];
  for (const search of odd) {
    assert.equal((await site.owner.get(`${site.base}?${search}`)).status, 200, search);
    for (const endpoint of endpoints) {
      const path = `${site.base}/detail?endpoint=${endpoint}&${search}`;
      assert.equal((await site.owner.get(path)).status, 200, path);
    }
  }
});

Deno.test("a project without traces is told how to send them", async () => {
  await using site = await shop();
  const { html } = await site.owner.get(`/projects/${site.projectId}/endpoints`);
  assert.match(textOf(html), /No endpoints yet.*tracesSampleRate/);
});

Deno.test("members of other organizations do not find the pages of endpoints", async () => {
  await using site = await servingShop();
  const { kv } = site.services;
  const stranger = await person(kv, "stranger");
  await createOrganization(kv, { name: "Other", ownerId: stranger.id });
  const visitor = site.visitor();
  const paths = [site.base, `${site.base}/detail?endpoint=GET%20/orders/{}`];
  for (const path of paths) assert.equal((await visitor.get(path)).status, 303, path);
  await visitor.signIn(stranger.email);
  for (const path of paths) {
    const answer = await visitor.get(path);
    assert.equal(answer.status, 404, path);
    assert.doesNotMatch(answer.html, /payments|billing/);
  }
  const viewer = await site.member("viewer");
  for (const path of paths) assert.equal((await viewer.visitor.get(path)).status, 200, path);
});
