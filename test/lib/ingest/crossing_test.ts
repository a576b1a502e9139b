import assert from "node:assert/strict";
import { clearImmediate, setImmediate } from "node:timers";
import { MessageChannel } from "node:worker_threads";
import { type CrossingBatch, fromCrossing, toCrossing } from "@/lib/ingest/crossing.ts";
import type { TelemetryRecord } from "@/lib/records/mod.ts";
import {
  attachmentRecord,
  logRecord,
  profileRecord,
  spanBatchRecord,
  spanRecord,
  transactionRecord,
} from "../../support/records.ts";

function batchOf(records: readonly TelemetryRecord[]) {
  return { records, outcomes: [], eventId: null };
}

/** To another port and back. */
async function crossed(records: readonly TelemetryRecord[]): Promise<CrossingBatch> {
  const { batch, buffers } = toCrossing(batchOf(records));
  const { port1, port2 } = new MessageChannel();
  const arrived = new Promise<CrossingBatch>((resolve) => port2.once("message", resolve));
  port1.postMessage(batch, [...buffers]);
  const result = await arrived;
  port1.close();
  port2.close();
  return result;
}

const fileOf = (size: number) =>
  attachmentRecord({ blob: { ...attachmentRecord().blob, bytes: new Uint8Array(size).fill(7) } });

Deno.test("records of all kinds come back as they were and in their order, few or many", async () => {
  const logs = (count: number) => Array.from({ length: count }, () => logRecord());
  const spans = Array.from({ length: 600 }, () => spanRecord());
  const mixed = [fileOf(10), ...logs(700), transactionRecord(), spanBatchRecord({ spans })];
  for (const make of [[], logs(3), [...mixed, fileOf(100_000), profileRecord(), ...logs(1_200)]]) {
    const before = structuredClone(make);
    assert.deepEqual(await fromCrossing(await crossed(make)), batchOf(before));
  }
});

Deno.test("between some hundred records and the next others have their turn", async () => {
  const batch = await crossed(Array.from({ length: 2_000 }, () => logRecord()));
  assert.equal(batch.parts.length, 4);
  let turns = 0;
  const count = () => {
    turns++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  await fromCrossing(batch);
  clearImmediate(timer);
  assert.ok(turns >= 3, `${turns} turns`);
});

Deno.test("large files change hands with all that lies beside them, and small ones are copied", () => {
  const records = [fileOf(10), fileOf(100_000), ...Array.from({ length: 600 }, () => logRecord())];
  const { batch, buffers } = toCrossing(batchOf(records));
  const [small, large] = records.map((record) =>
    record.kind === "attachment" ? record.blob.bytes.buffer : null
  );
  assert.ok(large instanceof ArrayBuffer && buffers.includes(large));
  assert.deepEqual(batch.parts.map(Array.isArray), [true, false], "files are not written out");
  assert.ok(small instanceof ArrayBuffer && !buffers.includes(small));
});
