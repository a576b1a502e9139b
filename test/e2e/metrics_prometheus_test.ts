/** Debian's Prometheus scrapes a shop and passes on what it found by remote write: the query API answers the same. */
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { listeningApp } from "../support/listening_app.ts";
import { freePort } from "../support/server.ts";
import { tempDir } from "../support/temp_dir.ts";
import { waitFor } from "../support/wait_for.ts";
import { askMetrics, type MetricAnswer, totalOf } from "./clients/metrics_story.ts";
import { publicKeyOf } from "./clients/otel_env.ts";
import { startService } from "./clients/services.ts";
import { notStored } from "./clients/stored.ts";

const PROMETHEUS = Deno.env.get("TEST_PROMETHEUS") ?? "/usr/bin/prometheus";
const hasPrometheus = await Deno.stat(PROMETHEUS).then(({ isFile }) => isFile, () => false);
if (!hasPrometheus) {
  console.warn(`skipped: there is no Prometheus at ${PROMETHEUS}; Debian's package is prometheus`);
}

const TRACE = "5b8efff798038103d269b633813fc60c";

/** What the shop shows. */
interface Shown {
  readonly orders: number;
  readonly queue: number;
  /** Up to 0.1 s, 0.5 s, 1 s, and all. */
  readonly durations: readonly [number, number, number, number];
  readonly seconds: number;
}

/** As client libraries write it in OpenMetrics' form, with an exemplar and a gauge that has nothing to say. */
function exposition({ orders, queue, durations, seconds }: Shown): string {
  const at = (Date.now() / 1_000).toFixed(3);
  const exemplars = ["", ` # {trace_id="${TRACE}"} 0.2 ${at}`, "", ""];
  const buckets = ["0.1", "0.5", "1.0", "+Inf"].map((le, place) =>
    `shop_checkout_seconds_bucket{le="${le}"} ${durations[place]}${exemplars[place]}`
  );
  return [
    "# HELP shop_orders Orders so far.",
    "# TYPE shop_orders counter",
    `shop_orders_total{payment="card"} ${orders}`,
    "# TYPE shop_queue_length gauge",
    `shop_queue_length ${queue}`,
    'shop_queue_length{kind="none"} NaN',
    "# TYPE shop_checkout_seconds histogram",
    "# UNIT shop_checkout_seconds seconds",
    ...buckets,
    `shop_checkout_seconds_sum ${seconds}`,
    `shop_checkout_seconds_count ${durations[3]}`,
    "# EOF",
    "",
  ].join("\n");
}

const OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

function configuration(target: string, url: string, key: string): string {
  return `
global:
  scrape_interval: 200ms
  scrape_timeout: 200ms
scrape_configs:
  - job_name: shop
    static_configs:
      - targets: ["${target}"]
        labels: { environment: production }
remote_write:
  - url: ${url}/api/v1/write
    authorization: { credentials: "${key}" }
    send_exemplars: true
    queue_config: { batch_send_deadline: 100ms }
    metadata_config: { send_interval: 500ms }
`;
}

Deno.test({
  name: "what Prometheus scrapes and writes on is what is answered",
  ignore: !hasPrometheus,
  async fn() {
    await using app = await listeningApp();
    await using directory = await tempDir();
    let shown: Shown = { orders: 1_000, queue: 9, durations: [5, 10, 10, 10], seconds: 3 };
    await using target = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      () => new Response(exposition(shown), { headers: { "content-type": OPEN_METRICS } }),
    );
    const config = directory.join("prometheus.yml");
    const host = `127.0.0.1:${target.addr.port}`;
    await Deno.writeTextFile(config, configuration(host, app.url, publicKeyOf(app.serverDsn)));
    const listen = `127.0.0.1:${freePort()}`;
    await using prometheus = await startService(
      {
        command: PROMETHEUS,
        args: [
          `--config.file=${config}`,
          `--storage.tsdb.path=${directory.join("data")}`,
          `--web.listen-address=${listen}`,
          "--enable-feature=exemplar-storage",
        ],
        directory: pathToFileURL(directory.path),
      },
      {},
      (output) => output.includes("ready to receive web requests") ? `http://${listen}` : undefined,
    );
    const ask = await askMetrics(app);
    const scope = { service: "shop", environment: "production" };
    const orders = { ...scope, metric: "shop_orders_total", aggregation: "increase" };
    const seen = async (metric: string, probe: (answer: MetricAnswer) => boolean) =>
      await waitFor(metric, async () => {
        const answer = await ask({ ...scope, metric, aggregation: "last" }).catch(() => null);
        return answer !== null && probe(answer) ? answer : null;
      }, 30_000);
    // A counter of unknown beginning: only what it adds from now on counts.
    await seen("shop_queue_length", ({ series }) => series[0]?.last === 9);
    await waitFor("the counter", async () => totalOf(await ask(orders)) === 0 || null);

    shown = { orders: 1_030, queue: 4, durations: [5, 30, 30, 30], seconds: 9 };
    await seen("shop_queue_length", ({ series }) => series[0]?.last === 4);
    await waitFor("the orders", async () => totalOf(await ask(orders)) === 30 || null);

    // It was restarted, and has served three orders since.
    shown = { orders: 3, queue: 4, durations: [0, 1, 1, 1], seconds: 0.3 };
    await waitFor("the reset", async () => totalOf(await ask(orders)) === 33 || null);

    const durations = { ...scope, metric: "shop_checkout_seconds_bucket" };
    const p50 = await ask({ ...durations, aggregation: "p50" });
    const median = p50.series[0]?.values.findLast((value) => value !== null) ?? NaN;
    assert.ok(median > 0.1 && median <= 0.5, `the median is ${median}`);
    const counted = await ask({
      ...scope,
      metric: "shop_checkout_seconds_count",
      aggregation: "increase",
    });
    assert.equal(totalOf(counted), 21);
    const { services: { sql }, projectId } = app;
    const metrics = await sql<{ line: string }[]>`
      select distinct concat_ws(' ', name, kind, nullif(unit, ''), labels->>'kind') as line
      from metrics join metric_series using (project_id, metric_id)
      where project_id = ${projectId} and name like 'shop%' order by 1
    `;
    // Of NaN nothing is stored.
    assert.deepEqual(metrics.map(({ line }) => line), [
      "shop_checkout_seconds_bucket counter",
      "shop_checkout_seconds_count counter",
      "shop_checkout_seconds_sum counter s",
      "shop_orders_total counter",
      "shop_queue_length gauge",
    ]);
    await waitFor("the exemplar", async () => {
      const rows = await sql`
        select 1 from metric_exemplars
        where project_id = ${projectId} and trace_id = ${TRACE}::uuid and value = 0.2
      `;
      return rows.length > 0 || null;
    }, 30_000);
    await prometheus.stop();
    assert.deepEqual(await notStored(app), []);
  },
});
