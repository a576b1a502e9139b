import assert from "node:assert/strict";
import { listKeys } from "@/lib/accounts/keys.ts";
import { createOrganization } from "../../support/organizations.ts";
import type { TelemetryRecord, Transaction } from "@/lib/records/mod.ts";
import { errorEvent } from "../../support/error_event.ts";
import { person } from "../../support/people.ts";
import { transactionRecord } from "../../support/records.ts";
import { shop } from "../../support/shop.ts";
import { textOf } from "../../support/ui_app.ts";

const TRACE = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";

async function site() {
  const made = await shop();
  const base = `/projects/${made.projectId}/traces`;
  return {
    ...made,
    base,
    send: (...records: TelemetryRecord[]) =>
      made.services.writer.commit(made.projectId, { records, outcomes: [] }),
    text: async (query = "") =>
      textOf((await made.owner.get(`${base}?${new URLSearchParams({ query })}`)).html),
  };
}

/** A trace through a shop and its stock service, with an error. */
function order(): TelemetryRecord[] {
  const root = transactionRecord({ traceId: TRACE, name: "POST /orders", service: "shop" });
  const part: Partial<Transaction> = {
    traceId: TRACE,
    parentSpanId: root.spanId,
    name: "stock.Check",
    service: "stock",
    status: "unavailable",
    isFailed: true,
    httpStatus: null,
  };
  return [root, transactionRecord(part), errorEvent({ traceId: TRACE })];
}

Deno.test("traces are listed with their services, what failed, and the way to each", async () => {
  await using app = await site();
  await app.send(...order(), transactionRecord({ name: "<script>alert(1)</script>" }));
  const { status, html } = await app.owner.get(app.base);
  assert.equal(status, 200);
  assert.doesNotMatch(html, /<script>alert/);
  assert.match(html, new RegExp(`href="${app.base}/${TRACE}"`));
  assert.match(html, /<title>Traces · Shop/);
  const text = textOf(html);
  assert.match(text, /POST \/orders.*shop ?stock.*1 failed 1 error.*production/);
  assert.match(text, /Transactions per minute.*Showing 2 traces/);
});

Deno.test("a search narrows the list; what is wrong with it is said beside the rest", async () => {
  await using app = await site();
  await app.send(...order(), transactionRecord({ name: "GET /cart", durationMs: 900 }));
  assert.match(await app.text("service:STOCK"), /POST \/orders.*Showing 1 trace,/);
  assert.match(await app.text("duration:>500ms"), /GET \/cart.*Showing 1 trace,/);
  assert.match(await app.text("!status:failed"), /Showing 2 traces/);
  const wrong = await app.text("cart duration:fast");
  assert.match(wrong, /duration:fast: Write a duration as .*GET \/cart.*Showing 1 trace,/);
  assert.match(await app.text("nowhere"), /No traces match/);
  assert.match(await app.text('50%_\\ "'), /closing quote is missing/);
});

Deno.test("attributes that a span's panel shows as links find its trace, from entry, resource and spans below", async () => {
  await using app = await site();
  await app.send(...order());
  const keys = await listKeys(app.services.kv, app.projectId);
  const server = keys.find(({ type }) => type === "server")?.publicKey;
  const nanos = (agoMs: number) => String(BigInt(Date.now() - agoMs) * 1_000_000n);
  const attributes = (values: Record<string, string>) =>
    Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const [entry, query] = ["b7ad6b7169203331", "00f067aa0ba902b7"];
  const times = { startTimeUnixNano: nanos(2_000), endTimeUnixNano: nanos(1_000) };
  const spans = [
    {
      traceId,
      spanId: entry,
      name: "GET /cart",
      kind: 2,
      ...times,
      attributes: attributes({ "url.path": "/cart/7", "http.request.method": "GET", tier: "gold" }),
    },
    {
      traceId,
      spanId: query,
      parentSpanId: entry,
      name: "select",
      kind: 3,
      ...times,
      attributes: attributes({ "db.system": "postgresql", "db.statement": "select 7" }),
    },
  ];
  const resource = { attributes: attributes({ "service.name": "cart", team: "core" }) };
  const sent = await app.handle(
    new Request("http://localhost:8000/v1/traces", {
      method: "POST",
      headers: { authorization: `Bearer ${server}`, "content-type": "application/json" },
      body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }),
    }),
  );
  const answer = await sent.text();
  assert.equal(sent.status, 200, answer);

  const wanted = ["url.path:/cart/7", "team:core", "db.system:PostgreSQL", "db.system:postg*"];
  for (const search of [...wanted, "has:db.system.name", "has:team", "tier:gold team:c*"]) {
    assert.match(await app.text(search), /GET \/cart.*Showing 1 trace,/, search);
  }
  assert.match(await app.text("!team:core"), /POST \/orders.*Showing 1 trace,/);
  assert.match(await app.text("!db.system:postgresql"), /POST \/orders.*Showing 1 trace,/);
  assert.doesNotMatch(await app.text("team:other"), /GET \/cart.*Showing/);
  assert.match(
    await app.text("taem:core"),
    /None of the newest traces has the key taem; similar ones: .*\bteam\b/,
  );
  assert.doesNotMatch(await app.text("team:other"), /has the key/);

  const linked = new Set<string>();
  for (const span of [entry, query]) {
    const { html } = await app.owner.get(`${app.base}/${traceId}?span=${span}`);
    for (const [, href = ""] of html.matchAll(/href="([^"]*\/traces\?query=[^"]*)"/g)) {
      const search = new URL(href, "http://localhost").searchParams.get("query") ?? "";
      linked.add(search.replaceAll('"', ""));
      assert.match(
        textOf((await app.owner.get(href)).html),
        /GET \/cart.*Showing 1 trace,/,
        search,
      );
    }
  }
  for (
    const search of ["url.path:/cart/7", "team:core", "db.system.name:postgresql", "tier:gold"]
  ) {
    assert.ok(linked.has(search), `${search} is among ${[...linked].join(", ")}`);
  }
});

Deno.test("a trace id leads straight to the trace", async () => {
  await using app = await site();
  for (const query of [TRACE.toUpperCase(), `trace:${TRACE}`]) {
    const { status, location } = await app.owner.get(`${app.base}?query=${query}`);
    assert.deepEqual([status, location], [303, `${app.base}/${TRACE}`]);
  }
});

Deno.test("scope narrows the list, and pages keep it with the search", async () => {
  await using app = await site();
  const now = Date.now();
  await app.send(
    ...Array.from(
      { length: 60 },
      (_, index) =>
        transactionRecord({ name: `job ${index}.`, timestamp: new Date(now - index * 1000) }),
    ),
    transactionRecord({ name: "elsewhere", environment: "staging" }),
  );
  const { html } = await app.owner.get(`${app.base}?environment=production&query=job`);
  assert.match(textOf(html), /job 49\./);
  assert.doesNotMatch(textOf(html), /job 50\.|elsewhere/);
  const next = /href="([^"]*)" rel="next"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
  assert.match(next, /environment=production.*query=job/);
  const second = textOf((await app.owner.get(next)).html);
  assert.match(second, /job 50\..*job 59\..*Showing 10 traces/);
});

Deno.test("a project without traces is told how to send them; odd parameters do no harm", async () => {
  await using app = await site();
  assert.match(await app.text(), /No traces yet.*tracesSampleRate/);
  for (const query of ["cursor=x", "cursor=WzEsIjEiLCIyIl0", "query=%00", "range=x&start=y"]) {
    assert.equal((await app.owner.get(`${app.base}?${query}`)).status, 200, query);
  }
});

Deno.test("members of other organizations and strangers do not see the list", async () => {
  await using app = await site();
  await app.send(...order());
  const { kv } = app.services;
  const stranger = await person(kv, "stranger");
  await createOrganization(kv, { name: "Other", ownerId: stranger.id });
  const visitor = app.visitor();
  assert.equal((await visitor.get(app.base)).status, 303);
  await visitor.signIn(stranger.email);
  for (const path of [app.base, `${app.base}?query=trace:${TRACE}`]) {
    const answer = await visitor.get(path);
    assert.equal(answer.status, 404, path);
    assert.doesNotMatch(answer.html, /orders|stock/);
  }
  const viewer = await app.member("viewer");
  assert.equal((await viewer.visitor.get(app.base)).status, 200);
});
