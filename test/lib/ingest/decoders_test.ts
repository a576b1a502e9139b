import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { DEFAULT_SETTINGS } from "@/lib/accounts/projects.ts";
import { Refusal } from "@/lib/core/refusal.ts";
import type { DecodeJob } from "@/lib/ingest/decode_worker.ts";
import { Decoder, isLarge, WorkerEnded } from "@/lib/ingest/decoders.ts";
import { inflate } from "@/lib/ingest/inflate.ts";
import { protocolNamed } from "@/lib/ingest/protocols/named.ts";
import { decodeContext } from "@/test/support/decode_context.ts";
import { workerOf, workerThat } from "@/test/support/decode_workers.ts";
import { tempDir } from "@/test/support/temp_dir.ts";
import { waitFor } from "@/test/support/wait_for.ts";

function jobOf(text: string, encoding = "gzip"): DecodeJob {
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

async function ready(decoder: Decoder, job: DecodeJob): Promise<void> {
  assert.equal(await decoder.decode(job), null, "the first one is not waited for");
  await waitFor("the Worker", () => Promise.resolve(decoder.isReady || null));
}

function decodedHere({ protocol, body, encoding, maxDecodedBytes, context }: DecodeJob) {
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

Deno.test("a body of some megabytes waits for the Worker to begin, and is not decoded where it came", async () => {
  const decoder = new Decoder();
  const job = jobOf(transaction(10_000));
  const apart = await decoder.decode(job);
  assert.notEqual(apart, null);
  assert.deepEqual(apart, await decodedHere(job));
  decoder.close();
});

Deno.test("bytes of which a buffer has more cross by themselves, in a form that Deno does not look through byte by byte", async () => {
  const work = `
    const { body } = job;
    const bytes = [...new Uint8Array(body.buffer, body.byteOffset, body.byteLength)];
    const sent = [body.constructor.name, body.buffer.byteLength, bytes];
    parentPort.postMessage({ kind: "decoded", batch: { parts: [], outcomes: sent } });
  `;
  const decoder = new Decoder({ url: workerThat(work) });
  const job = jobOf(transaction(1));
  await ready(decoder, job);
  const whole = Uint8Array.of(1, 2, 3, 4);
  const seenOf = async (body: Uint8Array) => (await decoder.decode({ ...job, body }))?.outcomes;
  assert.deepEqual(await seenOf(whole), ["DataView", 4, [1, 2, 3, 4]]);
  assert.deepEqual(await seenOf(whole.subarray(1, 3)), ["DataView", 2, [2, 3]]);
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
  const decoder = new Decoder({ url: workerThat("while (true);"), limitMs: 200 });
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

const ENDS = {
  "throws": "throw new Error('crash');",
  "throws later": "setTimeout(() => { throw new Error('crash'); }, 1);",
  "rejects": "Promise.reject(new Error('crash'));",
  "exits without a word": "process.exit(3);",
};

for (const [what, work] of Object.entries(ENDS)) {
  Deno.test(`a body over which a Worker ends that ${what} is given up when the next one ends as well`, async () => {
    await using folder = await tempDir();
    const runs = `${folder.path}/runs`;
    const note = `Deno.writeTextFileSync(${JSON.stringify(runs)}, "x", { append: true });`;
    const decoder = new Decoder({ url: workerThat(note + work) });
    const job = jobOf(transaction(1));
    await ready(decoder, job);
    const [hostile, behind] = await Promise.allSettled([decoder.decode(job), decoder.decode(job)]);
    assert.ok(hostile?.status === "rejected" && hostile.reason instanceof WorkerEnded);
    assert.equal(Deno.readTextFileSync(runs), "xx");
    assert.deepEqual(behind, { status: "fulfilled", value: null });
    await ready(decoder, job);
    decoder.close();
  });
}

Deno.test("a body that a Worker has when it ends for another reason is decoded by the next one", async () => {
  await using folder = await tempDir();
  const flag = JSON.stringify(`${folder.path}/ended`);
  const work = `
    try {
      Deno.writeTextFileSync(${flag}, "", { createNew: true });
      process.exit(1);
    } catch {
      parentPort.postMessage({ kind: "decoded", batch: { parts: [], outcomes: [] } });
    }
  `;
  const decoder = new Decoder({ url: workerThat(work) });
  const job = jobOf(transaction(1));
  await ready(decoder, job);
  assert.deepEqual(await decoder.decode(job), { records: [], outcomes: [] });
  decoder.close();
});

Deno.test("a Worker has one body at a time, also one that it reads by and by: it is known over which it ends", async () => {
  const work = `
    globalThis.inHand = (globalThis.inHand ?? 0) + 1;
    await new Promise((go) => setTimeout(go, 5));
    parentPort.postMessage({ kind: "decoded", batch: { inHand, parts: [] } });
    inHand--;
  `;
  const decoder = new Decoder({ url: workerThat(work) });
  const job = jobOf(transaction(1));
  await ready(decoder, job);
  const all = await Promise.all([1, 2, 3].map(() => decoder.decode(job)));
  assert.deepEqual(all, [1, 2, 3].map(() => ({ inHand: 1, records: [] })));
  decoder.close();
});

Deno.test("a body that waits patiently has its Worker, also behind one over which Workers end", async () => {
  const work = `
    if (job.encoding !== "gzip") process.exit(1);
    parentPort.postMessage({ kind: "decoded", batch: { parts: [], outcomes: [] } });
  `;
  const decoder = new Decoder({ url: workerThat(work) });
  const [hostile, behind] = await Promise.allSettled([
    decoder.decodePatiently(jobOf(transaction(1), "")),
    decoder.decodePatiently(jobOf(transaction(1))),
  ]);
  assert.ok(hostile?.status === "rejected" && hostile.reason instanceof WorkerEnded);
  assert.deepEqual(behind, { status: "fulfilled", value: { records: [], outcomes: [] } });
  decoder.close();
});

Deno.test("where no Worker starts, bodies are decoded where they came", async () => {
  const decoder = new Decoder({ url: workerOf("throw new Error('no Worker here')") });
  const job = jobOf(transaction(1));
  assert.equal(await decoder.decode(job), null);
  assert.equal(await decoder.decodePatiently(job), null);
  decoder.close();
});

Deno.test("a body that unfolds to more than fits costs the Worker, and neither the process nor those behind it", async () => {
  const url = workerThat("const kept = []; while (true) kept.push({ key: {} });");
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
