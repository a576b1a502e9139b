import assert from "node:assert/strict";
import fc from "fast-check";
import type { Sql } from "@/lib/store/database.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { testDatabase } from "@/test/support/database.ts";
import { testWriter } from "@/test/support/writer.ts";

/** Few values each, so that events meet: in ids, issues, users, hours and days. */
const anyEvent = fc.record({
  eventId: fc.integer({ min: 1, max: 60 }).map((n) => n.toString(16).padStart(32, "0")),
  group: fc.constantFrom("a", "b", "c"),
  user: fc.constantFrom(null, "id:1", "id:2", 'id:"3"\\'),
  environment: fc.constantFrom("", "production", "stage,d"),
  release: fc.constantFrom("", "1.0", "{2}"),
  timestamp: fc.integer({ min: 0, max: 60 }).map((hours) =>
    new Date(Date.UTC(2026, 10, 18) + hours * 3_599_000)
  ),
});
const anyWork = fc.array(
  fc.record({
    writer: fc.integer({ min: 0, max: 1 }),
    projectId: fc.constantFrom("1", "2"),
    events: fc.array(anyEvent, { maxLength: 8 }),
  }),
  { maxLength: 12 },
);

/** Rows of a tally that differ from what the stored events add up to. */
async function differences(sql: Sql): Promise<readonly unknown[]> {
  return await sql`
    (
      select 'issues' as tally, project_id, issue_id as id, count(*)::text as counted,
        count(distinct user_key)::text as users, min("timestamp") as first, max("timestamp") as last
      from events group by project_id, issue_id
      except
      select 'issues', project_id, id, times_seen::text, users_seen::text, first_seen, last_seen
      from issues
    ) union all (
      select tally, project_id, id, key || ':' || n, null, null, null from (
        (
          select 'hours' as tally, project_id, issue_id as id,
            concat_ws('|', date_trunc('hour', "timestamp", 'UTC'), environment, release) as key,
            count(*) as n
          from events group by project_id, issue_id, 4
          union all
          select 'days', project_id, issue_id,
            concat_ws('|', ("timestamp" at time zone 'UTC')::date, environment, release), count(*)
          from events group by project_id, issue_id, 4
          union all
          select 'project', project_id, 0,
            concat_ws('|', date_trunc('hour', "timestamp", 'UTC'), environment, release), count(*)
          from events group by project_id, 4
        )
        except
        (
          select 'hours', project_id, issue_id, concat_ws('|', hour, environment, release), times_seen
          from issue_hours
          union all
          select 'days', project_id, issue_id, concat_ws('|', day, environment, release), times_seen
          from issue_days
          union all
          select 'project', project_id, 0, concat_ws('|', hour, environment, release), times_seen
          from project_hours
        )
      ) as unequal
    )
  `;
}

Deno.test("whatever is committed by whom, all counts are those of the stored events", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using one = testWriter(sql);
  await using two = testWriter(database.connect());
  const expected = { events: 0, accepted: 0, duplicates: 0 };
  let run = 0;
  await fc.assert(
    fc.asyncProperty(anyWork, async (work) => {
      // Each run has projects of its own.
      const prefix = ++run;
      const projectOf = (projectId: string) => `${prefix}${projectId}`;
      const results = await Promise.all(
        work.map(({ writer, projectId, events }) =>
          (writer === 0 ? one : two).store(
            projectOf(projectId),
            ...events.map((event) => errorEvent(event)),
          )
        ),
      );

      const sent = work.flatMap(({ projectId, events }) =>
        events.map(({ eventId }) => `${projectId}/${eventId}`)
      );
      const stored = results.reduce((sum, result) => sum + result.stored, 0);
      const duplicates = results.reduce((sum, result) => sum + result.duplicates, 0);
      expected.events += stored;
      expected.accepted += stored;
      expected.duplicates += duplicates;
      const [counts] = await sql`
        select (select count(*) from events)::int as events,
          (select coalesce(sum(quantity) filter (where kind = 'accepted'), 0) from outcomes)::int
            as accepted,
          (select coalesce(sum(quantity) filter (where kind = 'duplicate'), 0) from outcomes)::int
            as duplicates
      `;
      assert.equal(stored, new Set(sent).size);
      assert.equal(stored + duplicates, sent.length);
      assert.deepEqual({ ...counts }, expected);
      assert.deepEqual([...await differences(sql)], []);
    }),
    { numRuns: 15, endOnFailure: true },
  );
});
