import assert from "node:assert/strict";
import type { Sql } from "@/lib/store/database.ts";
import type { Outcome } from "@/lib/records/mod.ts";
import { StoreUnavailable } from "@/lib/core/errors.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { faultyLink } from "@/test/support/faulty_link.ts";
import { testDatabase } from "@/test/support/database.ts";
import { timeBudget } from "@/test/support/time_budget.ts";
import { waitFor } from "@/test/support/wait_for.ts";
import { type TestWriter, testWriter } from "@/test/support/writer.ts";

/** Long enough for what works, on a busy machine too. */
const TIMEOUT_MS = 2_500;

async function stored(sql: Sql): Promise<Set<string>> {
  const rows = await sql<
    { id: string }[]
  >`select replace(event_id::text, '-', '') as id from events`;
  return new Set(rows.map(({ id }) => id));
}

async function counts(sql: Sql): Promise<Record<string, number>> {
  const rows = await sql<{ kind: string; quantity: number }[]>`
    select kind, sum(quantity)::int as quantity from outcomes group by kind
  `;
  return Object.fromEntries(rows.map(({ kind, quantity }) => [kind, quantity]));
}

async function waitUntilItWorks(writer: TestWriter): Promise<void> {
  await waitFor("the writer to work again", async () => {
    try {
      return await writer.store("9", errorEvent());
    } catch (error) {
      if (error instanceof StoreUnavailable) return null;
      throw error;
    }
  });
}

Deno.test("commit() is refused in time while Postgres does not answer, and works when it does again", async () => {
  await using database = await testDatabase();
  await using link = faultyLink(database.sql);
  {
    // The first commit makes partitions, which takes a busy machine longer than the others may.
    await using first = testWriter(link.sql);
    await first.store("1", errorEvent());
  }
  await using writer = testWriter(link.sql, { timeoutMs: TIMEOUT_MS });

  link.pause();
  const began = Date.now();
  const results = await Promise.allSettled(
    Array.from({ length: 100 }, () => writer.store("1", errorEvent())),
  );
  const tookMs = Date.now() - began;
  await assert.rejects(writer.store("1", errorEvent()), StoreUnavailable);
  const nextTookMs = Date.now() - began - tookMs;
  link.resume();
  await waitUntilItWorks(writer);

  for (const result of results) {
    assert.ok(result.status === "rejected" && result.reason instanceof StoreUnavailable);
  }
  assert.ok(tookMs < TIMEOUT_MS + timeBudget(500), `answered after ${tookMs} ms`);
  assert.ok(nextTookMs < timeBudget(50), `then after ${nextTookMs} ms`);
  // What was given up does not appear later on.
  const { accepted } = await counts(database.sql);
  assert.equal((await stored(database.sql)).size, 2);
  assert.equal(accepted, 2);
});

Deno.test("broken connections lose no acknowledged event and count none twice", async () => {
  await using database = await testDatabase();
  await using link = faultyLink(database.sql);
  await using writer = testWriter(link.sql, { batch: { maxRecords: 10, maxBytes: 1_000_000 } });
  const acknowledged: string[] = [];
  const isDone = { yet: false };

  const sendAll = async () => {
    const callers = Array.from({ length: 16 }, async () => {
      for (let i = 0; i < 15; i++) {
        const event = errorEvent({ group: `group ${i % 5}`, user: `id:${i}` });
        await writer.store("1", event);
        acknowledged.push(event.eventId);
      }
    });
    await Promise.all(callers).finally(() => isDone.yet = true);
  };
  const cut = async () => {
    let seen = -1;
    while (!isDone.yet) {
      // Between two cuts something must get through.
      await waitFor("progress", () => isDone.yet || acknowledged.length > seen || null);
      seen = acknowledged.length;
      link.cut();
    }
  };
  await Promise.all([sendAll(), cut()]);

  assert.deepEqual(await stored(database.sql), new Set(acknowledged));
  const [issues] = await database.sql`select sum(times_seen)::int as "timesSeen" from issues`;
  assert.equal(issues?.timesSeen, 240);
  assert.deepEqual(await counts(database.sql), { accepted: 240 });
});

Deno.test("a connection that breaks during COMMIT does not make an event a duplicate of itself", async () => {
  await using database = await testDatabase();
  await using link = faultyLink(database.sql);
  await using writer = testWriter(link.sql, { inFlight: 1 });
  const dropped: Outcome = { category: "span", kind: "unsupported", reason: "later", quantity: 1 };

  await writer.store("1", errorEvent());
  // Only a new connection sends the statement's name, and now no partition is made before.
  link.cut();
  link.cutAfter("commit");
  const event = errorEvent();
  const result = await writer.commit("1", { records: [event], outcomes: [dropped] });

  assert.ok((await stored(database.sql)).has(event.eventId));
  const all = await counts(database.sql);
  assert.deepEqual(result, { stored: 1, duplicates: 0, refused: 0 });
  assert.deepEqual(all, { accepted: 2, unsupported: 1 });
});

Deno.test("counts that Postgres could not take are written when it is back", async () => {
  await using database = await testDatabase();
  await using link = faultyLink(database.sql);
  await using writer = testWriter(link.sql, { timeoutMs: TIMEOUT_MS });
  const refused: Outcome = { category: "error", kind: "refused", reason: "no_key", quantity: 1 };

  link.pause();
  writer.count("1", [refused]);
  await assert.rejects(writer.store("1", errorEvent()), StoreUnavailable);
  writer.count("1", [refused]);
  link.resume();

  await waitFor("the counts", async () => (await counts(database.sql)).refused === 2 || null);
});

Deno.test("close() ends in time while Postgres does not answer", async () => {
  await using database = await testDatabase();
  await using link = faultyLink(database.sql);
  await using writer = testWriter(link.sql, { timeoutMs: TIMEOUT_MS });
  link.pause();
  const commit = assert.rejects(writer.store("1", errorEvent()), StoreUnavailable);
  writer.count("1", [{ category: "error", kind: "refused", reason: "no_key", quantity: 1 }]);

  const began = Date.now();
  await writer.close();
  await commit;

  const tookMs = Date.now() - began;
  // The request that runs, the counts, and the folding of what was counted: a limit each.
  assert.ok(tookMs < 3 * TIMEOUT_MS + timeBudget(1_000), `closed after ${tookMs} ms`);
});
