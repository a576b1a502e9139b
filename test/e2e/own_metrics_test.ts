/** A stock Prometheus scrapes Watchpost itself: what two isolates have counted is one number. */
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { envelopeUrl, errorEnvelope, post } from "../support/envelopes.ts";
import { freePort, startServer } from "../support/server.ts";
import { tempDir } from "../support/temp_dir.ts";
import { waitFor } from "../support/wait_for.ts";
import { startService } from "./clients/services.ts";

const PROMETHEUS = Deno.env.get("TEST_PROMETHEUS") ?? "/usr/bin/prometheus";
const hasPrometheus = await Deno.stat(PROMETHEUS).then(({ isFile }) => isFile, () => false);
if (!hasPrometheus) {
  console.warn(`skipped: there is no Prometheus at ${PROMETHEUS}; Debian's package is prometheus`);
}

const TOKEN = "a-token-for-metrics-0123";
const REQUESTS = 40;

function configuration(target: string): string {
  return `
global:
  scrape_interval: 500ms
  scrape_timeout: 500ms
scrape_configs:
  - job_name: watchpost
    authorization: { credentials: "${TOKEN}" }
    static_configs: [{ targets: ["${target}"] }]
`;
}

interface Answer {
  readonly data: {
    readonly result: readonly { readonly value: readonly [number, string] }[];
  };
}

Deno.test({
  name: "Prometheus scrapes all isolates as one, with the token, without a complaint",
  ignore: !hasPrometheus,
  async fn() {
    await using server = await startServer({ SERVICE_METRICS_TOKEN: TOKEN }, undefined, 2);
    await using directory = await tempDir();
    const { serverDsn } = await server.createProject("Shop");
    const config = directory.join("prometheus.yml");
    await Deno.writeTextFile(config, configuration(new URL(server.url).host));
    const listen = `127.0.0.1:${freePort()}`;
    await using _prometheus = await startService(
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
    const ask = async (query: string): Promise<number> => {
      const search = new URLSearchParams({ query });
      const answer = await fetch(`http://${listen}/api/v1/query?${search}`);
      const { data: { result } }: Answer = await answer.json();
      return Number(result[0]?.value[1] ?? NaN);
    };
    // Each has a connection of its own: both isolates get some.
    for (let n = 0; n < REQUESTS; n++) {
      const headers = { connection: "close" };
      const status = await post(envelopeUrl(serverDsn), errorEnvelope().body, { headers });
      assert.equal(status, 200);
    }

    const stored = 'sum(watchpost_requests_total{protocol="sentry_envelope",outcome="stored"})';
    await waitFor("the requests", async () => await ask(stored) === REQUESTS || null, 30_000);
    assert.equal(await ask('up{job="watchpost"}'), 1);
    assert.equal(await ask("watchpost_isolates"), 2);
    assert.equal(await ask('watchpost_records_stored_total{kind="error"}'), REQUESTS);
    assert.equal(await ask("sum(watchpost_commit_records_sum)"), REQUESTS);
    assert.equal(await ask("min(watchpost_store_up)"), 1);
    assert.equal(await ask("watchpost_migration_known - watchpost_migration_applied"), 0);
    assert.ok(await ask("histogram_quantile(0.9, watchpost_commit_duration_seconds_bucket)") > 0);
    assert.ok(await ask("process_resident_memory_bytes") > 50_000_000);
  },
});
