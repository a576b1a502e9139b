import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { DEFAULT_SETTINGS } from "@/lib/accounts/projects.ts";
import { Refusal } from "@/lib/core/refusal.ts";
import type { DecodeJob } from "@/lib/ingest/decode_worker.ts";
import { Decoder, isLarge } from "@/lib/ingest/decoders.ts";
import { inflate } from "@/lib/ingest/inflate.ts";
import { protocolNamed } from "@/lib/ingest/protocols/named.ts";
import { decodeContext } from "@/test/support/decode_context.ts";
import { waitFor } from "@/test/support/wait_for.ts";

type Job = Omit<DecodeJob, "number">;

/** How the texts of Workers begin. */
const PORT = `import { parentPort } from "node:worker_threads"; parentPort`;

function jobOf(text: string, encoding = "gzip"): Job {
  const { policy: _, ...context } = decodeContext();
  const bytes = new TextEncoder().encode(text);
  return {
    protocol: "sentry_envelope",
    body: encoding === "gzip" ? new Uint8Array(gzipSync(bytes)) : bytes,
    encoding,
    maxDecodedBytes: 12_000_000,
    settings: DEFAULT_SETTINGS,
    context,
  };
}

/** A transaction whose spans have a secret each. */
function transaction(spans: number): string {
  const trace = { trace_id: "a".repeat(32), span_id: "b".repeat(16), op: "http.server" };
  const event = {
    event_id: "c".repeat(32),
    type: "transaction",
    transaction: "GET /orders",
    start_timestamp: 1_767_225_600,
    timestamp: 1_767_225_601,
    contexts: { trace },
    spans: Array.from({ length: spans }, (_, index) => ({
      trace_id: trace.trace_id,
      span_id: index.toString(16).padStart(16, "d"),
      parent_span_id: trace.span_id,
      op: "db.query",
      description: `select ${index}`,
      start_timestamp: 1_767_225_600.1,
      timestamp: 1_767_225_600.2,
      data: { password: "hunter2", "db.system": "postgresql" },
    })),
  };
  return `{}\n{"type":"transaction"}\n${JSON.stringify(event)}\n`;
}

async function ready(decoder: Decoder, job: Job): Promise<void> {
  assert.equal(await decoder.decode(job), null, "the first one is not waited for");
  await waitFor("the Worker", () => Promise.resolve(decoder.isReady || null));
}

function decodedHere({ protocol, body, encoding, maxDecodedBytes, context }: Job) {
  const decoded = inflate(body, encoding, maxDecodedBytes);
  return protocolNamed(protocol).decode(decoded, decodeContext(context));
}

Deno.test("what a Worker decodes is what is decoded here, scrubbed as well", async () => {
  const decoder = new Decoder();
  const job = jobOf(transaction(500));
  await ready(decoder, job);

  const apart = await decoder.decode(job);
  assert.deepEqual(apart, await decodedHere(job));
  assert.ok(!JSON.stringify(apart).includes("hunter2"));
  decoder.close();
});

Deno.test("a body that is refused here is refused there, in the same words", async () => {
  const decoder = new Decoder();
  await ready(decoder, jobOf(transaction(1)));
  const refusalOf = async (work: Promise<unknown>) => {
    const error: unknown = await work.then(() => null, (reason) => reason);
    assert.ok(error instanceof Refusal);
    return [error.status, error.detail, error.outcome];
  };
  const job = jobOf("this is no envelope");
  assert.deepEqual(
    await refusalOf(decoder.decode(job)),
    await refusalOf((async () => await decodedHere(job))()),
  );
  const damaged = { ...job, body: job.body.subarray(0, 15) };
  assert.equal((await refusalOf(decoder.decode(damaged)))[0], 400);
  decoder.close();
});

Deno.test("an error, of which source maps make more, is left to be decoded here", async () => {
  const decoder = new Decoder();
  const job = jobOf(`{}\n{"type":"event"}\n{"message":"boom"}\n`);
  await ready(decoder, job);
  assert.equal(await decoder.decode(job), null);
  decoder.close();
});

Deno.test("a body that never ends costs the Worker, and those behind it nothing", async () => {
  const text = `${PORT}.on("message", (data) => {
    if (data === "ready?") parentPort.postMessage("ready");
    else while (true);
  });`;
  const url = new URL(`data:application/javascript,${encodeURIComponent(text)}`);
  const decoder = new Decoder({ url, limitMs: 200 });
  const job = jobOf(transaction(1));
  await ready(decoder, job);

  const [hostile, behind] = await Promise.allSettled([decoder.decode(job), decoder.decode(job)]);
  assert.ok(hostile?.status === "rejected" && hostile.reason instanceof Refusal);
  assert.equal(hostile.reason.status, 413);
  assert.deepEqual(behind, { status: "fulfilled", value: null });
  assert.ok(!decoder.isReady);
  await ready(decoder, job);
  decoder.close();
});

Deno.test("a Worker that crashes is answered with 503 and replaced", async () => {
  const text = `${PORT}.on("message", (data) => {
    if (data === "ready?") parentPort.postMessage("ready");
    else throw new Error("crash");
  });`;
  const url = new URL(`data:application/javascript,${encodeURIComponent(text)}`);
  const decoder = new Decoder({ url });
  const job = jobOf(transaction(1));
  await ready(decoder, job);
  await assert.rejects(
    decoder.decode(job),
    (error) => error instanceof Refusal && error.status === 503,
  );
  await ready(decoder, job);
  decoder.close();
});

Deno.test("a body that unfolds to more than fits costs the Worker, and neither the process nor those behind it", async () => {
  const text = `${PORT}.on("message", (data) => {
    if (data === "ready?") return parentPort.postMessage("ready");
    const kept = [];
    while (true) kept.push({ key: {} });
  });`;
  const url = new URL(`data:application/javascript,${encodeURIComponent(text)}`);
  const decoder = new Decoder({ url, limitMs: 5_000, heapMb: 64 });
  const job = jobOf(transaction(1));
  await ready(decoder, job);

  const [hostile, behind] = await Promise.allSettled([decoder.decode(job), decoder.decode(job)]);
  assert.ok(hostile?.status === "rejected" && hostile.reason instanceof Refusal);
  assert.equal(hostile.reason.status, 413);
  assert.deepEqual(behind, { status: "fulfilled", value: null });
  await ready(decoder, job);
  decoder.close();
});

Deno.test("bodies are large by what they unfold to, and metrics and files are decoded here", () => {
  const envelope = protocolNamed("sentry_envelope");
  const large = jobOf(transaction(2_000));
  assert.ok(isLarge(large, envelope));
  assert.ok(!isLarge(jobOf(transaction(10)), envelope));
  assert.ok(!isLarge(large, protocolNamed("otlp_metrics")));
  assert.ok(!isLarge(large, protocolNamed("prometheus_write")));
});
