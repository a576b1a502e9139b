import assert from "node:assert/strict";
import { toEventRow } from "@/lib/ingest/writer/rows.ts";
import { OutcomeTally } from "@/lib/ingest/writer/counts.ts";
import { type Waiting, WriterQueue } from "@/lib/ingest/writer/queue.ts";
import { errorEvent } from "@/test/support/error_event.ts";

function waiting(records: number, bytes: number, projectId = "1"): Waiting {
  return {
    request: {
      projectId,
      rows: Array.from({ length: records }, () => toEventRow(projectId, errorEvent())),
      outcomes: new OutcomeTally(),
      receipt: null,
      refused: 0,
    },
    bytes,
    since: 0,
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

function projectsOf(batch: readonly Waiting[]): string {
  return batch.map(({ request }) => request.projectId).join("");
}

Deno.test("take() lets projects take turns, and of one that sends much only a share while others wait", () => {
  const queue = new WriterQueue({ maxRecords: 1_000, maxBytes: 10_000_000 });
  for (let index = 0; index < 100; index++) queue.offer(waiting(1, 10, "1"));
  for (const projectId of ["2", "3", "2"]) queue.offer(waiting(1, 10, projectId));
  const limits = { maxRecords: 256, maxBytes: 1_000_000 };

  const first = queue.take(limits);
  assert.equal(projectsOf(first).slice(0, 6), "123121");
  assert.ok(first.length < 50, "not all that waits of the one");
  assert.equal(projectsOf(queue.take(limits)), "1".repeat(103 - first.length), "alone it has all");
});

Deno.test("take() begins with the project that had no turn in the batch before", () => {
  const queue = new WriterQueue({ maxRecords: 1_000, maxBytes: 10_000_000 });
  for (const projectId of ["1", "1", "2", "2", "3"]) queue.offer(waiting(1, 10, projectId));
  const two = { maxRecords: 2, maxBytes: 1_000 };

  const batches = [queue.take(two), queue.take(two), queue.take(two)];
  assert.deepEqual(batches.map(projectsOf), ["12", "31", "2"]);
});

Deno.test("offer() has room for others when one project has filled the queue", () => {
  const queue = new WriterQueue({ maxRecords: 100, maxBytes: 1_000 });
  for (let index = 0; index < 100; index++) assert.ok(queue.offer(waiting(1, 1, "1")));

  assert.ok(!queue.offer(waiting(1, 1, "1")));
  let others = 0;
  while (queue.offer(waiting(1, 1, String(2 + others % 5)))) others++;
  assert.equal(others, 25, "a quarter more, and no end of it");
});
