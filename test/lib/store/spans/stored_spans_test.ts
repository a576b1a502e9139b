import assert from "node:assert/strict";
import { DAY_MS } from "@/lib/core/time.ts";
import type { SpanBatch } from "@/lib/records/mod.ts";
import type { Sql } from "@/lib/store/database.ts";
import { deleteAged } from "@/lib/store/project_retention.ts";
import { openChunk } from "@/lib/store/spans/chunk.ts";
import {
  eraseSpans,
  packedColumns,
  type PackedRow,
  withSpans,
} from "@/lib/store/spans/stored_spans.ts";
import { databaseKind, testDatabase } from "@/test/support/database.ts";
import { newEventId } from "@/test/support/error_event.ts";
import { testObjects } from "@/test/support/objects.ts";
import { spanBatchRecord, spanRecord } from "@/test/support/records.ts";
import { WORKERS } from "@/test/support/throw_away_database.ts";
import { waitFor } from "@/test/support/wait_for.ts";
import { testWriter } from "@/test/support/writer.ts";

async function readTrace(sql: Sql, projectId: string, traceId: string): Promise<string[]> {
  const rows = await sql<PackedRow[]>`
    select ${packedColumns(sql)} from span_batches
    where project_id = ${projectId} and trace_id = ${traceId}
  `;
  return (await withSpans(sql, projectId, rows)).flatMap(({ spans }) =>
    spans.map(({ description }) => description)
  );
}

async function textsOfChunks(sql: Sql): Promise<string[]> {
  const chunks = await sql<{ spans: Uint8Array }[]>`select spans from span_chunks`;
  return chunks.flatMap(({ spans }) => {
    const chunk = openChunk(spans);
    return chunk.counts.flatMap((count, place) =>
      chunk.part(place, new Uint8Array(8 * count)).map(({ description }) => description)
    );
  });
}

async function count(sql: Sql, table: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from ${sql(table)}`;
  return row?.count ?? 0;
}

function saying(description: string, fields: Partial<SpanBatch> = {}): SpanBatch {
  return spanBatchRecord({ spans: [spanRecord({ description })], ...fields });
}

Deno.test("traces that commit together lie in one chunk a project, and each is read by itself", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const [one, other, foreign] = [saying("one"), saying("other"), saying("foreign")];
  await Promise.all([writer.store("1", one, other), writer.store("2", foreign, saying("more"))]);

  assert.equal(await count(sql, "span_chunks"), 2);
  assert.deepEqual(await readTrace(sql, "1", one.traceId), ["one"]);
  assert.deepEqual(await readTrace(sql, "1", other.traceId), ["other"]);
  assert.deepEqual(await readTrace(sql, "2", foreign.traceId), ["foreign"]);
  assert.deepEqual(await readTrace(sql, "2", one.traceId), []);
});

Deno.test("a batch that comes alone needs no chunk", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const batch = saying("alone");
  await writer.store("1", batch);

  assert.equal(await count(sql, "span_chunks"), 0);
  assert.deepEqual(await readTrace(sql, "1", batch.traceId), ["alone"]);
});

Deno.test("what an earlier version stored is read beside what is stored now", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const batch = saying("now");
  await writer.store("1", batch);
  await sql`update span_batches set chunk_id = null, place = null, facts_id = null`;

  assert.deepEqual(await readTrace(sql, "1", batch.traceId), ["now"]);
});

Deno.test("an erased trace leaves nothing in its chunk, and the others stay; the last takes the chunk with it", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const [kept, erased] = [saying("kept"), saying("erased")];
  await writer.store("1", erased, kept);

  assert.equal(await eraseSpans(sql, "1", [erased.traceId]), 1);

  assert.deepEqual(await textsOfChunks(sql), ["kept"]);
  assert.deepEqual(await readTrace(sql, "1", erased.traceId), []);
  assert.deepEqual(await readTrace(sql, "1", kept.traceId), ["kept"]);
  assert.equal(await eraseSpans(sql, "2", [kept.traceId]), 0);
  assert.equal(await eraseSpans(sql, "1", [kept.traceId, erased.traceId]), 1);
  assert.equal(await count(sql, "span_chunks"), 0);
});

Deno.test("two who erase traces of one chunk at once both take theirs", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const batches = Array.from({ length: 6 }, (_, at) => saying(`span ${at}`));
  await writer.store("1", ...batches);

  await Promise.all(
    batches.slice(1).map(({ traceId }) => eraseSpans(sql, "1", [traceId])),
  );

  assert.deepEqual(await textsOfChunks(sql), ["span 0"]);
  assert.deepEqual(await readTrace(sql, "1", batches[0]?.traceId ?? ""), ["span 0"]);
});

Deno.test({
  name: "what another transaction stores meanwhile is taken out of the chunk again",
  // The embedded one has one session, which nobody shares within a transaction.
  ignore: databaseKind === "embedded",
  async fn() {
    await using database = await testDatabase();
    const { sql } = database;
    await using writer = testWriter(sql);
    const [same, other] = [saying("same"), saying("other")];
    await writer.store("2", same);
    let storing: Promise<unknown> = Promise.resolve();
    await sql.begin(async (tx) => {
      await tx`
        insert into span_batches
        select (jsonb_populate_record(batch, '{"project_id": 1}')).* from span_batches as batch
      `;
      storing = writer.store("1", same, other);
      await waitFor("the writer to wait for this transaction", async () => {
        const rows = WORKERS.length > 0
          ? await sql`select 1 from citus_lock_waits`
          : await sql`select 1 from pg_locks where not granted`;
        return rows.length > 0 || undefined;
      });
    });
    assert.deepEqual(await storing, { stored: 1, duplicates: 1, refused: 0 });

    assert.deepEqual(await textsOfChunks(sql), ["other"]);
    assert.deepEqual(await readTrace(sql, "1", same.traceId), ["same"]);
    assert.deepEqual(await readTrace(sql, "1", other.traceId), ["other"]);
  },
});

Deno.test("retention of a project takes chunks with the last of their batches", async () => {
  await using database = await testDatabase();
  await using stores = await testObjects();
  const { sql } = database;
  const at = (ago: number) => ({ timestamp: new Date(Date.now() - ago * DAY_MS) });
  const recent = saying("recent", at(1));
  {
    await using writer = testWriter(sql);
    await writer.store("1", saying("old", at(10)), saying("old too", at(10)));
    await writer.store("1", recent, saying("recent too", at(1)));
  }

  const never = new AbortController().signal;
  await deleteAged({ sql, ...stores }, { projectId: "1", days: { transactions: 5 } }, never);

  assert.equal(await count(sql, "span_batches"), 2);
  assert.equal((await textsOfChunks(sql)).length, 2);
  assert.deepEqual(await readTrace(sql, "1", recent.traceId), ["recent"]);
});

Deno.test("what spans work with is stored once a day, however often it comes", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  for (let round = 0; round < 3; round++) await writer.store("1", saying("a"), saying("b"));

  const facts = await sql`
    select said.facts, count(*)::int as batches from span_batches as batch
    join span_facts as said on said.project_id = batch.project_id
      and said.facts_id = batch.facts_id and said."timestamp" = date_trunc('day', batch."timestamp")
    group by 1
  `;
  assert.deepEqual(facts.map((row) => ({ ...row })), [
    { facts: { "db.system.name": ["postgresql"] }, batches: 6 },
  ]);
  assert.equal(await count(sql, "span_facts"), 1);
});

Deno.test("senders whose first commit failed are written by the next", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const batch = saying("again", { traceId: newEventId() });
  // Postgres refuses the other record, and the commit with it; it is stored again without.
  await writer.store("1", batch, saying("bad", { traceId: "no uuid" }));

  const [row] = await sql<{ sources: number; facts: number }[]>`
    select (select count(*)::int from span_sources) as sources,
      (select count(*)::int from span_facts) as facts
  `;
  assert.deepEqual({ ...row }, { sources: 1, facts: 1 });
  assert.deepEqual(await readTrace(sql, "1", batch.traceId), ["again"]);
});
