/** Prometheus scrapes a shop and writes what it finds to Watchpost: what is stored is compared with what the shop said. */
import assert from "node:assert/strict";
import { runQueries } from "../../lib/telemetry/metrics/query/run_queries.ts";
import type { Aggregation, MetricQuery } from "../../lib/telemetry/metrics/query_types.ts";
import { WHOLE_SCOPE } from "../../lib/telemetry/metrics/query_types.ts";
import { type ListeningApp, listeningApp } from "../support/listening_app.ts";
import { freePort } from "../support/server.ts";
import { tempDir } from "../support/temp_dir.ts";
import { waitFor } from "../support/wait_for.ts";
import { publicKeyOf } from "./clients/otel_env.ts";
import { notStored } from "./clients/stored.ts";

const isInstalled = await new Deno.Command("prometheus", { args: ["--version"] }).output()
  .then(({ success }) => success, () => false);
if (!isInstalled) console.log("skipped: prometheus is not installed here");

const TRACE = "5b8efff798038103d269b633813fc60c";

interface Shop {
  orders: number;
}

/** What the shop says when it is scraped, in OpenMetrics' form. */
function exposition({ orders }: Shop): string {
  const at = (Date.now() / 1000).toFixed(3);
  return `# HELP shop_orders Orders that were placed.
# TYPE shop_orders counter
shop_orders_total{payment="card"} ${orders}
# TYPE shop_queue gauge
shop_queue 12
shop_queue{kind="none"} NaN
# TYPE shop_checkout_seconds histogram
# UNIT shop_checkout_seconds seconds
shop_checkout_seconds_bucket{le="0.5"} 2 # {trace_id="${TRACE}"} 0.2 ${at}
shop_checkout_seconds_bucket{le="+Inf"} 3
shop_checkout_seconds_count 3
shop_checkout_seconds_sum 2.5
# EOF
`;
}

function serveShop(shop: Shop) {
  const headers = { "content-type": "application/openmetrics-text; version=1.0.0; charset=utf-8" };
  return Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response(exposition(shop), { headers }),
  );
}

/** Starts a Prometheus that scrapes `port` five times a second. */
async function startPrometheus({ url, serverDsn }: ListeningApp, port: number, dir: string) {
  await Deno.writeTextFile(
    `${dir}/prometheus.yml`,
    `global: { scrape_interval: 200ms, external_labels: { environment: production } }
scrape_configs:
  - { job_name: shop, static_configs: [{ targets: ["127.0.0.1:${port}"] }] }
remote_write:
  - url: ${url}/api/v1/write
    authorization: { credentials: ${publicKeyOf(serverDsn)} }
    send_exemplars: true
    metadata_config: { send_interval: 200ms }
    queue_config: { batch_send_deadline: 200ms }
`,
  );
  const process = new Deno.Command("prometheus", {
    args: [
      `--config.file=${dir}/prometheus.yml`,
      `--storage.tsdb.path=${dir}/data`,
      `--web.listen-address=127.0.0.1:${freePort()}`,
      "--enable-feature=exemplar-storage",
    ],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  return {
    async [Symbol.asyncDispose]() {
      process.kill("SIGKILL");
      await process.status;
    },
  };
}

async function ask(
  { services, projectId }: ListeningApp,
  metric: string,
  aggregation: Aggregation,
): Promise<(number | null)[]> {
  const query: MetricQuery = {
    id: "a",
    metric,
    kind: null,
    unit: null,
    aggregation,
    filter: [],
    groupBy: [],
    top: 10,
  };
  const { series } = await runQueries(services, {
    projectId,
    start: new Date(Date.now() - 600_000),
    end: new Date(Date.now() + 60_000),
    stepMs: null,
    scope: WHOLE_SCOPE,
    queries: [query],
    formulas: [],
    comparesPrevious: false,
  });
  return (series[0]?.values ?? []).filter((value) => value !== null);
}

const sum = (values: readonly (number | null)[]) =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);

Deno.test({
  name: "what Prometheus scrapes and writes is stored: kinds, labels, values and exemplars",
  ignore: !isInstalled,
  async fn() {
    await using app = await listeningApp();
    await using dir = await tempDir();
    const shop: Shop = { orders: 5 };
    await using server = serveShop(shop);
    await using _ = await startPrometheus(app, server.addr.port, dir.path);
    const { services: { sql }, projectId } = app;
    await waitFor("the first samples", async () => {
      const values = await ask(app, "shop_orders_total", "count");
      return values.length > 0 || null;
    }, 30_000);
    shop.orders = 9;
    await waitFor("four more orders", async () => {
      return sum(await ask(app, "shop_orders_total", "increase")) === 4 || null;
    }, 30_000);
    assert.equal((await ask(app, "shop_queue", "last")).at(-1), 12);
    const kinds = await sql<{ line: string }[]>`
      select distinct concat_ws(' ', name, kind, nullif(unit, ''), service, environment) as line
      from metrics join metric_series using (project_id, metric_id)
      where project_id = ${projectId} and name like 'shop%' order by 1
    `;
    assert.deepEqual(kinds.map(({ line }) => line), [
      "shop_checkout_seconds_bucket counter shop production",
      "shop_checkout_seconds_count counter shop production",
      "shop_checkout_seconds_sum counter s shop production",
      "shop_orders_total counter shop production",
      "shop_queue gauge shop production",
    ]);
    await waitFor("the exemplar", async () => {
      const rows = await sql`
        select 1 from metric_exemplars
        where project_id = ${projectId} and replace(trace_id::text, '-', '') = ${TRACE} and value = 0.2
      `;
      return rows.length > 0 || null;
    }, 30_000);
    assert.deepEqual(await notStored(app), []);
  },
});
