import { storable } from "../core/errors.ts";
import type { Sql } from "../store/database.ts";
import { inScope, type QueryScope } from "../store/query_limits.ts";
import { likePattern } from "../store/values.ts";

/** How often the values of a tag occur. */
export interface TagDistribution {
  readonly key: string;
  /** Events that carry the tag. */
  readonly total: number;
  /** The ten most frequent ones, most frequent first. */
  readonly values: { readonly value: string; readonly count: number }[];
}

const SAMPLED_EVENTS = 1_000;
const VALUES_PER_TAG = 10;
const MAX_COMPLETIONS = 20;
const MAX_KEYS = 500;

/** The tags of an issue over its newest 1,000 events in scope, the most widespread tag first. */
export async function tagDistribution(
  sql: Sql,
  projectId: string,
  issueId: string,
  scope: QueryScope,
): Promise<TagDistribution[]> {
  const rows = await sql<{ key: string; value: string; count: string }[]>`
    select tag.key, tag.value, count(*) as count
    from (
      select tags from events_with_tags
      where project_id = ${projectId} and issue_id = ${issueId}
        and "timestamp" >= ${scope.start} and "timestamp" < ${scope.end}
      ${inScope(sql, scope)}
      order by "timestamp" desc
      limit ${SAMPLED_EVENTS}
    ) as sampled, jsonb_each_text(sampled.tags) as tag
    group by tag.key, tag.value
    order by count(*) desc, tag.value
  `;
  const byKey = Map.groupBy(rows, ({ key }) => key);
  return [...byKey].map(([key, values]) => ({
    key,
    total: values.reduce((sum, { count }) => sum + Number(count), 0),
    values: values.slice(0, VALUES_PER_TAG).map(({ value, count }) => ({
      value,
      count: Number(count),
    })),
  })).sort((a, b) => b.total - a.total || (a.key < b.key ? -1 : 1));
}

/** All keys of tags that a project's events carry, in order; at most 500. */
export async function tagKeys(sql: Sql, projectId: string): Promise<string[]> {
  // Hops from key to key in the index instead of reading every row.
  const rows = await sql<{ key: string }[]>`
    with recursive hops (key) as (
      (select key from issue_tags where project_id = ${projectId} order by key limit 1)
      union all
      select (
        select key from issue_tags
        where project_id = ${projectId} and key > hops.key
        order by key limit 1
      )
      from hops where hops.key is not null
    )
    select key from hops where key is not null limit ${MAX_KEYS}
  `;
  return rows.map(({ key }) => key);
}

/** Those of some keys that no event of the project carries. */
export async function unknownTagKeys(
  sql: Sql,
  projectId: string,
  keys: readonly string[],
): Promise<string[]> {
  if (keys.length === 0) return [];
  const rows = await sql<{ key: string }[]>`
    select key from unnest(${keys.map(storable)}::text[]) as asked (key)
    where not exists (
      select 1 from issue_tags where project_id = ${projectId} and issue_tags.key = asked.key
    )
  `;
  return rows.map(({ key }) => key);
}

/** Up to 20 values of a tag that begin with `prefix`, the most recently seen first. */
export async function tagValues(
  sql: Sql,
  projectId: string,
  key: string,
  prefix: string,
): Promise<string[]> {
  const rows = await sql<{ value: string }[]>`
    select value from issue_tags
    where project_id = ${projectId} and key = ${storable(key)}
      and value like ${likePattern(`${storable(prefix)}*`)}
    group by value
    order by max(last_seen) desc, value
    limit ${MAX_COMPLETIONS}
  `;
  return rows.map(({ value }) => value);
}
