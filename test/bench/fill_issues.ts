import type { Sql } from "../../lib/store/database.ts";
import { ensurePartitions } from "../../lib/store/partitions.ts";

const EVENTS = 1_000_000;
const ISSUES = 5_000;
const DAYS = 14;
const DAY_MS = 86_400_000;
/** A new release is out every so many seconds; for a while the one before it is seen as well. */
const RELEASE_SEC = 1.5 * 86_400;
/** The n-th issue has 1/n^ZIPF as many events as the first one. */
const ZIPF = 0.9;

/**
 * Fills a project straight by SQL, as the writer would have: a few issues have most of the events, a third of the
 * issues is younger than the range, tags have 8 to 2,000 values, and payloads are as wide in the table as real
 * ones, whose text is stored apart from it.
 */
export async function fillIssues(sql: Sql, projectId: string): Promise<void> {
  const days = Array.from({ length: DAYS + 2 }, (_, i) => new Date(Date.now() - (i - 1) * DAY_MS));
  await ensurePartitions(sql, days);
  await sql`select setseed(0.42)`;
  await insertEvents(sql, projectId);
  await sql`
    insert into event_ids (project_id, event_id, issue_id, "timestamp")
    select project_id, event_id, issue_id, "timestamp" from events
  `;
  await insertUsersAndTags(sql);
  await insertTallies(sql);
  await insertIssues(sql);
  await insertTexts(sql);
  await insertTeam(sql);
  await sql`vacuum analyze`;
}

async function insertEvents(sql: Sql, projectId: string): Promise<void> {
  await sql`
    insert into events (
      project_id, issue_id, "timestamp", event_id, received_at, level, platform, environment, release,
      transaction, title, user_key, trace_id, tags, payload
    )
    with weights as (
      select id, power(id, ${-ZIPF}::float8) as weight, random() as birth
      from generate_series(1, ${ISSUES}) as id
    ),
    sizes as (
      select id, greatest(1, round(weight / sum(weight) over () * ${EVENTS}))::int as size,
        case when id % 3 = 0 then birth * 0.8 else 0 end as birth
      from weights
    ),
    happened as (
      select id, now() - make_interval(secs => ${DAYS * 86_400}::float8 * (1 - birth) * random())
          as "timestamp",
        random() as a, random() as b, (random() * 50000)::int as person
      from sizes, generate_series(1, size)
    )
    select ${projectId}::bigint, id, date_trunc('milliseconds', "timestamp"), gen_random_uuid(),
      "timestamp", 'error', 'node',
      case when a < 0.8 then 'production' when a < 0.95 then 'staging' else 'development' end,
      'shop@1.' || ((extract(epoch from "timestamp") / ${RELEASE_SEC}::float8)::int
        - case when b < 0.3 then 1 else 0 end),
      'POST /orders/' || id % 40, 'TypeError: Cannot read property ' || md5(id::text),
      case when b < 0.7 then 'id:' || person end, gen_random_uuid(),
      jsonb_build_object(
        'browser', (array['Chrome', 'Firefox', 'Safari', 'Edge'])[1 + (a * 1000)::int % 4],
        'os', (array['Windows', 'macOS', 'Linux', 'Android'])[1 + (b * 1000)::int % 4],
        'server', 'web-' || person % 12, 'url', '/orders/' || person % 200,
        'customer', 'c' || person % 2000
      ),
      convert_to('{"platform":"node","message":"' || repeat(md5(person::text), 8) || '"}', 'UTF8')
    from happened
  `;
}

async function insertUsersAndTags(sql: Sql): Promise<void> {
  await sql`
    insert into issue_users (project_id, issue_id, user_key)
    select distinct project_id, issue_id, user_key from events where user_key is not null
  `;
  await sql`
    insert into issue_tags (project_id, key, value, issue_id, last_seen)
    select project_id, key, value, issue_id, max(day) from (
      select project_id, issue_id, ("timestamp" at time zone 'UTC')::date as day, tag.key, tag.value
      from events, jsonb_each_text(tags || jsonb_build_object('environment', environment,
        'release', release, 'transaction', transaction)) as tag
    ) as seen
    group by 1, 2, 3, 4
    order by max(day)
  `;
}

async function insertTallies(sql: Sql): Promise<void> {
  await sql`
    insert into issue_hours (project_id, hour, issue_id, environment, release, times_seen)
    select project_id, date_trunc('hour', "timestamp", 'UTC'), issue_id, environment, release, count(*)
    from events group by 1, 2, 3, 4, 5 order by 2
  `;
  await sql`
    insert into issue_days (project_id, day, issue_id, environment, release, times_seen)
    select project_id, (hour at time zone 'UTC')::date, issue_id, environment, release, sum(times_seen)
    from issue_hours group by 1, 2, 3, 4, 5 order by 2
  `;
  await sql`
    insert into project_hours (project_id, hour, environment, release, times_seen)
    select project_id, hour, environment, release, sum(times_seen)
    from issue_hours group by 1, 2, 3, 4
  `;
}

async function insertIssues(sql: Sql): Promise<void> {
  await sql`
    insert into issues (
      project_id, id, type, title, culprit, level, platform, metadata, status, status_changed_at, first_seen,
      last_seen, last_seen_on, first_release, last_release, times_seen, users_seen
    )
    select project_id, issue_id, 'error', title, 'orders in place' || issue_id % 100, 'error', 'node',
      jsonb_build_object('type', 'TypeError', 'value', md5(issue_id::text) || ' of undefined'),
      (array['unresolved', 'unresolved', 'unresolved', 'resolved', 'ignored'])[1 + issue_id % 5],
      min("timestamp"), min("timestamp"), max("timestamp"),
      (max("timestamp") at time zone 'UTC')::date, min(release), max(release), count(*),
      count(distinct user_key)
    from events group by project_id, issue_id, title
  `;
  await sql`select setval('issue_ids', ${ISSUES})`;
}

/** Frames of the framework that nearly every stack has, of the application that some share, and of each issue alone. */
const FRAMES = { framework: 30, shared: 600, sharedEach: 6, ownEach: 4 };

/**
 * What stacks say: 40 frames an issue, of which 30 are the same everywhere, the exception's value, and lines of the
 * application; ids as hashes of the text, as the writer makes them.
 */
async function insertTexts(sql: Sql): Promise<void> {
  await sql`
    create temporary table said on commit preserve rows as
    select project_id, id as issue_id, text.kind, text.text
    from issues,
    lateral (
      select 0::smallint as kind, lower(metadata->>'value') as text
      union all
      select 1, E'next\\nlib/router/layer' || n || E'.js\\nexpress.router\\n/app/node_modules/express/lib/router/layer'
        || n || E'.js\\nexpress'
      from generate_series(1, ${FRAMES.framework}::int) as n
      union all
      select 1, 'handle' || (id * 7 + n * 13) % ${FRAMES.shared} || E'\\nsrc/orders/handler'
        || (id * 7 + n * 13) % ${FRAMES.shared} || E'.ts\\nsrc.orders\\n/app/src/orders/handler.ts\\n'
      from generate_series(1, ${FRAMES.sharedEach}::int) as n
      union all
      select 1, 'step' || id || '_' || n || E'\\nsrc/shop/step' || id || E'.ts\\nsrc.shop\\n/app/src/shop/step'
        || id || E'.ts\\n'
      from generate_series(1, ${FRAMES.ownEach}::int) as n
      union all
      select 2, ((id * 31 + n * 17) % 900)::text from generate_series(1, 10) as n
    ) as text
  `;
  await sql`
    insert into search_texts (project_id, id, kind, text, seen_on)
    select distinct project_id, hashtextextended(kind || text, 0), kind, text, current_date from said
  `;
  await sql`
    insert into issue_texts (project_id, text_id, issue_id)
    select distinct project_id, hashtextextended(kind || text, 0), issue_id from said
  `;
  await sql`drop table said`;
}

/** A fifth of the issues is assigned, to fifty people and teams; a tenth is new, as many came back. */
async function insertTeam(sql: Sql): Promise<void> {
  await sql`
    update issues set
      number = id,
      priority = (array['high', 'medium', 'low'])[1 + id % 3],
      substatus = case when status = 'unresolved'
        then (array['new', 'regressed', 'ongoing', 'ongoing', 'ongoing'])[1 + (id / 5) % 5]
        when status = 'ignored' then 'archived_forever' end,
      substatus_since = case when status <> 'resolved' then last_seen - interval '1 hour' * (id % 48) end,
      reviewed_at = case when id % 7 = 0 then now() end,
      assignee_kind = case when id % 5 = 0 then (array['user', 'team'])[1 + (id / 5) % 2] end,
      assignee_id = case when id % 5 = 0 then ((id / 5) % 50)::text end
  `;
  await sql`
    insert into issue_people (project_id, issue_id, user_id, is_bookmarked, subscription)
    select project_id, id, (person * 3)::text, person % 4 = 0, 'assigned'
    from issues, generate_series(1, 3) as person
  `;
}
