import assert from "node:assert/strict";
import type { PprofLabel } from "@/lib/formats/pprof/encode.ts";
import type { EmbeddedProfile } from "@/lib/profiles/profile/load_profile.ts";
import type { FlameData } from "@/lib/ui/flamegraph/flame_tree.ts";
import { decodeFixture } from "../../lib/formats/sentry/profile_fixtures.ts";
import { decodeEnvelopeBytes } from "../../support/decode_events.ts";
import { newEventId } from "../../support/error_event.ts";
import { type KeptProfiles, keptProfiles } from "../../support/kept_profiles.ts";
import { spanBatchRecord, spanRecord, transactionRecord } from "../../support/records.ts";
import { textOf } from "../../support/ui_app.ts";

const TRACE = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";
const ROOT = "00000000000000a1";
const QUERY = "00000000000000a2";
const NAME = "POST /orders";

/** A trace that began 30 seconds ago: a second of a request, and in it 4 ms of a query. */
async function tracedShop(): Promise<KeptProfiles & { readonly start: number }> {
  const site = await keptProfiles();
  const start = Math.floor(Date.now() / 1_000) * 1_000 - 30_000;
  await site.keep(
    transactionRecord({
      traceId: TRACE,
      spanId: ROOT,
      name: NAME,
      service: "checkout",
      startedAt: new Date(start),
      timestamp: new Date(start + 1_000),
      durationMs: 1_000,
    }),
    spanBatchRecord({
      traceId: TRACE,
      service: "checkout",
      spans: [
        spanRecord({
          spanId: QUERY,
          parentSpanId: ROOT,
          description: "SELECT stock",
          start: start / 1_000 + 0.5,
          end: start / 1_000 + 0.504,
        }),
      ],
    }),
  );
  return { ...site, start };
}

const spanPage = (site: KeptProfiles, span: string) =>
  site.owner.get(`/projects/${site.projectId}/traces/${TRACE}?span=${span}`);

/** Of the panel of a span: what its link to the profile says. */
function profileLink(html: string): string {
  return /href="([^"]*\/profiling\/[0-9a-f]{32}[^"]*)"[^>]*>Open the/.exec(html)?.[1]
    ?.replaceAll("&amp;", "&") ?? "";
}

const traceLabels = (span?: string): PprofLabel[] => [
  { key: "trace_id", text: TRACE },
  ...span === undefined ? [] : [{ key: "span_id", text: span }],
];

Deno.test("a pprof that was uploaded with a trace id opens from the waterfall", async () => {
  await using site = await tracedShop();
  const [record] = await site.profiles({
    at: new Date(site.start - 2_000),
    service: "checkout",
    traceId: TRACE,
  });
  const page = await site.owner.get(`/projects/${site.projectId}/traces/${TRACE}`);
  const text = textOf(page.html);
  assert.match(text, /POST \/orders profile/);
  assert.match(text, /Profiles \(1\).*CPU profile checkout/);
  const panel = await spanPage(site, ROOT);
  assert.match(textOf(panel.html), /Profile CPU time, 2 samples, one every 10 ms/);
  assert.match(panel.html, /flame-icicle.*<title>main\.hash/s);
  const href = profileLink(panel.html);
  assert.equal(href, `${site.base}/${record?.profileId}`);
  assert.equal((await site.owner.get(href)).status, 200);
  assert.equal(profileLink((await spanPage(site, QUERY)).html), "");
});

Deno.test("samples that name a span are shown at it, and those only", async () => {
  await using site = await tracedShop();
  await site.profiles({
    at: new Date(site.start - 2_000),
    service: "checkout",
    samples: [
      { stack: ["main", "query"], values: [2n, 20_000_000n], labels: traceLabels(QUERY) },
      { stack: ["main", "render"], values: [3n, 30_000_000n], labels: traceLabels(ROOT) },
      { stack: ["main", "others"], values: [9n, 90_000_000n] },
    ],
  });
  const panel = await spanPage(site, QUERY);
  assert.match(textOf(panel.html), /CPU time, 1 sample, /);
  const href = profileLink(panel.html);
  assert.match(href, new RegExp(`trace=${TRACE}&span=${QUERY}$`));
  const embedded: EmbeddedProfile = JSON.parse(
    (await site.owner.get(href.replace("?", "/embedded?"))).html,
  );
  assert.deepEqual(embedded.data.frames.names.slice(1), ["main", "query"]);
  assert.deepEqual(embedded.data.totals, [20_000_000, 20_000_000, 20_000_000]);
  assert.match(textOf((await site.owner.get(href)).html), /1 sample of span 00000000000000a2/);
});

Deno.test("a span shorter than the time between two samples says so", async () => {
  await using site = await tracedShop();
  const profilerId = newEventId();
  const other = newEventId();
  await site.keep(transactionRecord({
    traceId: other,
    spanId: ROOT,
    name: NAME,
    service: "checkout",
    startedAt: new Date(site.start),
    timestamp: new Date(site.start + 4),
    durationMs: 4,
    profilerId,
  }));
  const [chunk] = await site.profiles({
    at: new Date(site.start - 1_000),
    source: "sentry_sample_v2",
    service: "checkout",
    profilerId,
    samples: [0n, 10n, 20n].map((offset) => ({
      stack: ["run"],
      values: [1n, 10_000_000n],
      labels: [{ key: "offset", number: offset * 1_000_000n, unit: "nanoseconds" }],
    })),
    head: {
      sampleTypes: [{ type: "samples", unit: "count" }, { type: "wall", unit: "nanoseconds" }],
    },
  });
  assert.ok(chunk);
  const page = await site.owner.get(`/projects/${site.projectId}/traces/${other}?span=${ROOT}`);
  assert.match(
    textOf(page.html),
    /It took 4 ms, less than the 10 ms between two samples: whether one falls into it/,
  );
  assert.match(profileLink(page.html), new RegExp(`profiler=${profilerId}&from=`));
});

Deno.test("profiles of stock SDKs open from the span of their transaction", async () => {
  await using site = await keptProfiles();
  for (
    const name of [
      "node-10.22.0-v1",
      "python-2.75.0-v1",
      "node-10.78.0-v2",
      "python-2.75.0-v2",
    ] as const
  ) {
    const { records } = decodeFixture(name);
    await site.keep(...records);
    const transaction = records.find((record) => record.kind === "transaction");
    if (transaction?.kind !== "transaction") continue;
    const path = `/projects/${site.projectId}/traces/${transaction.traceId}`;
    const panel = await site.owner.get(`${path}?span=${transaction.spanId}`);
    assert.match(textOf(panel.html), /Profile Wall time, [\d,]+ samples/, name);
    assert.match(panel.html, /<title>[^<]*price_?of/i, name);
    const href = profileLink(panel.html);
    const graph: FlameData = JSON.parse(
      (await site.owner.get(href.replace("?", "/flamegraph?"))).html,
    );
    assert.ok((graph.totals[0] ?? 0) > 0, name);
  }
});

Deno.test("a profile that has expired leaves the span's panel as it is", async () => {
  await using site = await tracedShop();
  const [record] = await site.profiles({ at: new Date(site.start), traceId: TRACE });
  assert.ok(record);
  await site.services.objects.delete(record.blob.key);
  const panel = await spanPage(site, ROOT);
  assert.equal(panel.status, 200);
  assert.match(textOf(panel.html), /The profile could not be read/);
});

const summary = (site: KeptProfiles) =>
  site.owner.get(
    `/projects/${site.projectId}/transactions/summary?name=${encodeURIComponent(NAME)}&wait=1`,
  );

Deno.test("the page of a transaction shows where its time goes in code", async () => {
  await using site = await tracedShop();
  assert.doesNotMatch(textOf((await summary(site)).html), /Where the time goes in code/);
  await site.profiles(
    { at: new Date(site.start), transaction: NAME },
    { at: new Date(site.start + 10), transaction: NAME },
    { at: new Date(site.start), transaction: "GET /health" },
  );
  const { html } = await summary(site);
  assert.match(textOf(html), /Where the time goes in code CPU time\. Sum of 2 profiles\./);
  assert.match(html, /<title>main\.hash, [^<]*60 ms/);
  assert.match(
    html,
    /\/profiling\?transaction=POST\+%2Forders&amp;profile_type=cpu%3Acpu%3Ananoseconds/,
  );
  const path = `/projects/${site.projectId}/transactions/flamegraph`;
  const graph: FlameData = JSON.parse(
    (await site.owner.get(`${path}?name=${encodeURIComponent(NAME)}`)).html,
  );
  assert.equal(graph.totals[0], 80_000_000);
  const nothing = await site.owner.get(`${path}?name=nothing`);
  assert.deepEqual([nothing.status, JSON.parse(nothing.html).totals], [200, []]);
  assert.equal((await site.owner.get(path)).status, 400);
  assert.equal((await site.visitor().get(`${path}?name=x`)).status, 303);
});

Deno.test("of threads that only wait beside a transaction its code shows nothing", async () => {
  await using site = await keptProfiles();
  const sent = new URL("../../fixtures/sentry_profiles/python-2.75.0-v1.envelope", import.meta.url);
  // It says when it was sent, so that its times move to when it is received.
  const { records } = decodeEnvelopeBytes(await Deno.readFile(sent), { receivedAt: new Date() });
  await site.keep(...records);
  const path = `/projects/${site.projectId}/transactions/summary?name=checkout&wait=1`;
  const { html } = await site.owner.get(path);
  assert.match(textOf(html), /Wall time of the threads that ran them\. One profile\./);
  assert.match(html, /<title>Cart\.price_of, /);
  assert.doesNotMatch(html, /<title>(?:idle|Thread\._bootstrap), /);
  const [, href = ""] = /href="([^"]*)"[^>]*>Open in Profiling/.exec(html) ?? [];
  const profiling = await site.owner.get(`${href.replaceAll("&amp;", "&")}&wait=1`);
  assert.match(profiling.html, /<title>Cart\.price_of, /);
  assert.doesNotMatch(profiling.html, /<title>(?:idle|Thread\._bootstrap), /);
});

Deno.test("profiles that name the traces of a transaction are in its code as well", async () => {
  await using site = await tracedShop();
  await site.profiles({
    at: new Date(site.start),
    service: "checkout",
    samples: [
      { stack: ["main", "order"], values: [2n, 20_000_000n], labels: traceLabels() },
      { stack: ["main", "others"], values: [9n, 90_000_000n] },
    ],
  });
  const { html } = await summary(site);
  assert.match(html, /<title>order, /);
  assert.doesNotMatch(html, /<title>others, /);
});
