import assert from "node:assert/strict";
import { createOrganization } from "../../support/organizations.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import type { TelemetryRecord } from "@/lib/records/mod.ts";
import { traceModel } from "@/lib/traces/waterfall/trace_model.ts";
import { unpackTrace } from "@/lib/traces/waterfall/compact_trace.ts";
import { errorEvent } from "../../support/error_event.ts";
import { person } from "../../support/people.ts";
import { logRecord, spanBatchRecord, spanRecord } from "../../support/records.ts";
import { shop } from "../../support/shop.ts";
import { textOf } from "../../support/ui_app.ts";

const TRACE = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";
const ROOT = "00000000000000a1";
const QUERY = "00000000000000a2";

/** A project with one trace of two spans, an error and a log. */
async function tracedShop() {
  const site = await shop();
  const end = Date.now() / 1_000;
  const event = errorEvent({ traceId: TRACE, spanId: QUERY, title: "Error: no stock" });
  const records: TelemetryRecord[] = [
    spanBatchRecord({
      traceId: TRACE,
      service: "checkout",
      resource: { "host.name": "web-1" },
      spans: [
        spanRecord({
          spanId: ROOT,
          description: "POST /orders",
          op: "http.server",
          category: "",
          start: end - 2,
          end,
        }),
        spanRecord({
          spanId: QUERY,
          parentSpanId: ROOT,
          description: "SELECT * FROM stock",
          start: end - 1.5,
          end: end - 1,
          data: { "db.system.name": "postgresql" },
        }),
      ],
    }),
    event,
    logRecord({ traceId: TRACE, spanId: QUERY, body: "Looking for stock" }),
  ];
  await site.services.writer.commit(site.projectId, { records, outcomes: [] });
  return { ...site, event, base: `/projects/${site.projectId}/traces/${TRACE}` };
}

Deno.test("a trace shows its spans, errors and logs on one page", async () => {
  await using site = await tracedShop();
  const answer = await site.owner.get(site.base);
  assert.equal(answer.status, 200);
  const text = textOf(answer.html);
  assert.match(text, /POST \/orders.*Duration 2 s.*Spans 2/);
  assert.match(text, /SELECT \* FROM stock/);
  assert.match(text, /Errors \(1\).*Error: no stock.*Logs \(1\).*Looking for stock/);
  assert.match(answer.html, new RegExp(`/events/${site.event.eventId}"`));
  assert.match(answer.html, /<title>[^<]*POST \/orders/);
});

Deno.test("an id in capitals and with hyphens finds its trace", async () => {
  await using site = await tracedShop();
  const uuid = "5F2A1C3D-4E5F-6071-8293-A4B5C6D7E8F9";
  assert.equal((await site.owner.get(site.base.replace(TRACE, uuid))).status, 200);
});

Deno.test("the panel of a span is open when the address names it", async () => {
  await using site = await tracedShop();
  const text = textOf((await site.owner.get(`${site.base}?span=${QUERY}`)).html);
  assert.match(text, /500 ms 25\.0% of the trace/);
  assert.match(text, /Attributes db\.system\.name postgresql/);
  assert.match(text, /Resource host\.name web-1/);
  assert.equal((await site.owner.get(`${site.base}?span=<script>`)).status, 200);
});

Deno.test("a trace carries the scope from its list to where its reader goes next", async () => {
  await using site = await tracedShop();
  const list = site.base.replace(`/${TRACE}`, "");
  const scope = "environment=production&range=24h";
  const found = await site.owner.get(`${list}?${scope}&query=${TRACE}`);
  assert.equal(found.location, `${site.base}?${scope}`);
  const { html } = await site.owner.get(`${site.base}?${scope}`);
  const escaped = scope.replace("&", "&amp;");
  assert.ok(html.includes(`href="${list}?${escaped}"`), "the list");
  assert.ok(html.includes(`href="${site.base}?${escaped}&amp;span=${QUERY}"`), "a span");
});

Deno.test("errors and logs of a trace tell how long after its start they happened", async () => {
  await using site = await tracedShop();
  const text = textOf((await site.owner.get(site.base)).html);
  assert.match(text, /Errors \(1\).*\+(?:2|1\.9\d*|2\.\d+) s.*Logs \(1\).*\+[\d.]+ s/);
});

Deno.test("the script reads the whole trace, and one span with all it carries", async () => {
  await using site = await tracedShop();
  const data = await site.owner.get(`${site.base}/data`);
  assert.equal(data.headers.get("x-content-type-options"), "nosniff");
  assert.match(data.headers.get("cache-control") ?? "", /private/);
  const model = traceModel(unpackTrace(JSON.parse(data.html)));
  assert.deepEqual(model.nodes.map(({ key, depth }) => [key, depth]), [[ROOT, 0], [QUERY, 1]]);
  assert.deepEqual(model.marks.map(({ kind, node }) => [kind, node]), [["error", 1], ["log", 1]]);
  const detail = JSON.parse((await site.owner.get(`${site.base}/spans/${QUERY}`)).html);
  assert.deepEqual(detail.attributes, { "db.system.name": "postgresql" });
  assert.deepEqual(detail.resource, { "host.name": "web-1" });
});

Deno.test("what is not stored is not found, and the page says why that may be", async () => {
  await using site = await tracedShop();
  const unknown = site.base.replace(TRACE, "a".repeat(32));
  const answer = await site.owner.get(unknown);
  assert.equal(answer.status, 404);
  assert.match(textOf(answer.html), /Nothing is stored under this trace id.*sampled.*sent/);
  const list = site.base.replace(`/${TRACE}`, "");
  assert.ok(answer.html.includes(`href="${list}"`), "the way back");
  const malformed = await site.owner.get(`${list}/xyz?range=1h`);
  assert.match(textOf(malformed.html), /A trace id has 32 hexadecimal digits/);
  assert.ok(malformed.html.includes(`href="${list}?range=1h"`));
  for (const id of ["0".repeat(32), "xyz", TRACE.slice(1), `${TRACE}0`, "%00", "..%2f.."]) {
    const path = site.base.replace(TRACE, id);
    assert.equal((await site.owner.get(path)).status, 404, id);
    assert.equal((await site.owner.get(`${path}/data`)).status, 404, id);
    assert.equal((await site.owner.get(`${path}/spans/${QUERY}`)).status, 404, id);
  }
  for (const span of ["b".repeat(16), "0".repeat(16), "nothing", QUERY.slice(1)]) {
    assert.equal((await site.owner.get(`${site.base}/spans/${span}`)).status, 404, span);
  }
});

Deno.test("members of other organizations and strangers see nothing of a trace", async () => {
  await using site = await tracedShop();
  const { kv } = site.services;
  const stranger = await person(kv, "stranger");
  await createOrganization(kv, { name: "Other", ownerId: stranger.id });
  const visitor = site.visitor();
  const paths = [site.base, `${site.base}/data`, `${site.base}/spans/${QUERY}`];
  for (const path of paths) {
    const answer = await visitor.get(path);
    assert.equal(answer.status, 303, path);
    assert.match(answer.location ?? "", /^\/sign-in/);
  }
  await visitor.signIn(stranger.email);
  for (const path of paths) {
    const answer = await visitor.get(path);
    assert.equal(answer.status, 404, path);
    assert.doesNotMatch(answer.html, /stock|orders/);
  }
  const viewer = await site.member("viewer");
  for (const path of paths) assert.equal((await viewer.visitor.get(path)).status, 200, path);
});

Deno.test("a trace opens from every project of its organization, and from none of another", async () => {
  await using site = await tracedShop();
  const { kv, writer } = site.services;
  const project = { name: "Back end", platform: "node" };
  const other = await createProject(kv, { ...project, organizationId: site.organization.id });
  const start = Date.now() / 1_000 - 1.2;
  const served = spanRecord({
    spanId: "00000000000000b1",
    parentSpanId: QUERY,
    description: "POST /reserve",
    data: { "server.port": 8081 },
    start,
    end: start + 0.1,
  });
  await writer.commit(other.id, {
    records: [spanBatchRecord({ traceId: TRACE, spans: [served] })],
    outcomes: [],
  });
  const stranger = await person(kv, "stranger");
  const foreign = await createOrganization(kv, { name: "Other", ownerId: stranger.id });
  const theirs = await createProject(kv, { ...project, organizationId: foreign.id });
  await writer.commit(theirs.id, {
    records: [
      spanBatchRecord({ traceId: TRACE, spans: [spanRecord({ description: "their secret" })] }),
    ],
    outcomes: [],
  });
  const inProject = (id: string) => site.base.replace(/projects\/\d+/, `projects/${id}`);
  for (const path of [site.base, inProject(other.id)]) {
    const { html, status } = await site.owner.get(path);
    assert.equal(status, 200);
    assert.match(textOf(html), /POST \/orders.*Spans 3.*Projects.*POST \/reserve/);
    assert.doesNotMatch(html, /their secret|root span is missing/);
    const data = JSON.parse((await site.owner.get(`${path}/data`)).html);
    assert.equal(unpackTrace(data).spans.length, 3);
  }
  const panel = await site.owner.get(`${site.base}?span=${served.spanId}`);
  assert.match(textOf(panel.html), /Project Back end.*Attributes server\.port 8081/);
  const visitor = site.visitor();
  await visitor.signIn(stranger.email);
  const own = await visitor.get(inProject(theirs.id));
  assert.match(textOf(own.html), /their secret/);
  assert.doesNotMatch(textOf(own.html), /POST|stock|reserve/);
  for (const id of [other.id, site.projectId]) {
    assert.equal((await visitor.get(`${inProject(id)}/spans/${served.spanId}`)).status, 404);
  }
});
