import assert from "node:assert/strict";
import { toEventRow } from "@/lib/ingest/writer/rows.ts";
import { OutcomeTally } from "@/lib/ingest/writer/counts.ts";
import { type Waiting, WriterQueue } from "@/lib/ingest/writer/writer.ts";
import { errorEvent } from "@/test/support/error_event.ts";

function waiting(records: number, bytes: number): Waiting {
  return {
    request: {
      projectId: "1",
      rows: Array.from({ length: records }, () => toEventRow("1", errorEvent())),
      outcomes: new OutcomeTally(),
      receipt: null,
      refused: 0,
    },
    bytes,
    deadline: 0,
    succeed() {},
    fail() {},
  };
}

const LIMITS = { maxRecords: 10, maxBytes: 1_000 };

Deno.test("offer() takes requests until records or bytes are too many, and again when some are taken", () => {
  const queue = new WriterQueue(LIMITS);

  assert.ok(queue.offer(waiting(6, 100)));
  assert.ok(!queue.offer(waiting(5, 100)), "11 records");
  assert.ok(!queue.offer(waiting(1, 901)), "1,001 bytes");
  assert.ok(queue.offer(waiting(4, 900)));
  assert.ok(!queue.offer(waiting(0, 0)), "a request without records takes room as well");
  queue.take(LIMITS);
  assert.ok(queue.isEmpty);
  assert.ok(queue.offer(waiting(10, 1_000)));
});

Deno.test("take() hands out requests in order, whole, up to the limits of a batch", () => {
  const queue = new WriterQueue({ maxRecords: 1_000, maxBytes: 1_000_000 });
  const requests = [
    waiting(3, 10),
    waiting(3, 10),
    waiting(5, 10),
    waiting(1, 995),
    waiting(1, 10),
  ];
  for (const request of requests) queue.offer(request);

  const batches = Array.from({ length: 4 }, () => queue.take(LIMITS));

  assert.deepEqual(batches.map((batch) => batch.map((request) => requests.indexOf(request))), [
    [0, 1],
    [2],
    [3],
    [4],
  ]);
  assert.deepEqual(queue.take(LIMITS), []);
});

Deno.test("take() hands out a request that is larger than a batch by itself", () => {
  const queue = new WriterQueue({ maxRecords: 1_000, maxBytes: 1_000_000 });
  queue.offer(waiting(50, 50_000));
  queue.offer(waiting(1, 10));

  assert.deepEqual(queue.take(LIMITS).map(({ request }) => request.rows.length), [50]);
});
