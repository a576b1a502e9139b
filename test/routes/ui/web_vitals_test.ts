import assert from "node:assert/strict";
import { createOrganization } from "../../support/organizations.ts";
import type { TelemetryRecord } from "@/lib/records/mod.ts";
import { person } from "../../support/people.ts";
import { spanBatchRecord, spanRecord, transactionRecord } from "../../support/records.ts";
import { shop } from "../../support/shop.ts";
import { textOf } from "../../support/ui_app.ts";

const TRACE = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";
const DAY_MS = 86_400_000;

async function site() {
  const made = await shop();
  const base = `/projects/${made.projectId}/web-vitals`;
  return {
    ...made,
    base,
    send: (...records: TelemetryRecord[]) =>
      made.services.writer.commit(made.projectId, { records, outcomes: [] }),
    text: async (rest = "") => textOf((await made.owner.get(base + rest)).html),
  };
}

function visit(
  name: string,
  vitals: Readonly<Record<string, number>>,
  fields: Partial<Parameters<typeof transactionRecord>[0]> = {},
) {
  return transactionRecord({
    name,
    op: "pageload",
    platform: "javascript",
    tags: [["browser.name", "Firefox"], ["user.geo.country_code", "DE"]],
    measurements: Object.entries(vitals).map(([vital, value]) => ({
      name: vital,
      value,
      unit: vital === "cls" ? "" : "millisecond",
    })),
    ...fields,
  });
}

Deno.test("pages are listed with their vitals, rated in words, against the time before", async () => {
  await using app = await site();
  const earlier = new Date(Date.now() - 20 * DAY_MS);
  await app.send(
    visit("/cart", { lcp: 1_000, cls: 0.3, inp: 100 }),
    visit("/cart", { lcp: 1_000, cls: 0.3, inp: 100 }, { clientSampleRate: 0.5 }),
    visit("/<b>x", { lcp: 9_000, fcp: 2_000 }),
    visit("/cart", { lcp: 500 }, { timestamp: earlier }),
  );
  const { status, html } = await app.owner.get(app.base);
  assert.equal(status, 200);
  assert.doesNotMatch(html, /\/<b>x/);
  assert.match(html, /<title>Web Vitals · Shop/);
  const text = textOf(html);
  assert.match(text, /LCP \(p75\).*poor.*more.*Good ?66\.7% Needs improvement ?0\.0% Poor ?33\.3%/);
  assert.match(text, /TTFB \(p75\) – Not measured/);
  assert.match(text, /\/cart 3 997 ms good 100 ms good 0\.30 poor – – 85 needs improvement/);
  assert.match(text, /Showing 1–2 of 2 pages/);
});

Deno.test("the list is searched and sorted; what is not known is ignored", async () => {
  await using app = await site();
  await app.send(
    visit("/fast", { lcp: 500 }),
    visit("/fast", { lcp: 500 }),
    visit("/slow", { lcp: 9_000 }),
  );
  const order = async (rest: string) =>
    [...(await app.text(rest)).matchAll(/\/(fast|slow) \d/g)].map(([, name]) => name);
  assert.deepEqual(await order(""), ["fast", "slow"]);
  assert.deepEqual(await order("?sort=-lcp"), ["slow", "fast"]);
  assert.deepEqual(await order("?sort=-score&page=99"), ["fast", "slow"]);
  assert.deepEqual(await order("?sort=nonsense&page=x"), ["fast", "slow"]);
  assert.deepEqual(await order("?query=SLO"), ["slow"]);
  assert.match(await app.text("?query=nowhere"), /No pages match/);
});

Deno.test("a page shows its vitals over time, for whom, and its slowest visits", async () => {
  await using app = await site();
  await app.send(
    visit("/cart", { lcp: 3_000, cls: 0 }, { traceId: TRACE, user: "id:7" }),
    visit("/cart", { lcp: 1_000, cls: 0.2 }),
    visit("/other", { lcp: 8_000 }),
  );
  const path = `${app.base}/page?name=/cart`;
  const { status, html } = await app.owner.get(path);
  assert.equal(status, 200);
  assert.match(html, new RegExp(`/traces/${TRACE}\\?span=`));
  const text = textOf(html);
  assert.match(html, />good up to 2\.5 s<\/text>/);
  assert.match(text, /How LCP is spread ?2 visits.*By browser.*Firefox 2.*By country.*Germany 2/);
  assert.match(text, /Slowest visits.*3 s needs improvement.*id:7.*1 s good/);
  assert.doesNotMatch(text, /8 s/);
  const narrowed = await app.text("/page?name=/cart&vital=lcp&min=1000&max=3000");
  assert.match(narrowed, /Those with LCP of 1 s to 3 s\..*id:7/);
  assert.doesNotMatch(narrowed.slice(narrowed.indexOf("Those with")), /1 s good/);
  assert.match(await app.text("/page?name=/cart&vital=cls"), /How CLS is spread.*0\.20 needs/);
});

Deno.test("vitals that come as spans have no visit, but a trace of when it was slow", async () => {
  await using app = await site();
  const lcp = { name: "lcp", value: 5_000, unit: "millisecond" };
  const span = spanRecord({ category: "", group: "", measurements: [lcp] });
  await app.send(spanBatchRecord({ traceId: TRACE, transaction: "/streamed", spans: [span] }));
  const { html } = await app.owner.get(`${app.base}/page?name=/streamed`);
  assert.match(textOf(html), /When it was slow.*poor/);
  assert.match(html, new RegExp(`/traces/${TRACE}"`));
});

Deno.test("without vitals the pages say how browsers come to send them", async () => {
  await using app = await site();
  assert.match(await app.text(), /No Web Vitals in this time.*browserTracingIntegration/);
  assert.match(await app.text("?environment=x"), /No pages match/);
  assert.match(await app.text("/page?name=nowhere"), /No pages match/);
  const { status, location } = await app.owner.get(`${app.base}/page`);
  assert.deepEqual([status, location], [302, app.base]);
});

Deno.test("odd parameters never break a page", async () => {
  await using app = await site();
  await app.send(visit("/cart", { lcp: 3_000 }));
  const odd = [
    "vital=x",
    "min=a&max=b",
    "min=5&max=1",
    "min=0&max=1e300",
    "vital=inp&min=1",
    "range=x",
  ];
  for (const query of odd) {
    const answer = await app.owner.get(`${app.base}/page?name=/cart&${query}`);
    assert.equal(answer.status, 200, query);
  }
  assert.equal((await app.owner.get(`${app.base}/page?name=%00`)).status, 200);
  assert.equal((await app.owner.get(`${app.base}?query=%00%25`)).status, 200);
});

Deno.test("members of other organizations and strangers see no vitals", async () => {
  await using app = await site();
  await app.send(visit("/secret", { lcp: 3_000 }));
  const { kv } = app.services;
  const stranger = await person(kv, "stranger");
  await createOrganization(kv, { name: "Other", ownerId: stranger.id });
  const visitor = app.visitor();
  const paths = [app.base, `${app.base}/page?name=/secret`];
  for (const path of paths) assert.equal((await visitor.get(path)).status, 303, path);
  await visitor.signIn(stranger.email);
  for (const path of paths) {
    const answer = await visitor.get(path);
    assert.equal(answer.status, 404, path);
    assert.doesNotMatch(answer.html, /3 s/);
  }
  const viewer = await app.member("viewer");
  for (const path of paths) assert.equal((await viewer.visitor.get(path)).status, 200, path);
});
