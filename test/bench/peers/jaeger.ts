import { freePort } from "../../support/server.ts";
import { waitFor } from "../../support/wait_for.ts";
import { treeCpuSeconds } from "../process_stats.ts";
import { goProgram, VERSIONS } from "./install.ts";
import type { Peer } from "./peer.ts";

const START_LIMIT_MS = 180_000;
/** In requests of the load; what does not fit is lost, as it answers before it stores. */
const QUEUE = 2_000_000;

/** Starts Jaeger as one process that keeps spans on disk (Badger); null after a line that says why not. */
export async function startJaeger(): Promise<Peer | null> {
  const program = "github.com/jaegertracing/jaeger/cmd/all-in-one";
  const binary = await goProgram("jaeger", program, VERSIONS.jaeger);
  if (binary === null) return null;
  await using made = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "watchpost-jaeger-" });
  made.defer(() => Deno.remove(dir, { recursive: true }));
  const address = () => `127.0.0.1:${freePort()}`;
  const [otlp, admin] = [address(), address()];
  const process = new Deno.Command(binary, {
    args: [
      "--badger.ephemeral=false",
      `--badger.directory-key=${dir}/key`,
      `--badger.directory-value=${dir}/value`,
      `--collector.queue-size=${QUEUE}`,
      `--collector.otlp.http.host-port=${otlp}`,
      `--collector.otlp.grpc.host-port=${address()}`,
      `--collector.grpc-server.host-port=${address()}`,
      `--collector.http-server.host-port=${address()}`,
      `--admin.http.host-port=${admin}`,
      `--query.http-server.host-port=${address()}`,
      `--query.grpc-server.host-port=${address()}`,
      "--log-level=error",
    ],
    cwd: dir,
    env: { SPAN_STORAGE_TYPE: "badger" },
    stdout: "null",
    stderr: "null",
  }).spawn();
  made.defer(async () => {
    try {
      process.kill("SIGTERM");
    } catch {
      // Ended by itself.
    }
    await process.status;
  });
  await waitFor("Jaeger", async () => {
    const answer = await fetch(`http://${admin}/`).catch(() => null);
    await answer?.body?.cancel();
    return answer?.ok || null;
  }, START_LIMIT_MS);
  const all = made.move();
  return {
    name: `Jaeger ${VERSIONS.jaeger}`,
    url: `http://${otlp}`,
    paths: ["/v1/traces"],
    cpu: () => treeCpuSeconds(process.pid),
    stored: () => savedSpans(admin),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function savedSpans(admin: string): Promise<number> {
  const text = await (await fetch(`http://${admin}/metrics`)).text();
  let saved = 0;
  for (const line of text.split("\n")) {
    const [, labels = "", value] =
      /^jaeger_collector_spans_saved_by_svc_total(\{.*\})? (\S+)$/.exec(line) ?? [];
    if (value !== undefined && !labels.includes('result="err"')) saved += Number(value);
  }
  return saved;
}
