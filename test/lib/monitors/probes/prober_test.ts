import assert from "node:assert/strict";
import { startProber } from "@/lib/monitors/probes/prober.ts";
import { httpServer, LOCAL, target, tcpServer } from "../../../support/probe_targets.ts";

function testProber() {
  const warnings: string[] = [];
  const log = { warn: (message: string) => void warnings.push(message) };
  const prober = startProber({ policy: LOCAL, log });
  return { ...prober, warnings, [Symbol.dispose]: () => prober.close() };
}

Deno.test("a prober checks in its own thread and answers as probe() does", async () => {
  await using server = await httpServer((request, response) => {
    response.end(request.headers.traceparent);
  });
  using prober = testProber();
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const looked = target({
    kind: "http",
    url: `http://127.0.0.1:${server.port}/`,
    keyword: { text: traceparent },
  });
  const seen = await prober.probe(looked, { traceparent });
  assert.deepEqual([seen.state, seen.status, seen.problem], ["up", 200, null]);
  assert.ok(seen.at instanceof Date);
  const many = await Promise.all(
    Array.from({ length: 50 }, () => prober.probe(looked, { traceparent })),
  );
  assert.ok(many.every(({ state }) => state === "up"));
  assert.deepEqual(prober.warnings, []);
});

const BUSY_MS = 1_000;

Deno.test("a prober counts none of the time for which the app's own thread is busy", async () => {
  await using server = await httpServer((_request, response) => response.end());
  using prober = testProber();
  const away = target({ kind: "tcp", host: "127.0.0.1", port: server.port });
  await prober.probe(away);
  const durations: number[] = [];
  // What else the machine has to do may hold its thread up as well, but not each time.
  while (durations.length < 5 && !durations.some((durationMs) => durationMs < BUSY_MS / 2)) {
    const looking = prober.probe(away);
    const until = performance.now() + BUSY_MS;
    while (performance.now() < until);
    const { durationMs, state } = await looking;
    assert.equal(state, "up");
    durations.push(durationMs);
  }
  assert.ok(durations.some((durationMs) => durationMs < BUSY_MS / 2), `${durations} ms`);
});

Deno.test("a check of a prober ends as stopped when it is told to, or the prober is closed", async () => {
  await using hanging = await tcpServer(() => {});
  using prober = testProber();
  const looked = target({ kind: "http", url: `http://127.0.0.1:${hanging.port}/` });
  const stopping = new AbortController();
  const one = prober.probe(looked, { signal: stopping.signal });
  stopping.abort();
  assert.equal((await one).problem?.kind, "stopped");
  const two = prober.probe(looked);
  prober.close();
  assert.equal((await two).problem?.kind, "stopped");
  assert.equal((await prober.probe(looked)).problem?.kind, "stopped");
});

Deno.test("a prober checks beside the app where there are no threads, and says so once", async () => {
  await using server = await httpServer((_request, response) => response.end());
  const { Worker } = globalThis;
  Reflect.deleteProperty(globalThis, "Worker");
  try {
    using prober = testProber();
    const looked = target({ kind: "http", url: `http://127.0.0.1:${server.port}/` });
    assert.equal((await prober.probe(looked)).state, "up");
    assert.equal((await prober.probe(looked)).state, "up");
    assert.deepEqual(prober.warnings, ["checks run beside the app, as there are no threads"]);
  } finally {
    globalThis.Worker = Worker;
  }
});
