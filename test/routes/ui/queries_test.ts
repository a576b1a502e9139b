import assert from "node:assert/strict";
import { createOrganization } from "../../support/organizations.ts";
import type { Span, TelemetryRecord } from "@/lib/records/mod.ts";
import { newEventId } from "../../support/error_event.ts";
import { person } from "../../support/people.ts";
import { spanBatchRecord, spanRecord, transactionRecord } from "../../support/records.ts";
import { shop } from "../../support/shop.ts";
import { textOf } from "../../support/ui_app.ts";

const STATEMENT = "SELECT * FROM item WHERE id = ?";

/** A project whose cart asks for its items one by one. */
async function askingShop() {
  const site = await shop();
  const traceId = newEventId();
  const now = Date.now() / 1_000;
  const items = Array.from({ length: 6 }, (_, place): Span =>
    spanRecord({
      category: "db",
      group: STATEMENT,
      description: `SELECT * FROM item WHERE id = ${place}`,
      start: now - 1 + place * 0.1,
      end: now - 1 + (place + 1) * 0.1,
    }));
  const call = (fields: Partial<Span>) => spanRecord({ start: now - 0.2, end: now, ...fields });
  const records: TelemetryRecord[] = [
    transactionRecord({ traceId, name: "GET /cart" }),
    spanBatchRecord({
      traceId,
      transaction: "GET /cart",
      service: "web",
      spans: [
        ...items,
        call({ category: "http", group: "GET api.example.com", status: "internal_error" }),
        call({ category: "cache", group: "get user:*" }),
        call({ category: "rpc", group: "shop.Stock/Get" }),
      ],
    }),
    spanBatchRecord({
      transaction: "GET /orders",
      spans: [call({ category: "db", group: STATEMENT }), call({ category: "db", group: "BEGIN" })],
    }),
  ];
  await site.services.writer.commit(site.projectId, { records, outcomes: [] });
  return { ...site, traceId, base: `/projects/${site.projectId}/queries` };
}

Deno.test("Queries & calls lists each kind of work under its tab", async () => {
  await using site = await askingShop();
  const answer = await site.owner.get(site.base);
  assert.equal(answer.status, 200);
  const text = textOf(answer.html);
  assert.match(text, /SELECT \* FROM item WHERE id = \? 7 .*800 ms 114 ms .* 0\.0% 2 .*BEGIN 1 /);
  assert.match(text, /Showing 1–2 of 2 database queries/);
  assert.match(answer.html, /80\.0% of all time in this list/);
  assert.match(answer.html, /<title>Queries &amp; calls · Shop/);
  const list = async (search: string) => textOf((await site.owner.get(site.base + search)).html);
  assert.match(await list("?category=http"), /GET api\.example\.com 1 .*100\.0% 1 /);
  assert.match(await list("?category=cache"), /get user:\*/);
  assert.match(await list("?category=other"), /shop\.Stock\/Get RPC calls/);
  assert.match(await list("?category=rpc"), /Showing 1–1 of 1 call /);
  assert.match(await list("?category=queue"), /No queue operations in this time/);
  assert.match(await list("?category=all"), /of 5 calls/);
});

Deno.test("Queries & calls is searched and sorted", async () => {
  await using site = await askingShop();
  const list = async (search: string) => textOf((await site.owner.get(site.base + search)).html);
  assert.match(await list("?query=select*ITEM"), /of 1 database query /);
  assert.match(await list("?query=nothing"), /No database queries match/);
  assert.match(await list("?sort=time"), /BEGIN.*SELECT/);
  assert.match(await list("?service=web"), /WHERE id = \? 6 /);
});

Deno.test("a statement shows its callers, its examples, and that it runs again and again", async () => {
  await using site = await askingShop();
  const search = new URLSearchParams({ category: "db", group: STATEMENT });
  const answer = await site.owner.get(`${site.base}/detail?${search}`);
  assert.equal(answer.status, 200);
  const text = textOf(answer.html);
  assert.match(text, /Database statement.*This statement ran 6 times in a row: N\+1.*GET \/cart/);
  assert.match(text, /where they took 600 ms together\. Fetch all rows at once/);
  assert.match(text, /Calls 7 .*Share of its kind 80\.0%/);
  assert.match(text, /Calls per minute.*Duration.*Failure rate/);
  assert.match(text, /GET \/cart 6 6\.0 100 ms 600 ms GET \/orders 1 – 200 ms 200 ms/);
  assert.match(text, /Examples.*SELECT \* FROM item WHERE id = \d GET \/cart · web 6 100 ms/);
  assert.match(answer.html, new RegExp(`/traces/${site.traceId}\\?span=`));
  assert.match(answer.html, /transactions\/summary\?name=GET\+%2Fcart"/);
});

Deno.test("a host shows how often calls to it fail", async () => {
  await using site = await askingShop();
  const search = new URLSearchParams({ category: "http", group: "GET api.example.com" });
  const { html } = await site.owner.get(`${site.base}/detail?${search}`);
  const text = textOf(html);
  assert.match(text, /GET api\.example\.com HTTP calls.*Failure rate 100\.0%.*internal_error/);
  assert.doesNotMatch(text, /in a row/);
});

Deno.test("work that is not there is answered in words, and none at all with the list", async () => {
  await using site = await askingShop();
  const unknown = await site.owner.get(`${site.base}/detail?category=db&group=SELECT+2`);
  assert.equal(unknown.status, 200);
  assert.match(textOf(unknown.html), /SELECT 2.*No calls in this time/);
  for (const search of ["", "?category=db", "?group=x", "?category=all&group=x"]) {
    const answer = await site.owner.get(`${site.base}/detail${search}`);
    assert.deepEqual([answer.status, answer.location], [302, site.base], search);
  }
});

Deno.test("nothing that an address can hold breaks the pages of queries", async () => {
  await using site = await askingShop();
  const odd = [
    "query=%00*%25_%5C&sort=-nothing&page=-1&category=%00",
    "query=***&page=NaN&range=99y&service=%00&category=__proto__",
    `start=2026-13-45&end=x&sort=-&query=${"a*".repeat(500)}`,
  ];
  for (const search of odd) {
    assert.equal((await site.owner.get(`${site.base}?${search}`)).status, 200, search);
    for (const group of ["%00x", "<script>", `${"SELECT".repeat(500)}`, "%F0%9F%98%80"]) {
      const path = `${site.base}/detail?category=db&group=${group}&${search}`;
      const answer = await site.owner.get(path);
      assert.equal(answer.status, 200, path);
      assert.doesNotMatch(answer.html, /<script>[^(]*<\/h1>/);
    }
  }
});

Deno.test("a project without traces is told how to send them", async () => {
  await using site = await shop();
  const { html } = await site.owner.get(`/projects/${site.projectId}/queries`);
  assert.match(textOf(html), /No database queries yet.*tracesSampleRate/);
});

Deno.test("members of other organizations do not find the pages of queries", async () => {
  await using site = await askingShop();
  const { kv } = site.services;
  const stranger = await person(kv, "stranger");
  await createOrganization(kv, { name: "Other", ownerId: stranger.id });
  const visitor = site.visitor();
  const search = new URLSearchParams({ category: "db", group: STATEMENT });
  const paths = [site.base, `${site.base}/detail?${search}`];
  for (const path of paths) assert.equal((await visitor.get(path)).status, 303, path);
  await visitor.signIn(stranger.email);
  for (const path of paths) {
    const answer = await visitor.get(path);
    assert.equal(answer.status, 404, path);
    assert.doesNotMatch(answer.html, /GET \/cart/);
  }
  const viewer = await site.member("viewer");
  for (const path of paths) assert.equal((await viewer.visitor.get(path)).status, 200, path);
});
