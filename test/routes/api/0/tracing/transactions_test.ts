import assert from "node:assert/strict";
import type { Transaction } from "@/lib/records/mod.ts";
import { transactionRecord } from "@/test/support/records.ts";
import { type TracedApi, tracedApi } from "@/test/support/traced_api.ts";

interface TransactionAnswer {
  readonly name: string;
  readonly op: string;
  readonly count: number;
  readonly tpm: number;
  readonly p50: number;
  readonly p95: number;
  readonly failureRate: number;
  readonly users: number;
  readonly totalTime: number;
  readonly share: number;
}

async function shopApi() {
  const api = await tracedApi();
  const send = (...fields: Partial<Transaction>[]) =>
    api.store(fields.map((each) => transactionRecord({ measurements: [], ...each })));
  await send(
    { name: "GET /cart", durationMs: 100, user: "id:1" },
    { name: "GET /cart", durationMs: 300, user: "id:2", isFailed: true, httpStatus: 503 },
    { name: "POST /pay", durationMs: 1_600, environment: "staging", service: "payments" },
    { name: "nightly", op: "queue.process", durationMs: 50, release: "shop@2.0" },
  );
  return { ...api, send };
}

const namesOf = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);

Deno.test("transactions are listed by the time that they take, with their figures", async () => {
  await using api = await shopApi();
  const rows = await api.read<TransactionAnswer[]>("/transactions/?statsPeriod=1h");
  assert.deepEqual(namesOf(rows), ["POST /pay", "GET /cart", "nightly"]);
  const cart = rows[1];
  assert.ok(cart);
  assert.deepEqual([cart.op, cart.count, cart.failureRate, cart.users, cart.totalTime], [
    "http.server",
    2,
    0.5,
    2,
    400,
  ]);
  assert.ok(Math.abs(cart.p95 - 300) < 10, String(cart.p95));
  assert.ok(Math.abs(cart.tpm - 2 / 60) < 0.002, String(cart.tpm));
  assert.ok(Math.abs(cart.share - 400 / 2_050) < 0.001);
});

Deno.test("counts are extrapolated from what the project keeps", async () => {
  await using api = await shopApi();
  await api.send({ name: "rare", serverSampleRate: 0.25, durationMs: 1 });
  const [rare] = await api.read<TransactionAnswer[]>("/transactions/?query=rare");
  assert.equal(rare?.count, 4);
});

Deno.test("transactions are searched, narrowed and sorted", async () => {
  await using api = await shopApi();
  const names = async (search: string) =>
    namesOf(await api.read<TransactionAnswer[]>(`/transactions/${search}`));
  assert.deepEqual(await names("?query=cart"), ["GET /cart"]);
  assert.deepEqual(await names("?query=*t*/cart"), ["GET /cart"]);
  assert.deepEqual(await names("?query=%00%25"), []);
  assert.deepEqual(await names("?op=queue.process"), ["nightly"]);
  assert.deepEqual(await names("?environment=staging"), ["POST /pay"]);
  assert.deepEqual(await names("?environment=staging&environment=production&sort=name"), [
    "GET /cart",
    "POST /pay",
    "nightly",
  ]);
  assert.deepEqual(await names("?release=shop@2.0"), ["nightly"]);
  assert.deepEqual(await names("?service=payments"), ["POST /pay"]);
  assert.deepEqual(await names("?sort=p95"), ["nightly", "GET /cart", "POST /pay"]);
  assert.deepEqual((await names("?sort=-failureRate"))[0], "GET /cart");
  assert.deepEqual(await names("?start=2001-01-01&end=2001-01-02"), []);
});

Deno.test("a list of transactions goes on where its Link header says, and back", async () => {
  await using api = await shopApi();
  const path = "/projects/acme/acme-shop/transactions/?per_page=2&sort=name";
  const first = await api.call<TransactionAnswer[]>("viewer", path);
  assert.deepEqual(namesOf(first.body), ["GET /cart", "POST /pay"]);
  const next = hrefOf(first.headers, "next");
  const second = await api.call<TransactionAnswer[]>("viewer", next);
  assert.deepEqual(namesOf(second.body), ["nightly"]);
  assert.match(second.headers.get("link") ?? "", /rel="next"; results="false"/);
  const back = await api.call("viewer", hrefOf(second.headers, "previous"));
  assert.deepEqual(back.body, first.body);
});

function hrefOf(headers: Headers, rel: string): string {
  const pattern = new RegExp(`<([^>]*)>; rel="${rel}"; results="true"`);
  const [, url = ""] = pattern.exec(headers.get("link") ?? "") ?? [];
  const { pathname, search } = new URL(url);
  return pathname.replace("/api/0", "") + search;
}

Deno.test("a summary has figures, a histogram, a series and samples of one transaction", async () => {
  await using api = await shopApi();
  const summary = await summaryOf(api, "GET /cart", "&statsPeriod=1h");
  assert.deepEqual(summary.ops, ["http.server"]);
  assert.deepEqual(summary.protocols, ["sentry"]);
  const { count, stored, average, failureRate, totalTime, users, statuses } = summary.stats;
  assert.deepEqual([count, stored, average, failureRate, totalTime, users], [
    2,
    2,
    200,
    0.5,
    400,
    2,
  ]);
  assert.deepEqual(statuses, { "2xx": 1, "3xx": 0, "4xx": 0, "5xx": 1, none: 0 });
  // One within 300 ms; the other, at the limit, by the sketch's error within or beyond.
  assert.ok(summary.stats.apdex >= 0.75 && summary.stats.apdex <= 1);
  assert.equal(summary.histogram.reduce((sum, bucket) => sum + bucket.count, 0), 2);
  assert.equal(summary.series.step, 60_000);
  assert.ok(summary.series.points.length >= 60);
  assert.equal(summary.series.points.reduce((sum, point) => sum + point.count, 0), 2);
  assert.deepEqual(summary.samples.map(({ duration }) => duration), [300, 100]);
});

Deno.test("what took no time stands at 0 in the histogram, and not with the fastest of the others", async () => {
  await using api = await shopApi();
  await api.store([transactionRecord({ name: "GET /ping", durationMs: 0 })]);
  await api.store([transactionRecord({ name: "GET /ping", durationMs: 20 })]);
  const { histogram } = await summaryOf(api, "GET /ping", "&statsPeriod=1h");
  const [zeros, others] = histogram;
  assert.deepEqual(zeros, { from: 0, to: 0, count: 1 });
  assert.ok(others !== undefined && others.from < 20 && others.to >= 20 && others.count === 1);
});

Deno.test("samples of a summary are the slowest, the newest or those that failed", async () => {
  await using api = await shopApi();
  const failed = await summaryOf(api, "GET /cart", "&samples=failed");
  assert.deepEqual(failed.samples.map(({ httpStatus }) => httpStatus), [503]);
  assert.equal((await api.refusal("/transactions/summary/?name=a&samples=best")).status, 400);
});

Deno.test("a transaction that never was has a summary without figures", async () => {
  await using api = await shopApi();
  const summary = await summaryOf(api, "GET /nowhere");
  assert.deepEqual([summary.stats.count, summary.stats.average, summary.samples], [0, null, []]);
  const longAgo = await summaryOf(api, "GET /cart", "&start=2001-01-01&end=2001-01-02");
  assert.equal(longAgo.stats.count, 0);
  const nameless = await api.refusal("/transactions/summary/");
  assert.deepEqual([nameless.status, nameless.words], [
    400,
    '{"name":["This field is required."]}',
  ]);
});

interface SummaryAnswer {
  readonly ops: string[];
  readonly protocols: string[];
  readonly stats: {
    count: number;
    stored: number;
    average: number | null;
    failureRate: number;
    apdex: number;
    totalTime: number;
    users: number;
    statuses: Record<string, number>;
  };
  readonly histogram: { from: number; to: number; count: number }[];
  readonly series: { step: number; points: { count: number }[] };
  readonly samples: { duration: number; httpStatus: number }[];
}

function summaryOf(api: TracedApi, name: string, more = ""): Promise<SummaryAnswer> {
  return api.read(`/transactions/summary/?name=${encodeURIComponent(name)}${more}`);
}

Deno.test("wrong parameters are answered with words", async () => {
  await using api = await tracedApi();
  const cases = [
    ["statsPeriod=soon", /Invalid statsPeriod/],
    ["start=yesterday", /Invalid start/],
    ["start=2026-11-20&end=2026-11-19", /start must be before end/],
    ["start=2999-01-01&end=2999-02-01", /start must not be in the future/],
    ["sort=fastest", /Invalid sort: write name, count/],
    ["sort=__proto__", /Invalid sort/],
    ["sort=-", /Invalid sort/],
    ["cursor=abc", /Invalid cursor/],
    ["cursor=0:99999999999:0", /Invalid cursor/],
    [`query=${"x".repeat(201)}`, /Invalid query: write at most 200 characters/],
  ] as const;
  for (const [search, pattern] of cases) {
    const { status, words } = await api.refusal(`/transactions/?${search}`);
    assert.equal(status, 400, `${search}: ${words}`);
    assert.match(words, pattern);
  }
  for (const search of ["cursor=0:5000:0", "per_page=-3", "end=9999-12-31", "sort=", "query="]) {
    assert.deepEqual(await api.read(`/transactions/?${search}`), [], search);
  }
});

Deno.test("one organization never sees the transactions of another", async () => {
  await using api = await tracedApi();
  await api.store([transactionRecord({ name: "GET /secret" })], api.otherWorld);
  assert.deepEqual(await api.read("/transactions/"), []);
  const summary = await summaryOf(api, "GET /secret");
  assert.deepEqual([summary.stats.count, summary.samples], [0, []]);
  for (const address of ["", "summary/?name=GET%20/secret"]) {
    const path = `/projects/other/other-shop/transactions/${address}`;
    assert.equal((await api.call("owner", path)).status, 404);
    assert.equal((await api.call("stranger", path)).status, 200);
    const mixed = `/projects/acme/${api.otherWorld.project.id}/transactions/${address}`;
    assert.equal((await api.call("bootstrap", mixed)).status, 404);
  }
});
