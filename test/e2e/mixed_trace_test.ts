/** Services that Sentry's SDKs watch beside those that OpenTelemetry watches: one trace, and the same endpoints. */
import assert from "node:assert/strict";
import { endpointKey } from "../../lib/formats/spans/entry_keys.ts";
import { readStats, type StatsSelection } from "../../lib/store/stats/read_stats.ts";
import type { SeriesKind } from "../../lib/store/stats/series.ts";
import type { Trace } from "../../lib/traces/trace_types.ts";
import { readTrace } from "../../lib/traces/read_trace.ts";
import { faultyLink } from "../support/faulty_link.ts";
import { type ListeningApp, listeningApp } from "../support/listening_app.ts";
import { waitFor } from "../support/wait_for.ts";
import { otelEnv, postgresEnv, publicKeyOf, RESOURCE } from "./clients/otel_env.ts";
import {
  goService,
  nodeService,
  type Program,
  pythonService,
  startService,
} from "./clients/services.ts";
import { countTransactions, notStored } from "./clients/stored.ts";

const ARRIVES_WITHIN_MS = 15_000;
const ENDPOINT = "GET /users/{}";

const [sentryNode, sentryPython, otelNode, otelPython, otelGo] = await Promise.all([
  nodeService("traces_sentry_node"),
  pythonService("traces_sentry_python"),
  nodeService("otel_node"),
  pythonService("otel_python", "opentelemetry-instrument"),
  goService("otel_go"),
]);

const BACKS = { Node: otelNode, Python: otelPython, Go: otelGo };

for (const [name, back] of Object.entries(BACKS)) {
  Deno.test({
    name: `a request through Sentry in Node and OpenTelemetry in ${name} is one tree of one trace`,
    ignore: sentryNode === null || back === null,
    async fn() {
      if (sentryNode === null || back === null) return;
      await using app = await listeningApp();
      await using backService = await run(app, back);
      await using front = await run(app, sentryNode, { BACK_URL: backService.url });
      await requested(`${front.url}/users/7`);
      await front.stop();
      await backService.stop();
      const trace = await wholeTrace(app);
      isOneTree(trace, backService.url);
      assert.equal(trace.logs.length, 2, "each service wrote a log");
      assert.deepEqual(await notStored(app), []);
    },
  });
}

Deno.test({
  name: "one endpoint is the same whichever framework, SDK and protocol tell of it",
  ignore: [sentryNode, sentryPython, otelNode, otelPython, otelGo].includes(null),
  async fn() {
    await using app = await listeningApp();
    const programs = [sentryNode, sentryPython, otelNode, otelPython, otelGo];
    for (const program of programs) {
      if (program === null) return;
      await using service = await run(app, program);
      await requested(`${service.url}/users/7`);
      await requested(`${service.url}/users/8`);
      await service.stop();
    }
    const count = 2 * programs.length;
    await waitFor(
      "all transactions",
      async () => await countTransactions(app) === count || null,
      ARRIVES_WITHIN_MS,
    );
    const rows = await readStats(app.services.sql, selection(app, "transaction"), [
      "httpMethod",
      "route",
      "protocol",
    ]);
    const endpoints = new Set(rows.map(({ httpMethod, route }) => endpointKey(httpMethod, route)));
    assert.deepEqual([...endpoints], [ENDPOINT]);
    assert.deepEqual(new Set(rows.map(({ protocol }) => protocol)), new Set(["sentry", "otlp"]));
    assert.equal(rows.reduce((sum, row) => sum + row.count, 0), count);
    assert.equal(rows.reduce((sum, row) => sum + row.statuses[0], 0), count);
  },
});

const CALLERS = [
  {
    name: "Node",
    program: sentryNode,
    transaction: "GET /users/:id",
    query: "select ?::int as id, ? as name",
  },
  {
    name: "Python",
    program: sentryPython,
    transaction: "user",
    query: "select ? as id, ? as name",
  },
];

for (const { name, program, transaction, query } of CALLERS) {
  Deno.test({
    name: `queries and outbound requests of Sentry in ${name} are counted by what they do`,
    ignore: program === null,
    async fn() {
      if (program === null) return;
      await using app = await listeningApp();
      await using partner = partnerSite();
      await using service = await run(app, program, { BACK_URL: partner.url });
      await requested(`${service.url}/users/7`);
      await requested(`${service.url}/users/8`);
      await service.stop();
      await waitFor(
        "both transactions",
        async () => await countTransactions(app) === 2 || null,
        ARRIVES_WITHIN_MS,
      );
      const request = `GET ${new URL(partner.url).host}`;
      const work = { [query]: ["db", 2, transaction], [request]: ["http", 2, transaction] };
      assert.deepEqual(await workOf(app, Object.keys(work)), work);
      assert.deepEqual(await notStored(app), []);
    },
  });
}

/** Starts a service that sends to the app, whichever SDK watches it. */
async function run(
  app: ListeningApp,
  program: Program,
  env: Record<string, string> = {},
) {
  await using made = new AsyncDisposableStack();
  const postgres = made.use(faultyLink(app.services.sql));
  const target = {
    protocol: "http/protobuf",
    isGzipped: true,
    endpoint: app.url,
    publicKey: publicKeyOf(app.serverDsn),
    exporter: program === otelPython ? "otlp_proto_http" : "otlp",
  } as const;
  const service = made.use(
    await startService(program, {
      ...otelEnv(target),
      SENTRY_DSN: app.serverDsn,
      ...postgresEnv(postgres),
      ...env,
    }),
  );
  const all = made.move();
  return { ...service, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function requested(url: string): Promise<void> {
  const response = await fetch(url);
  assert.equal(response.status, 200, await response.text());
}

/** The only trace, once both services have sent their part. */
function wholeTrace({ services: { sql }, projectId }: ListeningApp): Promise<Trace> {
  return waitFor("both parts of the trace", async () => {
    const ids = await sql<{ id: string }[]>`
      select distinct replace(trace_id::text, '-', '') as id from transactions
      where project_id = ${projectId}
    `;
    assert.ok(ids.length <= 1, "both services are in one trace");
    const trace = ids[0] === undefined ? null : await readTrace(sql, projectId, ids[0].id);
    const entries = trace?.spans.filter(({ isEntry }) => isEntry) ?? [];
    return entries.length === 2 && trace?.logs.length === 2 ? trace : null;
  }, ARRIVES_WITHIN_MS);
}

function isOneTree({ spans }: Trace, backUrl: string): void {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const tops = spans.filter(({ parentSpanId }) => !byId.has(parentSpanId ?? ""));
  assert.equal(tops.length, 1, "all spans are below one");
  const [top] = tops;
  assert.deepEqual([top?.title, top?.isEntry, top?.service], ["GET /users/:id", true, "node"]);
  const back = spans.find(({ isEntry, spanId }) => isEntry && spanId !== top?.spanId);
  assert.equal(back?.service, RESOURCE.service);
  const call = byId.get(back?.parentSpanId ?? "");
  assert.deepEqual([call?.op, call?.title], ["http.client", `GET ${backUrl}/users/7`]);
  const queries = spans.filter(({ category, title }) => category === "db" && /^select/.test(title));
  assert.deepEqual(new Set(queries.map(({ service }) => service)), new Set(["node", "shop-api"]));
}

function selection({ projectId }: ListeningApp, kind: SeriesKind): StatsSelection {
  const now = Date.now();
  return {
    projectId,
    kind,
    environments: [],
    releases: [],
    services: [],
    start: new Date(now - 3_600_000),
    end: new Date(now + 60_000),
  };
}

/** Category, count and caller of these groups of spans. */
async function workOf(app: ListeningApp, names: readonly string[]) {
  const rows = await readStats(app.services.sql, selection(app, "caller"), [
    "category",
    "name",
    "parent",
  ]);
  const wanted = rows.filter(({ name }) => names.includes(name));
  return Object.fromEntries(
    wanted.map(({ name, category, count, parent }) => [name, [category, count, parent]]),
  );
}

/** Somebody else's site, which a service asks. */
function partnerSite(): AsyncDisposable & { readonly url: string } {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => Response.json({ id: 7 }),
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
