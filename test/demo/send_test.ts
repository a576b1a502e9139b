import assert from "node:assert/strict";
import { envelopeDelivery, otlpDelivery, sendAll } from "../../demo/send.ts";
import { Random } from "../../demo/chance.ts";
import { history, telemetryOf } from "../../demo/traces.ts";
import { readTrace } from "../../lib/traces/read_trace.ts";
import { envelopeUrl } from "../support/envelopes.ts";
import { listeningApp } from "../support/listening_app.ts";

const checkout = history(new Random(7), new Date()).find(({ root }) =>
  root.work.name === "/checkout"
);
assert.ok(checkout);
const { envelopes, requests } = telemetryOf([checkout]);

Deno.test("a trace that two kinds of SDKs send in parts is stored as one", async () => {
  await using app = await listeningApp();
  const url = envelopeUrl(app.serverDsn);
  const result = await sendAll([
    ...envelopes.map((envelope) => envelopeDelivery(url, envelope)),
    ...requests.map((request) => otlpDelivery(app.serverDsn, request)),
  ]);
  assert.deepEqual(result, { sent: envelopes.length + requests.length, refused: 0 });

  const trace = await readTrace(app.services.sql, app.projectId, checkout.traceId);
  const services = new Set(trace?.spans.map(({ service }) => service));
  assert.deepEqual([...services].sort(), ["orders", "payments", "storefront", "web"]);
  const ids = new Set(trace?.spans.map(({ spanId }) => spanId));
  const lost = trace?.spans.filter(({ parentSpanId }) =>
    parentSpanId !== null && !ids.has(parentSpanId)
  );
  assert.deepEqual(lost, []);
  const logged = new Set(trace?.logs.map(({ spanId }) => spanId));
  assert.ok(logged.size >= 2, "the storefront and the orders log");
});

Deno.test("nothing more is sent to an address that refuses the key", async () => {
  let asked = 0;
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
    asked++;
    return new Response("A server key is needed.", { status: 403 });
  });
  const delivery = {
    url: `http://127.0.0.1:${server.addr.port}/v1/traces`,
    headers: {},
    body: () => "{}",
  };
  using _quiet = silenced();
  const result = await sendAll(Array.from({ length: 50 }, () => delivery));
  assert.deepEqual(result, { sent: 0, refused: 50 });
  assert.ok(asked <= 8, `asked ${asked} times`);
});

/** The demo says on the console what was refused. */
function silenced(): Disposable {
  const { error } = console;
  console.error = () => {};
  return { [Symbol.dispose]: () => void (console.error = error) };
}
