/** Sessions, environments and traces, as Sentry's tools ask for them across projects. */
import assert from "node:assert/strict";
import { DAY_MS } from "@/lib/core/time.ts";
import { type TestApi, testApi } from "@/test/support/api_people.ts";
import {
  logRecord,
  sessionCountsRecord,
  spanBatchRecord,
  spanRecord,
} from "@/test/support/records.ts";
import { errorEvent, newEventId } from "@/test/support/error_event.ts";

interface Sessions {
  readonly intervals: readonly string[];
  readonly groups: readonly {
    readonly by: Readonly<Record<string, unknown>>;
    readonly totals: Readonly<Record<string, number | null>>;
    readonly series: Readonly<Record<string, readonly (number | null)[]>>;
  }[];
}

/** Two days: yesterday ten sessions of shop@1, one crashed; today twenty of shop@2, two crashed, five with errors. */
async function withSessions(): Promise<TestApi> {
  const api = await testApi();
  const now = Date.now();
  const counts = (release: string, at: number, userHash: string, exited: number, faults = {}) =>
    sessionCountsRecord({
      release,
      environment: "production",
      aggregates: [{
        startedAt: new Date(at),
        userHash,
        exited,
        errored: 0,
        unhandled: 0,
        abnormal: 0,
        crashed: 0,
        ...faults,
      }],
    });
  const records = [
    counts("shop@1", now - DAY_MS, "ann", 9, { crashed: 1 }),
    counts("shop@2", now, "ann", 10),
    counts("shop@2", now, "bob", 3, { crashed: 2, errored: 4, unhandled: 1 }),
  ];
  await api.services.writer.commit(api.project.id, { records, outcomes: [] });
  return api;
}

const ask = (api: TestApi, query: string, path = "sessions") =>
  api.call<Sessions>("viewer", `/organizations/acme/${path}/?statsPeriod=3d&${query}`);

Deno.test("sessions are counted by release along the time, with the share that did not crash", async () => {
  await using api = await withSessions();
  const fields = "field=sum(session)&field=crash_free_rate(session)";
  const { body } = await ask(api, `${fields}&groupBy=release&interval=1d`);
  assert.deepEqual(body.groups.map(({ by, totals }) => [by, totals]), [
    [{ release: "shop@2" }, { "sum(session)": 20, "crash_free_rate(session)": 0.9 }],
    [{ release: "shop@1" }, { "sum(session)": 10, "crash_free_rate(session)": 0.9 }],
  ]);
  const [newest] = body.groups;
  const series = newest?.series["sum(session)"];
  assert.equal(series?.length, body.intervals.length);
  assert.equal(series?.at(-1), 20);
  assert.equal(newest?.series["crash_free_rate(session)"]?.[0], null, "a day without sessions");
});

Deno.test("people are counted once, however many days they came", async () => {
  await using api = await withSessions();
  const { body } = await ask(
    api,
    "field=count_unique(user)&field=session.crashed_user&field=session.crash_free_user_rate&interval=1d",
  );
  assert.deepEqual(body.groups[0]?.totals, {
    "count_unique(user)": 2,
    "session.crashed_user": 2,
    "session.crash_free_user_rate": 0,
  });
  assert.deepEqual(body.groups[0]?.series["count_unique(user)"]?.slice(-2), [1, 2]);
  const hourly = await ask(api, "field=count_unique(user)&interval=1h");
  assert.equal(hourly.body.groups[0]?.series["count_unique(user)"]?.at(-1), 2);
});

Deno.test("sessions by their status add up, and metrics/data answers the same", async () => {
  await using api = await withSessions();
  const query = "field=sum(session)&groupBy=session.status&interval=1d&orderBy=-sum(session)";
  const { body } = await ask(api, query);
  assert.deepEqual(
    body.groups.map(({ by, totals }) => [by["session.status"], totals["sum(session)"]]),
    [["healthy", 22], ["errored", 5], ["crashed", 3], ["abnormal", 0]],
  );
  assert.deepEqual((await ask(api, query, "metrics/data")).body.groups, body.groups);
});

Deno.test("other environments, releases and organizations have no part in it", async () => {
  await using api = await withSessions();
  assert.deepEqual((await ask(api, "field=sum(session)&environment=staging")).body.groups, []);
  const one = await ask(api, "field=sum(session)&release=shop@1&includeSeries=0");
  assert.deepEqual(one.body.groups, [{ by: {}, totals: { "sum(session)": 10 } }]);
  const path = "/organizations/other/sessions/?field=sum(session)";
  const { body } = await api.call<Sessions>("stranger", path);
  assert.deepEqual(body.groups, []);
});

Deno.test("what sessions are not asked by is refused with words", async () => {
  await using api = await withSessions();
  for (
    const query of [
      "field=p50(session.duration)",
      "groupBy=country",
      "interval=soon",
      "interval=0h",
      "orderBy=-title",
      "field=count_unique(user)&groupBy=session.status",
      "per_page=x&field=%00",
    ]
  ) assert.equal((await ask(api, query)).status, 400, query);
  assert.equal((await ask(api, "environment=%00&release=%ED%A0%80")).status, 200);
});

Deno.test("environments are told of a project and of all", async () => {
  await using api = await testApi();
  const records = ["staging", "production"].map((environment) => errorEvent({ environment }));
  await api.services.writer.commit(api.project.id, { records, outcomes: [] });
  for (const path of ["/organizations/acme/", "/projects/acme/acme-shop/"]) {
    const { body } = await api.call<{ name: string }[]>("viewer", `${path}environments/`);
    assert.deepEqual(body.map(({ name }) => name), ["production", "staging"]);
  }
});

interface Node {
  readonly event_id: string;
  readonly children?: readonly Node[];
  readonly errors?: readonly unknown[];
}

Deno.test("a trace is told as spans within spans, and in numbers, whatever its parents say", async () => {
  await using api = await testApi();
  const traceId = newEventId();
  const span = (spanId: string, parentSpanId: string | null, isEntry = false) =>
    spanRecord({ spanId, parentSpanId, isSegment: isEntry });
  const [a, b, c, d] = ["a", "b", "c", "d"].map((digit) => digit.repeat(16));
  assert.ok(a && b && c && d);
  const chain = Array.from({ length: 400 }, (_, index) => {
    const id = (at: number) => at.toString(16).padStart(16, "0");
    return span(id(index + 1), index === 0 ? null : id(index));
  });
  // c and d say that they are within each other.
  const spans = [span(a, null, true), span(b, a), span(c, d), span(d, c), ...chain];
  const records = [spanBatchRecord({ traceId, spans }), logRecord({ traceId })];
  await api.services.writer.commit(api.project.id, { records, outcomes: [] });
  const { body } = await api.call<Node[]>("viewer", `/organizations/acme/trace/${traceId}/`);
  const ids = (nodes: readonly Node[]): string[] =>
    nodes.flatMap(({ event_id, children = [] }) => [event_id, ...ids(children)]);
  assert.equal(ids(body).length, spans.length);
  assert.deepEqual(body.find(({ event_id }) => event_id === a)?.children?.map((n) => n.event_id), [
    b,
  ]);
  const meta = await api.call<Record<string, unknown>>(
    "viewer",
    `/organizations/acme/trace-meta/${traceId}/`,
  );
  assert.deepEqual([meta.body.span_count, meta.body.logs], [spans.length, 1]);
  for (const wrong of ["x", newEventId(), "%00"]) {
    const { status } = await api.call("viewer", `/organizations/acme/trace/${wrong}/`);
    assert.equal(status, 404, wrong);
  }
});
