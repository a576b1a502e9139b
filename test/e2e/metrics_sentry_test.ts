/** Shops that count with Sentry's SDKs: what they counted is what the query API answers. */
import assert from "node:assert/strict";
import { listeningApp } from "../support/listening_app.ts";
import { nodeClient, pythonClient } from "./clients/install.ts";
import { askMetrics, isAnswered } from "./clients/metrics_story.ts";
import { notStored } from "./clients/stored.ts";

const [node, python] = await Promise.all([
  nodeClient("metrics_sentry_node"),
  pythonClient("metrics_sentry_python"),
]);

for (const [name, client] of [["Node", node], ["Python", python]] as const) {
  Deno.test({
    name: `what Sentry in ${name} counts is what is answered`,
    ignore: client === null,
    async fn() {
      if (client === null) return;
      await using app = await listeningApp();
      await client.run(app.serverDsn);
      const scope = { environment: "production", release: "1.4.2" };
      await isAnswered(await askMetrics(app), scope);
      assert.deepEqual(await notStored(app), []);
    },
  });
}
