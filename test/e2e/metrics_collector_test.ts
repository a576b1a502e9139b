/** The OpenTelemetry Collector measures its host and passes on what a shop counts: the query API answers the same. */
import assert from "node:assert/strict";
import { listeningApp } from "../support/listening_app.ts";
import { waitFor } from "../support/wait_for.ts";
import { collector, hostCollector, startCollector } from "./clients/go_tools.ts";
import { askMetrics, isAnswered, type MetricAnswer } from "./clients/metrics_story.ts";
import { otelEnv, publicKeyOf, RESOURCE } from "./clients/otel_env.ts";
import { nodeService, runProgram } from "./clients/services.ts";
import { notStored } from "./clients/stored.ts";

const [otelcol, hosts, node] = await Promise.all([
  collector(),
  hostCollector(),
  nodeService("metrics_node"),
]);

for (const encoding of ["proto", "json"] as const) {
  Deno.test({
    name: `what a shop counts and a collector passes on as ${encoding} is what is answered`,
    ignore: otelcol === null || node === null,
    async fn() {
      if (otelcol === null || node === null) return;
      await using app = await listeningApp();
      const publicKey = publicKeyOf(app.serverDsn);
      await using forwarder = await startCollector(otelcol, { url: app.url, publicKey, encoding });
      await runProgram(node, {
        ...otelEnv({
          endpoint: forwarder.url,
          publicKey: "",
          protocol: "http/protobuf",
          isGzipped: true,
        }),
        OTEL_METRICS_EXPORTER: "otlp",
      });
      await isAnswered(await askMetrics(app), RESOURCE);
      await forwarder.stop();
      assert.deepEqual(await notStored(app), []);
    },
  });
}

Deno.test({
  name: "what a collector measures of its host is what is answered",
  ignore: hosts === null,
  async fn() {
    if (hosts === null) return;
    await using app = await listeningApp();
    await using forwarder = await startCollector(hosts, {
      url: app.url,
      publicKey: publicKeyOf(app.serverDsn),
      encoding: "proto",
    });
    const ask = await askMetrics(app);
    const memory = await waitFor("the host's memory", async () => {
      const found = await ask({
        metric: "system.memory.usage",
        aggregation: "last",
        groupBy: "state",
      });
      return found.series.length > 2 ? found : null;
    });
    assert.deepEqual(memory.queries[0], { ...memory.queries[0], kind: "gauge", unit: "By" });
    const used = sumOfLast(memory);
    const total = await memoryOfHost();
    assert.ok(Math.abs(used / total - 1) < 0.1, `${used} of ${total} bytes`);

    const cpu = { metric: "system.cpu.time", aggregation: "rate" };
    const busy = await waitFor("the host's processors", async () => {
      const found = await ask({ ...cpu, groupBy: "cpu" });
      return found.series.length > 0 ? found : null;
    });
    assert.deepEqual(busy.queries[0], { ...busy.queries[0], kind: "counter" });
    assert.equal(busy.series.length, Math.min(10, navigator.hardwareConcurrency));
    await forwarder.stop();
    assert.deepEqual(await notStored(app), []);
  },
});

/** Without what the kernel keeps in slabs, which a collector counts among what is used or cached as well. */
function sumOfLast({ series }: MetricAnswer): number {
  return series.filter(({ labels }) => !labels["state"]?.startsWith("slab"))
    .reduce((sum, { last }) => sum + (last ?? 0), 0);
}

/** In bytes. */
async function memoryOfHost(): Promise<number> {
  const [, kibibytes] = /^MemTotal:\s+(\d+) kB$/m.exec(await Deno.readTextFile("/proc/meminfo")) ??
    [];
  return Number(kibibytes) * 1024;
}
