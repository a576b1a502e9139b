/** Debian's Prometheus scrapes a target and passes on what it found by remote write: the query API answers the same. */
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

/** What the target shows, as client libraries write it. */
interface Shown {
  readonly orders: number;
  readonly queue: number;
  /** Up to 0.1 s, 0.5 s, 1 s, and all. */
  readonly durations: readonly [number, number, number, number];
  readonly seconds: number;
}

function exposition({ orders, queue, durations, seconds }: Shown): string {
  const bounds = ["0.1", "0.5", "1", "+Inf"];
  return [
    "# HELP shop_orders_total Orders so far.",
    "# TYPE shop_orders_total counter",
    `shop_orders_total{payment="card"} ${orders}`,
    "# TYPE shop_queue_length gauge",
    `shop_queue_length ${queue}`,
    "# TYPE shop_checkout_seconds histogram",
    ...bounds.map((le, place) => `shop_checkout_seconds_bucket{le="${le}"} ${durations[place]}`),
    `shop_checkout_seconds_sum ${seconds}`,
    `shop_checkout_seconds_count ${durations[3]}`,
    "",
  ].join("\n");
}

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
      () => new Response(exposition(shown), { headers: { "content-type": "text/plain" } }),
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
    assert.equal((await ask(orders)).queries[0]?.kind, "counter");
    await prometheus.stop();
    assert.deepEqual(await notStored(app), []);
  },
});
