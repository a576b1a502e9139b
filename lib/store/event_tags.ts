/** Events with the tags that they share: asked for beside their own ones, which costs less than putting both together. */
import type postgres from "postgres";
import type { Queryable } from "./database.ts";

/** For a `from`: rows of `events` with `shared_tags`, which are null where all tags are the event's own. */
export function eventsWithShared(sql: Queryable): postgres.Fragment {
  return sql`(
    select events.*, shared.tags as shared_tags from events
    left join tag_sets as shared on shared.project_id = events.project_id and shared.tags_id = events.tags_id
  )`;
}

/** The value of a tag, or null. @param row name of a row of {@linkcode eventsWithShared} */
export function tagOf(sql: Queryable, row: "t" | "events", key: string): postgres.Fragment {
  return sql`coalesce(${sql(row)}.tags->>${key}::text, ${sql(row)}.shared_tags->>${key}::text)`;
}

/** All tags of it. */
export function allTagsOf(sql: Queryable, row: "t" | "events"): postgres.Fragment {
  return sql`coalesce(${sql(row)}.shared_tags || ${sql(row)}.tags, ${sql(row)}.tags)`;
}
