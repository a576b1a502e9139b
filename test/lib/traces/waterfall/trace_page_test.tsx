import assert from "node:assert/strict";
import type { Project } from "@/lib/accounts/projects.ts";
import type { TraceSpanDetail } from "@/lib/traces/trace_types.ts";
import type { Shell } from "@/lib/ui/shell.ts";
import { traceModel } from "@/lib/traces/waterfall/trace_model.ts";
import { packTrace } from "@/lib/traces/waterfall/compact_trace.ts";
import type { SpanReading } from "@/lib/traces/waterfall/span_panel.tsx";
import { PACKED_SPANS, TracePage } from "@/lib/traces/waterfall/trace_page.tsx";
import { gzipSize, rendered } from "@/test/support/rendered.ts";
import {
  deepTrace,
  largeTrace,
  type MadeTrace,
  orderTrace,
  span,
  START,
  trace,
  TRACE_ID,
} from "./traces.ts";

const PROJECT: Project = {
  id: "7",
  organizationId: "1",
  slug: "shop",
  name: "Shop",
  platform: "node",
  createdAt: new Date(START),
  firstEventAt: null,
};
const SHELL: Shell = {
  user: null,
  organizations: [],
  project: null,
  recent: [],
  theme: "system",
  isRailNarrow: false,
  path: "/",
  flash: null,
  isInstanceAdmin: false,
  banners: [],
};
const MAX_GZIP_BYTES = 60 * 1024;

interface Asked {
  readonly projects?: readonly Project[];
  readonly openKey?: string;
  readonly reading?: SpanReading;
  readonly unfoldsGroups?: boolean;
  readonly now?: Date;
}

function pageOf(sent: MadeTrace, asked: Asked = {}): Promise<string> {
  return rendered(
    <TracePage
      shell={SHELL}
      project={PROJECT}
      trace={sent}
      projects={asked.projects ?? [PROJECT]}
      model={traceModel(sent)}
      openKey={asked.openKey ?? null}
      reading={asked.reading ?? { kind: "none" }}
      profile={{ kind: "none" }}
      unfoldsGroups={asked.unfoldsGroups ?? false}
      scopeSearch=""
      packed={sent.spans.length <= PACKED_SPANS ? JSON.stringify(packTrace(sent)) : null}
      now={asked.now ?? new Date(START + 3_600_000)}
    />,
  );
}

function rowsIn(html: string): string[] {
  return [
    ...html.matchAll(/<div role="row" id="trace-row-\d+".*?(?=<div role="row"|<\/section>)/gs),
  ]
    .map(([row]) => row);
}

function detail(fields: Partial<TraceSpanDetail> = {}): TraceSpanDetail {
  const [first] = orderTrace().spans;
  if (!first) throw new Error("The trace has no span");
  return {
    ...first,
    attributes: {},
    resource: {},
    measurements: [],
    events: [],
    links: [],
    sdk: "",
    origin: "",
    ...fields,
  };
}

Deno.test("the head tells which trace, when, how long, how many spans, which services", async () => {
  const html = await pageOf(orderTrace());
  assert.match(html, /<h1[^>]*><bdi>\/checkout<\/bdi>/);
  assert.match(html, new RegExp(`<code id="trace-id"[^>]*>${TRACE_ID}`));
  assert.match(html, /data-copy="trace-id"/);
  assert.match(html, /2026-11-21 08:05:09 UTC/);
  assert.match(html, /<dd[^>]*>2\.6 s<\/dd>/);
  assert.match(html, /25<span[^>]*>3 failed/);
  assert.match(html, /href="#errors">1 error</);
  assert.match(html, /trace-c4[^>]*title="2 spans">.*?mailer/s);
});

Deno.test("rows are a tree grid of links, which say level, state and time in words", async () => {
  const rows = rowsIn(await pageOf(orderTrace()));
  assert.equal(rows.length, 15);
  const [root = "", script = ""] = rows;
  assert.match(root, /aria-rowindex="2" aria-level="1" aria-expanded="true"/);
  assert.match(script, /aria-level="2"/);
  assert.doesNotMatch(script, /aria-expanded/);
  assert.match(script, /href="\/projects\/7\/traces\/5f2a[0-9a-f]*\?span=b000000000000002"/);
  assert.match(script, /from 12 ms/);
  const group = rows.find((row) => row.includes("12 ×")) ?? "";
  assert.match(group, /aria-expanded="false"/);
  assert.match(group, /1 failed/);
  const charge = rows.find((row) => row.includes("charge card")) ?? "";
  assert.match(charge, /<span class="sr-only">failed<\/span>/);
  assert.match(charge, /1 error/);
});

Deno.test("similar spans can be unfolded without script", async () => {
  assert.match(await pageOf(orderTrace()), /href="[^"]*\?groups=open">Unfold similar spans/);
  const html = await pageOf(orderTrace(), { unfoldsGroups: true });
  assert.equal(rowsIn(html).length, 27);
  assert.match(html, /href="\/projects\/7\/traces\/[0-9a-f]+">Fold similar spans/);
  assert.match(html, /\?span=b000000000000002&amp;groups=open/);
});

Deno.test("no style attribute is written, since the content security policy refuses it", async () => {
  assert.doesNotMatch(await pageOf(orderTrace()), / style="/);
});

Deno.test("the panel shows what a span carries, and where else it leads", async () => {
  const html = await pageOf(orderTrace(), {
    openKey: "c000000000000004",
    reading: {
      kind: "read",
      detail: detail({
        start: START + 5_200,
        startNanos: String(BigInt(START + 5_200) * 1_000_000n),
        environment: "staging",
        attributes: { "payment.provider": "acme", z: { a: [1] }, "<b>": "<script>x</script>" },
        resource: { "host.name": "web-1" },
        measurements: [
          { name: "lcp", value: 1_200, unit: "millisecond" },
          { name: "size", value: 2_048, unit: "byte" },
        ],
        events: [{ time: (START + 5_210) / 1_000, name: "retry", attributes: { attempt: 2 } }],
        links: [{ traceId: "a".repeat(32), spanId: "b".repeat(16), attributes: {} }],
      }),
    },
  });
  const panel = /<aside.*<\/aside>/s.exec(html)?.[0] ?? "";
  assert.match(panel, /<h2[^>]*>charge card/);
  assert.match(panel, /440 ms.*16\.9% of the trace.*420 ms.*95\.5% of it/s);
  assert.match(panel, /drawn 4 s earlier/);
  assert.match(panel, /internal_error \(failed\)/);
  assert.match(panel, /2026-11-21 08:05:14\.200 UTC/);
  assert.match(panel, /staging/);
  assert.match(panel, /payment\.provider.*acme/s);
  assert.match(panel, /&lt;script>|&lt;script&gt;/);
  assert.match(panel, /lcp.*1\.2 s.*size.*2 KiB/s);
  assert.match(panel, /10 ms.*retry.*attempt/s);
  assert.match(panel, new RegExp(`/projects/7/traces/${"a".repeat(32)}\\?span=${"b".repeat(16)}`));
  assert.match(panel, new RegExp(`/projects/7/issues/12/events/${"e".repeat(32)}`));
  assert.match(panel, /Retrying the charge.*Charge failed/s);
  assert.match(panel, /aria-label="Close the span"/);
});

Deno.test("groups and missing parents have panels that explain them", async () => {
  const group = await pageOf(orderTrace(), { openKey: "group-c000000000000100" });
  assert.match(group, /<aside.*12 × SELECT.*264 ms.*22 ms.*<\/aside>/s);
  const missing = await pageOf(orderTrace(), { openKey: "missing-f0000000000000ff" });
  assert.match(missing, /<aside.*nothing with this id is stored.*<\/aside>/s);
  assert.doesNotMatch(await pageOf(orderTrace(), { openKey: "nobody" }), /<aside/);
});

Deno.test("errors, logs and profiles of the trace are listed with links", async () => {
  const html = await pageOf(orderTrace());
  assert.match(html, new RegExp(`href="/projects/7/issues/12/events/${"e".repeat(32)}"`));
  assert.match(
    html,
    new RegExp(`href="/projects/7/logs\\?query=trace%3A${TRACE_ID}&amp;start=[^"]+&amp;end=`),
  );
  assert.match(
    html,
    new RegExp(`href="/projects/7/issues\\?query=trace%3A${TRACE_ID}&amp;start=[^"]+&amp;end=`),
  );
  assert.match(html, /Worker woke up/);
  assert.match(html, new RegExp(`href="/projects/7/profiling/${"9".repeat(32)}"[^>]*>CPU profile`));
  assert.match(html, /482 ms/);
});

Deno.test("a trace of which only errors and logs are stored says why there is no waterfall", async () => {
  const html = await pageOf({ ...orderTrace(), spans: [] });
  assert.match(html, /<h1[^>]*><bdi>PaymentDeclined/);
  assert.match(html, /No spans of this trace/);
  assert.doesNotMatch(html, /treegrid/);
});

Deno.test("a root that is missing may still come at first, and later it will not", async () => {
  const orphan = trace([span("a000000000000001", "a0000000000000ff", [0, 10])]);
  assert.match(
    await pageOf(orphan, { now: new Date(START + 1_000) }),
    /root span has not arrived yet/,
  );
  assert.match(await pageOf(orphan), /root span is missing/);
});

Deno.test("parts of several projects name theirs, and lead to it", async () => {
  const parts = trace([
    span("a000000000000001", null, [0, 100], { service: "web" }),
    {
      ...span("a000000000000002", "a000000000000001", [10, 90], { service: "api" }),
      projectId: "8",
    },
    {
      ...span("a000000000000003", "a000000000000002", [20, 30], { service: "api" }),
      projectId: "8",
    },
  ], { projects: [{ id: "7", name: "Shop" }, { id: "8", name: "Back end" }] });
  const projects = [PROJECT, { ...PROJECT, id: "8", name: "Back end" }];
  const html = await pageOf(parts, { projects, openKey: "a000000000000003" });
  assert.match(html, new RegExp(`Projects.*href="/projects/8/traces/${TRACE_ID}`, "s"));
  assert.match(html, new RegExp(`<aside.*href="/projects/8/traces/${TRACE_ID}">Back end</a>`, "s"));
  // On the row where another project begins.
  assert.deepEqual(
    [...html.matchAll(/trace-service">([^<]*)</g)].map(([, name]) => name),
    ["Shop", "Back end"],
  );
  const one = await pageOf(orderTrace());
  assert.doesNotMatch(one, /Projects<\/dt>/);
});

Deno.test("spans of projects that the reader may not see are counted", async () => {
  const orphan = trace([span("a000000000000001", "a0000000000000ff", [0, 10])], { hiddenSpans: 3 });
  const html = await pageOf(orphan);
  assert.match(html, /3 spans of this trace are in projects you cannot see/);
  assert.match(html, /root span is missing: it was not sent, or is in a project you cannot see/);
  const alone = await pageOf(trace([span("a000000000000001", "a0000000000000ff", [0, 10])]));
  assert.match(alone, /or belongs to a program that does not report to this organization/);
});

Deno.test("names that hide or mislead are made visible", async () => {
  const html = await pageOf(trace([
    span("a000000000000001", null, [0, 10], { title: "\u202egnp.exe\u0007", service: "<i>" }),
  ]));
  assert.match(html, /\[U\+202E\]gnp\.exe␇/);
  assert.doesNotMatch(html, /<i>/);
});

Deno.test("the largest and deepest traces make a page for a phone", async () => {
  for (const large of [largeTrace(10_000), deepTrace(10_000), largeTrace(PACKED_SPANS)]) {
    const html = await pageOf(large);
    assert.ok(rowsIn(html).length <= 300);
    assert.ok(await gzipSize(html) < MAX_GZIP_BYTES, `${await gzipSize(html)} bytes`);
  }
  assert.match(await pageOf(largeTrace(10_000)), /The first 300 of [\d,]+ rows/);
});

Deno.test("a span with a megabyte of attributes makes a page for a phone", async () => {
  const attributes = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [
    `key.${index}`,
    `${index} lorem ipsum dolor sit amet `.repeat(20),
  ]));
  const html = await pageOf(orderTrace(), {
    openKey: "c000000000000004",
    reading: { kind: "read", detail: detail({ attributes }) },
  });
  assert.match(html, /more are stored/);
  assert.ok(await gzipSize(html) < MAX_GZIP_BYTES);
});
