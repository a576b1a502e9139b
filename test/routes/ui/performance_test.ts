import assert from "node:assert/strict";
import { createOrganization } from "../../support/organizations.ts";
import type { TelemetryRecord, Transaction } from "@/lib/records/mod.ts";
import { errorEvent, newEventId } from "../../support/error_event.ts";
import { person } from "../../support/people.ts";
import { spanBatchRecord, spanRecord, transactionRecord } from "../../support/records.ts";
import { shop } from "../../support/shop.ts";
import { textOf } from "../../support/ui_app.ts";

/** A shop of which these records are stored. */
async function timedShop(...records: TelemetryRecord[]) {
  const site = await shop();
  await site.services.writer.commit(site.projectId, { records, outcomes: [] });
  return { ...site, base: `/projects/${site.projectId}` };
}

const many = (count: number, fields: (index: number) => Partial<Transaction>) =>
  Array.from({ length: count }, (_, i) => transactionRecord({ measurements: [], ...fields(i) }));

const checkouts = () =>
  many(40, (i) => ({
    name: "POST /checkout",
    durationMs: i < 36 ? 100 : 2_000,
    tags: [["tier", i < 36 ? "silver" : "gold"]],
    isFailed: i === 0,
    user: `id:${i % 4}`,
    release: i % 2 === 0 ? "shop@1.0" : "shop@1.1",
  }));

Deno.test("Performance shows figures, charts, vitals and where to look first", async () => {
  await using site = await timedShop(
    ...checkouts(),
    transactionRecord({ name: "/home", measurements: [{ name: "lcp", value: 3_000, unit: "" }] }),
  );
  const { status, html } = await site.owner.get(`${site.base}/performance?range=1h`);
  assert.equal(status, 200);
  const text = textOf(html);
  assert.match(
    text,
    /Throughput.*Median duration (?:99|10\d)[.\d]* ms.*p95 duration (?:1\.9|2)\d* s.*Failure rate 2\.4%/,
  );
  assert.match(text, /LCP 3\.?0?\d* s needs improvement/);
  assert.match(text, /Slowest.*POST \/checkout.*Most failing.*POST \/checkout 1 2\.5%/);
  assert.match(text, /Transactions per minute.*Duration.*Failure rate.*Apdex/);
});

Deno.test("Performance says what became slower than in the time before", async () => {
  const earlier = new Date(Date.now() - 90 * 60_000);
  await using site = await timedShop(
    ...many(30, () => ({ name: "GET /slow", durationMs: 100, timestamp: earlier })),
    ...many(30, () => ({ name: "GET /slow", durationMs: 400 })),
    ...many(30, () => ({ name: "GET /same", durationMs: 100, timestamp: earlier })),
    ...many(30, () => ({ name: "GET /same", durationMs: 101 })),
  );
  const text = textOf((await site.owner.get(`${site.base}/performance?range=1h`)).html);
  const slower = text.slice(text.indexOf("Became slower"));
  assert.match(slower, /GET \/slow (?:99|10\d)[.\d]* ms (?:39|40)\d ms/);
  assert.doesNotMatch(slower, /GET \/same/);
});

Deno.test("Performance does not say that nothing became slower than what is not known", async () => {
  await using site = await timedShop(...checkouts());
  const text = textOf((await site.owner.get(`${site.base}/performance?range=1h`)).html);
  assert.match(text, /Became slower.*too little in the time before/);
  assert.doesNotMatch(text, /no comparison/);
});

Deno.test("what services sampled away is in counts and total times, and the pages say so", async () => {
  await using site = await timedShop(
    ...many(
      30,
      (i) => ({ name: "GET /cart", durationMs: 1_000, clientSampleRate: 0.1, isFailed: i < 3 }),
    ),
    ...many(20, () => ({ name: "GET /all", durationMs: 2_000 })),
  );
  const note = /send a share of their traces\. 50 of about 320 are stored\. Counts, throughput and/;
  const list = textOf((await site.owner.get(`${site.base}/transactions?range=1h`)).html);
  assert.match(list, note);
  assert.match(list, /GET \/cart http\.server.* 300 .* 10\.0% .* 5 m 00 s.*GET \/all.* 20 .* 40 s/);
  const performance = textOf((await site.owner.get(`${site.base}/performance?range=1h`)).html);
  assert.match(performance, note);
  assert.match(performance, /Most failing.*GET \/cart 30 10\.0%/);
  const summary = await site.owner.get(
    `${site.base}/transactions/summary?name=GET+%2Fcart&range=1h`,
  );
  assert.match(textOf(summary.html), /How long they took ?30 transactions stored of 300/);
  const whole = await site.owner.get(`${site.base}/transactions?range=1h&query=all`);
  assert.doesNotMatch(textOf(whole.html), /extrapolated/);
});

Deno.test("a name that nothing was received of leads back to all names", async () => {
  await using site = await timedShop(...checkouts());
  for (
    const [page, list] of [
      ["transactions/summary?name=nope", "transactions"],
      ["endpoints/detail?endpoint=GET+%2Fnope", "endpoints"],
      ["queries/detail?category=db&group=nope", "queries?category=db"],
    ]
  ) {
    const { status, html } = await site.owner.get(`${site.base}/${page}`);
    assert.equal(status, 200, page);
    assert.ok(html.includes(`href="${site.base}/${list}"`), page);
    assert.doesNotMatch(textOf(html), /of the last 14 days/, page);
    const narrow = await site.owner.get(`${site.base}/${page}&range=1h`);
    assert.match(textOf(narrow.html), /Show all \w+ of the last 14 days/, page);
  }
});

Deno.test("comparing other releases keeps what the page is narrowed to", async () => {
  await using site = await timedShop(...checkouts());
  const path = `${site.base}/transactions/summary?name=POST+%2Fcheckout&range=1h`;
  const { html } = await site.owner.get(`${path}&min=1000&max=5000&samples=newest`);
  const form = html.slice(html.indexOf('summary#releases"'));
  for (const [name, value] of [["min", "1000"], ["max", "5000"], ["samples", "newest"]]) {
    assert.match(form, new RegExp(`name="${name}" value="${value}"`));
  }
});

Deno.test("without any trace the pages say how to send some", async () => {
  await using site = await timedShop();
  for (const page of ["performance", "transactions"]) {
    const { status, html } = await site.owner.get(`${site.base}/${page}`);
    assert.equal(status, 200);
    assert.match(
      textOf(html),
      /No transactions yet.*tracesSampleRate.*OTEL_EXPORTER_OTLP_ENDPOINT/,
    );
  }
});

Deno.test("Transactions are listed by name, sorted and searched as asked", async () => {
  await using site = await timedShop(
    ...checkouts(),
    ...many(3, () => ({ name: "GET /cart", durationMs: 5, op: "http.server" })),
    ...many(2, () => ({ name: "worker", durationMs: 7_000, op: "queue.process" })),
  );
  const rows = async (query: string) => {
    const { html } = await site.owner.get(`${site.base}/transactions?range=1h${query}`);
    return [...textOf(html).matchAll(/(POST \/checkout|GET \/cart|worker) (?:http|queue)/g)]
      .map(([, name]) => name);
  };
  assert.deepEqual(await rows(""), ["worker", "POST /checkout", "GET /cart"]);
  assert.deepEqual(await rows("&sort=-count"), ["POST /checkout", "GET /cart", "worker"]);
  assert.deepEqual(await rows("&sort=name"), ["GET /cart", "POST /checkout", "worker"]);
  assert.deepEqual(await rows("&query=c*t"), ["POST /checkout", "GET /cart"]);
  assert.deepEqual(await rows("&op=queue.process"), ["worker"]);
  assert.deepEqual(await rows("&sort=nonsense&page=-7"), ["worker", "POST /checkout", "GET /cart"]);
  const none = await site.owner.get(`${site.base}/transactions?range=1h&query=nothing`);
  assert.match(textOf(none.html), /No transactions match/);
});

Deno.test("the page of a transaction tells what slow ones have in common and where time goes", async () => {
  const [slow, ...others] = checkouts().toSorted((a, b) => b.durationMs - a.durationMs);
  assert.ok(slow);
  const start = slow.startedAt.getTime() / 1_000;
  const query = (i: number) =>
    spanRecord({
      parentSpanId: slow.spanId,
      category: "db",
      group: "SELECT price",
      description: "SELECT price",
      start: start + i / 100,
      end: start + i / 100 + 0.005,
    });
  await using site = await timedShop(
    slow,
    ...others,
    spanBatchRecord({
      traceId: slow.traceId,
      timestamp: slow.startedAt,
      spans: [0, 1, 2, 3, 4, 5].map(query),
    }),
    errorEvent({ traceId: slow.traceId, title: "Error: no stock" }),
  );
  const path = `${site.base}/transactions/summary?name=POST+%2Fcheckout&range=1h`;
  const { status, html } = await site.owner.get(path);
  assert.equal(status, 200);
  const text = textOf(html);
  assert.match(text, /SELECT price 6 in a row/);
  assert.match(text, /Issues in these transactions.*Error: no stock/);
  assert.match(text, /Releases compared.*shop@1\.\d.*Transactions 20 20/);
  assert.match(html, new RegExp(`/traces/${slow.traceId}\\?range=1h&amp;span=${slow.spanId}`));
  const gold = await site.owner.get(`${path}&min=1000&max=5000`);
  assert.match(textOf(gold.html), /Those that took 1 s to 5 s/);
  const failed = textOf((await site.owner.get(`${path}&samples=failed`)).html);
  assert.match(failed, /Failed transactions|200 ok|failed/);
});

Deno.test("tags that slow transactions have more often are named", async () => {
  await using site = await timedShop(
    ...many(95, () => ({ name: "GET /a", durationMs: 100, tags: [["tier", "silver"]] })),
    ...many(8, () => ({ name: "GET /a", durationMs: 3_000, tags: [["tier", "gold"]] })),
  );
  const { html } = await site.owner.get(`${site.base}/transactions/summary?name=GET+%2Fa&range=1h`);
  assert.match(textOf(html), /What slow ones have in common.*tier gold 100\.0% 7\.8%/);
});

Deno.test("a page of a transaction without a name leads to the list, with an unknown one says so", async () => {
  await using site = await timedShop(transactionRecord());
  const none = await site.owner.get(`${site.base}/transactions/summary`);
  assert.equal(none.location, `${site.base}/transactions`);
  const unknown = await site.owner.get(`${site.base}/transactions/summary?name=nope`);
  assert.equal(unknown.status, 200);
  assert.match(textOf(unknown.html), /No transactions/);
});

Deno.test("bad parameters never break a page", async () => {
  await using site = await timedShop(transactionRecord());
  for (
    const query of [
      "name=%00",
      "name=x&min=-1&max=nonsense",
      `name=${"x".repeat(3_000)}&samples=zzz`,
      "name=GET+/orders/:id&baseline=%27&candidate=%00&min=1e400&max=1e401",
      "name=a&service=%00&environment=%00&start=2026-01-01&end=2025-01-01",
    ]
  ) {
    const { status } = await site.owner.get(`${site.base}/transactions/summary?${query}`);
    assert.equal(status, 200, query);
  }
});

Deno.test("members of other organizations see none of it", async () => {
  await using site = await timedShop(transactionRecord({ traceId: newEventId() }));
  const { kv } = site.services;
  const stranger = await person(kv, "stranger");
  await createOrganization(kv, { name: "Other", ownerId: stranger.id });
  const other = site.visitor();
  await other.signIn(stranger.email);
  for (const page of ["performance", "transactions", "transactions/summary?name=x"]) {
    assert.equal((await other.get(`${site.base}/${page}`)).status, 404, page);
  }
});
