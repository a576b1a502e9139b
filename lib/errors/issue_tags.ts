import { storable } from "../core/errors.ts";
import type { Sql } from "../store/database.ts";
import type { QueryScope } from "../store/query_limits.ts";
import { inScope } from "../store/query_limits.ts";

/** How often one value of a tag occurs among the events of an issue, and when. */
export interface TagValueCount {
  readonly value: string;
  readonly count: number;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
}

/** A tag of an issue. */
export interface IssueTag {
  readonly key: string;
  /** Events that carry it. */
  readonly total: number;
  /** Different values. */
  readonly distinct: number;
  /** The most frequent ones first. */
  readonly values: readonly TagValueCount[];
}

/** Older events of an issue are left out: what is told of them all would take too long. */
const COUNTED_EVENTS = 5_000;

/**
 * The tags of an issue over its newest 5,000 events in scope, the most widespread first. Environment, release, transaction,
 * level and user count as tags.
 *
 * @param options.keys these tags only; empty: all
 * @param options.limit values of each
 */
export async function tagsOfIssue(
  sql: Sql,
  projectId: string,
  issueId: string,
  scope: QueryScope,
  { keys = [], limit }: { readonly keys?: readonly string[]; readonly limit: number },
): Promise<IssueTag[]> {
  const rows = await sql<
    (TagValueCount & { readonly key: string; readonly total: number; readonly distinct: number })[]
  >`
    with sampled as materialized (
      select "timestamp", jsonb_strip_nulls(jsonb_build_object(
        'environment', nullif(environment, ''), 'release', nullif(release, ''),
        'transaction', nullif(transaction, ''), 'level', level, 'user', user_key
      )) || tags as tags
      from events_with_tags
      where project_id = ${projectId} and issue_id = ${issueId}
        and "timestamp" >= ${scope.start} and "timestamp" < ${scope.end}
      ${inScope(sql, scope)}
      order by "timestamp" desc
      limit ${COUNTED_EVENTS}
    ),
    counted as (
      select tag.key, tag.value, count(*) as count, min("timestamp") as first_seen,
        max("timestamp") as last_seen
      from sampled, jsonb_each_text(sampled.tags) as tag
      ${keys.length === 0 ? sql`` : sql`where tag.key = any (${keys.map(storable)}::text[])`}
      group by tag.key, tag.value
    ),
    ranked as (
      select *, sum(count) over of_key as total, count(*) over of_key as "distinct",
        row_number() over (partition by key order by count desc, value) as place
      from counted
      window of_key as (partition by key)
    )
    select key, value, count::int, first_seen as "firstSeen", last_seen as "lastSeen",
      total::int, "distinct"::int
    from ranked
    where place <= ${limit}
    order by total desc, key, place
  `;
  return [...Map.groupBy(rows, ({ key }) => key)].map(([key, values]) => ({
    key,
    total: values[0]?.total ?? 0,
    distinct: values[0]?.distinct ?? 0,
    values: values.map(({ value, count, firstSeen, lastSeen }) => (
      { value, count, firstSeen, lastSeen }
    )),
  }));
}
