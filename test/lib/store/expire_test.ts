import assert from "node:assert/strict";
import type { Sql } from "@/lib/store/database.ts";
import { deleteExpired, indexEventIds } from "@/lib/store/retention.ts";
import { testDatabase } from "../../support/database.ts";

const NOW = new Date("2026-11-20T15:00:00Z");
const RETENTION_DAYS = 10;
const EXPIRED = new Date("2026-11-08T23:59:59Z");
const KEPT = new Date("2026-11-09T00:00:00Z");
const never = new AbortController().signal;

async function insertIssue(sql: Sql, id: number, lastSeen: Date): Promise<void> {
  await sql`
    insert into issues (project_id, id, type, title, level, status_changed_at, first_seen, last_seen, last_seen_on)
    values (1, ${id}, 'error', 'Error', 'error', ${lastSeen}, ${EXPIRED}, ${lastSeen},
      (${lastSeen}::timestamptz at time zone 'UTC')::date)
  `;
  await sql`
    insert into issue_hashes (project_id, hash, version, issue_id)
    values (1, gen_random_uuid(), 1, ${id})
  `;
  await sql`insert into issue_users (project_id, issue_id, user_key) values (1, ${id}, 'id:7')`;
  await sql`
    insert into issue_tags (project_id, key, value, issue_id, last_seen)
    values (1, 'browser', 'Firefox', ${id}, '2026-11-20')
  `;
}

Deno.test("deleteExpired() removes what is older than the retention from every table, and nothing else", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  for (const [time, id] of [[EXPIRED, 1], [KEPT, 2]] as const) {
    await sql`insert into event_ids values (1, gen_random_uuid(), ${id}, ${time})`;
    await sql`insert into issue_hours (project_id, hour, issue_id, times_seen) values (1, ${time}, ${id}, 1)`;
    await sql`insert into issue_days (project_id, day, issue_id, times_seen) values (1, ${time}, ${id}, 1)`;
    await sql`insert into project_hours (project_id, hour, times_seen) values (1, ${time}, 1)`;
    await sql`
      insert into issue_tags (project_id, key, value, issue_id, last_seen) values (1, 'os', 'Linux', ${id}, ${time})
    `;
    await sql`
      insert into outcome_hours (project_id, hour, category, kind, quantity) values (1, ${time}, 'error', 'accepted', 1)
    `;
  }

  const deleted = await deleteExpired(sql, RETENTION_DAYS, never, NOW);

  assert.deepEqual(deleted, {
    event_ids: 1,
    issue_hours: 1,
    issue_days: 1,
    project_hours: 1,
    issue_tags: 1,
    outcome_hours: 1,
  });
  for (const table of Object.keys(deleted)) {
    assert.deepEqual([...await sql`select count(*)::int as count from ${sql(table)}`], [{
      count: 1,
    }]);
  }
});

Deno.test("deleteExpired() removes an issue without events with all that hangs on it", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await insertIssue(sql, 1, EXPIRED);
  await insertIssue(sql, 2, KEPT);

  assert.deepEqual(await deleteExpired(sql, RETENTION_DAYS, never, NOW), { issues: 1 });

  assert.deepEqual([...await sql`select id from issues`], [{ id: "2" }]);
  for (const table of ["issue_hashes", "issue_users", "issue_tags"]) {
    assert.deepEqual([...await sql`select issue_id as id from ${sql(table)}`], [{ id: "2" }]);
  }
});

Deno.test("deleteExpired() works in batches until all is gone, and stops between two when told to", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const fill = () =>
    sql`
      insert into event_ids
      select 1, gen_random_uuid(), 1, ${EXPIRED}::timestamptz from generate_series(1, 12000)
    `;
  await fill();
  assert.deepEqual(await deleteExpired(sql, RETENTION_DAYS, never, NOW), { event_ids: 12_000 });

  await fill();
  assert.deepEqual(await deleteExpired(sql, RETENTION_DAYS, AbortSignal.abort(), NOW), {});
});

Deno.test("the index of event ids by time is made once, and anew where a process has ended in the middle", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const isWhole = async () => {
    const rows = await sql<{ isWhole: boolean }[]>`
      select indisvalid as "isWhole" from pg_index where indexrelid = to_regclass('event_ids_by_time')
    `;
    return rows.map((row) => row.isWhole);
  };
  await indexEventIds(sql);
  await indexEventIds(sql);
  assert.deepEqual(await isWhole(), [true]);

  await sql`update pg_index set indisvalid = false where indexrelid = 'event_ids_by_time'::regclass`;
  await indexEventIds(sql);
  assert.deepEqual(await isWhole(), [true]);
});

Deno.test("event ids of all projects go from the oldest on, and none that is kept", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await indexEventIds(sql);
  await sql`
    insert into event_ids
    select 1 + n % 3, gen_random_uuid(), 1, ${KEPT}::timestamptz - n * interval '1 second' + interval '10 seconds'
    from generate_series(0, 29999) as n
  `;
  assert.deepEqual(await deleteExpired(sql, RETENTION_DAYS, never, NOW), { event_ids: 29_989 });
  const [left] =
    await sql`select count(*)::int as count, min("timestamp") as oldest from event_ids`;
  assert.deepEqual({ ...left }, { count: 11, oldest: KEPT });
});
