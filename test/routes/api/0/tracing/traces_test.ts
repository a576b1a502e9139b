import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import { errorEvent, newEventId } from "@/test/support/error_event.ts";
import {
  logRecord,
  profileRecord,
  spanBatchRecord,
  spanRecord,
  transactionRecord,
} from "@/test/support/records.ts";
import { tracedApi } from "@/test/support/traced_api.ts";

interface TraceAnswer {
  readonly id: string;
  readonly name: string;
  readonly duration: number;
  readonly entries: number;
  readonly errors: number;
  readonly services: string[];
}

interface SpanAnswer {
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly title: string;
  readonly start: number;
  readonly duration: number;
  readonly service: string;
  readonly attributes?: Record<string, unknown>;
  readonly events?: { time: number; name: string }[];
  readonly resource?: number | null;
}

interface FullTraceAnswer {
  readonly id: string;
  readonly isCut: boolean;
  readonly duration: number | null;
  readonly spans: SpanAnswer[];
  readonly errors: { issueId: string; title: string }[];
  readonly logs: { body: string }[];
  readonly profiles: { profileId: string; duration: number }[];
  readonly resources?: Record<string, unknown>[];
}

interface WholeTraceAnswer extends FullTraceAnswer {
  readonly spans: (SpanAnswer & { readonly projectId: string })[];
  readonly projects: { readonly id: string; readonly slug: string }[];
  readonly hidden: { readonly projects: number; readonly spans: number };
}

const TRACE = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";
const ROOT = "00000000000000a1";
const QUERY = "00000000000000a2";

/** One trace: a transaction of a Sentry SDK, a span of OpenTelemetry below it, an error, a log and a profile. */
async function oneTrace() {
  const api = await tracedApi();
  const end = Date.now() / 1_000;
  const records = [
    transactionRecord({
      traceId: TRACE,
      spanId: ROOT,
      name: "POST /orders",
      service: "web",
      startedAt: new Date((end - 2) * 1_000),
      durationMs: 2_000,
      tags: [["plan", "gold"]],
      payload: JSON.stringify({
        request: { url: "https://shop.example/orders" },
        contexts: { trace: { data: { "http.route": "/orders" } } },
      }),
    }),
    spanBatchRecord({
      traceId: TRACE,
      service: "stock",
      resource: { "host.name": "db-1" },
      spans: [
        spanRecord({
          spanId: QUERY,
          parentSpanId: ROOT,
          description: "SELECT * FROM stock",
          start: end - 1.5,
          end: end - 1,
          events: [{ time: end - 1.25, name: "retry", attributes: { attempt: 2 } }],
        }),
      ],
    }),
    errorEvent({ traceId: TRACE, spanId: QUERY, title: "Error: no stock" }),
    logRecord({ traceId: TRACE, spanId: QUERY, body: "Looking for stock" }),
    profileRecord({ traceId: TRACE, durationMs: 1_900 }),
  ];
  await api.store(records);
  return { ...api, records, path: `/traces/${TRACE}/` };
}

Deno.test("a trace has its spans with parents, errors, logs and profiles", async () => {
  await using api = await oneTrace();
  const trace = await api.read<FullTraceAnswer>(api.path);
  assert.deepEqual([trace.id, trace.isCut, trace.duration], [TRACE, false, 2_000]);
  assert.deepEqual(
    trace.spans.map((
      { spanId, parentSpanId, title, service, duration },
    ) => [spanId, parentSpanId, title, service, Math.round(duration)]),
    [
      [ROOT, null, "POST /orders", "web", 2_000],
      [QUERY, ROOT, "SELECT * FROM stock", "stock", 500],
    ],
  );
  assert.deepEqual(trace.errors.map(({ title }) => title), ["Error: no stock"]);
  assert.deepEqual(trace.logs.map(({ body }) => body), ["Looking for stock"]);
  assert.deepEqual(trace.profiles.map(({ duration }) => duration), [1_900]);
  assert.ok(trace.spans.every((span) => !("attributes" in span)));
});

Deno.test("attributes come when they are asked for, each process told once", async () => {
  await using api = await oneTrace();
  const { spans: [root, query], resources } = await api.read<FullTraceAnswer>(
    `${api.path}?attributes=1`,
  );
  assert.deepEqual(root?.attributes, {
    plan: "gold",
    "http.route": "/orders",
    "url.full": "https://shop.example/orders",
  });
  assert.deepEqual(query?.attributes, { "db.system.name": "postgresql" });
  assert.deepEqual([root?.resource, query?.resource, resources], [null, 0, [{
    "host.name": "db-1",
  }]]);
  const [event] = query?.events ?? [];
  assert.equal(event?.name, "retry");
  // Milliseconds as all times of a trace.
  assert.ok(Math.abs((event?.time ?? 0) - (query?.start ?? 0) - 250) < 1);
  assert.equal((await api.refusal(`${api.path}?attributes=all`)).status, 400);
});

Deno.test("a trace has the parts of all projects of its organization, and none of another's", async () => {
  await using api = await oneTrace();
  const { services: { kv, writer }, organization } = api;
  const backEnd = await createProject(kv, {
    organizationId: organization.id,
    name: "Back end",
    platform: "node",
  });
  const [part, secret] = ["POST /reserve", "their secret"].map((description) =>
    spanBatchRecord({
      traceId: TRACE,
      resource: { "host.name": "api-1" },
      spans: [spanRecord({ parentSpanId: QUERY, description, data: { kept: description } })],
    })
  );
  assert.ok(part && secret);
  await writer.commit(backEnd.id, { records: [part], outcomes: [] });
  await api.store([secret], api.otherWorld);
  const trace = await api.read<WholeTraceAnswer>(`${api.path}?attributes=1`);
  assert.deepEqual(trace.spans.map(({ title, projectId }) => [title, projectId]), [
    ["POST /orders", api.project.id],
    ["SELECT * FROM stock", api.project.id],
    ["POST /reserve", backEnd.id],
  ]);
  assert.deepEqual(trace.projects.map(({ slug }) => slug), [api.project.slug, "back-end"]);
  assert.deepEqual(trace.hidden, { projects: 0, spans: 0 });
  const [, query, reserve] = trace.spans;
  assert.deepEqual(reserve?.attributes, { kept: "POST /reserve" });
  const { resources = [] } = trace;
  const hosts = [query, reserve].map((span) => resources[span?.resource ?? -1]);
  assert.deepEqual(hosts, [{ "host.name": "db-1" }, { "host.name": "api-1" }]);
  const ofBackEnd = `/projects/acme/back-end${api.path}`;
  const same = await api.call<WholeTraceAnswer>("viewer", ofBackEnd);
  assert.deepEqual(
    same.body.spans.map(({ spanId }) => spanId),
    trace.spans.map(({ spanId }) => spanId),
  );
  assert.equal((await api.call("stranger", ofBackEnd)).status, 404);
  assert.equal((await api.call("nobody", ofBackEnd)).status, 401);
  const { body } = await api.call<WholeTraceAnswer>(
    "stranger",
    `/projects/other/other-shop${api.path}?attributes=1`,
  );
  assert.deepEqual(body.spans.map(({ title }) => title), ["their secret"]);
  assert.deepEqual([body.projects.length, body.hidden], [1, { projects: 0, spans: 0 }]);
});

Deno.test("a trace is found by its id in any form, and nothing else is", async () => {
  await using api = await oneTrace();
  const uuid = "5F2A1C3D-4E5F-6071-8293-A4B5C6D7E8F9";
  assert.equal((await api.read<FullTraceAnswer>(`/traces/${uuid}/`)).id, TRACE);
  for (const id of ["a".repeat(32), "0".repeat(32), TRACE.slice(1), "xyz", "%00", "..%2f.."]) {
    const { status, words } = await api.refusal(`/traces/${id}/`);
    assert.equal(status, 404, `${id}: ${words}`);
    assert.match(words, /detail/);
  }
});

Deno.test("traces are listed newest first, and searched as on the page", async () => {
  await using api = await oneTrace();
  const other = newEventId();
  await api.store([transactionRecord({
    traceId: other,
    name: "GET /cart",
    isFailed: true,
    durationMs: 40,
    timestamp: new Date(Date.now() + 1_000),
  })]);
  const list = async (search: string) => await api.read<TraceAnswer[]>(`/traces/?${search}`);
  const ids = async (search: string) => (await list(search)).map(({ id }) => id);
  assert.deepEqual(await ids(""), [other, TRACE]);
  const [, orders] = await list("");
  assert.deepEqual(
    [orders?.name, orders?.duration, orders?.entries, orders?.errors, orders?.services],
    ["POST /orders", 2_000, 1, 1, ["web"]],
  );
  assert.deepEqual(await ids("query=duration:>1s"), [TRACE]);
  assert.deepEqual(await ids("query=status:failed"), [other]);
  assert.deepEqual(await ids("query=plan:gold+orders"), [TRACE]);
  assert.deepEqual(await ids("service=web"), [TRACE]);
  assert.deepEqual(await ids("statsPeriod=1h&environment=nowhere"), []);
});

Deno.test("a list of traces goes on where its Link header says", async () => {
  await using api = await oneTrace();
  await api.store([transactionRecord({ name: "GET /cart" })]);
  const path = "/projects/acme/acme-shop/traces/?per_page=1";
  const first = await api.call<TraceAnswer[]>("viewer", path);
  const [, cursor = ""] = /rel="next"; results="true"; cursor="([^"]+)"/
    .exec(first.headers.get("link") ?? "") ?? [];
  const second = await api.call<TraceAnswer[]>("viewer", `${path}&cursor=${cursor}`);
  const names = [...first.body, ...second.body].map(({ name }) => name);
  assert.deepEqual(names.sort(), ["GET /cart", "POST /orders"]);
  assert.match(second.headers.get("link") ?? "", /rel="next"; results="false"/);
});

Deno.test("a search of traces that makes no sense is answered with words", async () => {
  await using api = await tracedApi();
  const cases = [
    ["query=duration:soon", /Error parsing search query.*Write a duration/],
    ["query=name:%22open", /closing quote/],
    [`query=trace:${TRACE}`, new RegExp(`/traces/${TRACE}/`)],
    [`query=${"x".repeat(1_001)}`, /at most 1000 characters/],
    ["cursor=abc", /Invalid cursor/],
    ["statsPeriod=1x", /Invalid statsPeriod/],
  ] as const;
  for (const [search, pattern] of cases) {
    const { status, words } = await api.refusal(`/traces/?${search}`);
    assert.equal(status, 400, `${search}: ${words}`);
    assert.match(words, pattern);
  }
});

Deno.test("one organization never sees the traces of another", async () => {
  await using api = await tracedApi();
  await api.store([
    transactionRecord({ traceId: TRACE }),
    logRecord({ traceId: TRACE, body: "secret" }),
  ], api.otherWorld);
  assert.deepEqual(await api.read("/traces/"), []);
  assert.equal((await api.refusal(`/traces/${TRACE}/`)).status, 404);
  for (const path of ["", `${TRACE}/`, `${TRACE}/?attributes=1`]) {
    const address = `/projects/other/other-shop/traces/${path}`;
    assert.equal((await api.call("owner", address)).status, 404);
    assert.equal((await api.call("stranger", address)).status, 200);
    const mixed = `/projects/acme/${api.otherWorld.project.id}/traces/${path}`;
    assert.equal((await api.call("bootstrap", mixed)).status, 404);
  }
});

Deno.test("a trace that two organizations share shows each its own part", async () => {
  await using api = await oneTrace();
  await api.store([
    transactionRecord({ traceId: TRACE, name: "GET /secret" }),
    logRecord({ traceId: TRACE, body: "secret" }),
  ], api.otherWorld);
  const mine = JSON.stringify(await api.read(`${api.path}?attributes=1`));
  assert.doesNotMatch(mine, /secret/);
  const theirs = await api.call("stranger", `/projects/other/other-shop${api.path}?attributes=1`);
  assert.doesNotMatch(JSON.stringify(theirs.body), /orders|stock/);
  assert.match(JSON.stringify(theirs.body), /secret/);
});
