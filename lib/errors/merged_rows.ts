/** What is kept of an issue beside its events, put into another issue's and taken out again. */
import type { Transaction } from "../store/database.ts";

/** An issue on its way into another, or out of it again. */
export interface Merge {
  readonly tx: Transaction;
  readonly projectId: string;
  readonly source: string;
  readonly target: string;
}

/** Adds the groups, tags, texts, people and counts of `source` to those of `target`. */
export async function putInto(merge: Merge): Promise<void> {
  const { tx, projectId, source, target } = merge;
  await tx`
    update issue_hashes set issue_id = ${target}, merged_from = ${source}
    where project_id = ${projectId} and issue_id = ${source}
  `;
  await tx`
    insert into issue_tags as known (project_id, key, value, issue_id, last_seen, merged_from)
    select project_id, key, value, ${target}, last_seen, ${source} from issue_tags
    where project_id = ${projectId} and issue_id = ${source}
    order by key collate "C", value collate "C"
    on conflict (project_id, key, value, issue_id)
      do update set last_seen = greatest(known.last_seen, excluded.last_seen)
  `;
  await tx`
    insert into issue_texts (project_id, text_id, issue_id, merged_from)
    select project_id, text_id, ${target}, ${source} from issue_texts
    where project_id = ${projectId} and issue_id = ${source}
    order by text_id
    on conflict do nothing
  `;
  const { count: newUsers } = await tx`
    insert into issue_users (project_id, issue_id, user_key, merged_from)
    select project_id, ${target}, user_key, ${source} from issue_users
    where project_id = ${projectId} and issue_id = ${source}
    order by user_key collate "C"
    on conflict do nothing
  `;
  await tx`
    update issues as target set
      times_seen = target.times_seen + source.times_seen,
      users_seen = target.users_seen + ${newUsers},
      first_release = case
        when target.first_release = '' or
          (source.first_release <> '' and source.first_seen < target.first_seen)
        then source.first_release else target.first_release end,
      last_release = case
        when target.last_release = '' or
          (source.last_release <> '' and source.last_seen > target.last_seen)
        then source.last_release else target.last_release end,
      last_event_id = case
        when (source.last_seen, source.last_event_id) > (target.last_seen, target.last_event_id)
        then source.last_event_id else target.last_event_id end,
      first_seen = least(target.first_seen, source.first_seen),
      last_seen = greatest(target.last_seen, source.last_seen),
      last_seen_on = greatest(target.last_seen_on, source.last_seen_on)
    from issues as source
    where target.project_id = ${projectId} and target.id = ${target}
      and source.project_id = ${projectId} and source.id = ${source}
  `;
  await addTallies(merge);
}

async function addTallies({ tx, projectId, source, target }: Merge): Promise<void> {
  for (const [table, time] of TALLIES) {
    await tx`
      insert into ${tx(table)} as known
        (project_id, ${tx(time)}, issue_id, environment, release, times_seen)
      select project_id, ${tx(time)}, ${target}, environment, release, times_seen from ${tx(table)}
      where project_id = ${projectId} and issue_id = ${source}
      order by ${tx(time)}, environment collate "C", release collate "C"
      on conflict (project_id, ${tx(time)}, issue_id, environment, release)
        do update set times_seen = known.times_seen + excluded.times_seen
    `;
  }
}

const TALLIES = [["issue_days", "day"], ["issue_hours", "hour"]] as const;

/** The reverse of `putInto()`. */
export async function takeOut(merge: Merge): Promise<void> {
  const { tx, projectId, source, target } = merge;
  await tx`
    update issue_hashes set issue_id = ${source}, merged_from = null
    where project_id = ${projectId} and issue_id = ${target} and merged_from = ${source}
  `;
  await tx`
    delete from issue_tags
    where project_id = ${projectId} and issue_id = ${target} and merged_from = ${source}
  `;
  await tx`
    delete from issue_texts
    where project_id = ${projectId} and issue_id = ${target} and merged_from = ${source}
  `;
  const { count: users } = await tx`
    delete from issue_users
    where project_id = ${projectId} and issue_id = ${target} and merged_from = ${source}
  `;
  await tx`
    update issues as target set
      times_seen = greatest(target.times_seen - source.times_seen, 0),
      users_seen = greatest(target.users_seen - ${users}, 0)
    from issues as source
    where target.project_id = ${projectId} and target.id = ${target}
      and source.project_id = ${projectId} and source.id = ${source}
  `;
  await restoreTimes(merge);
  await subtractTallies(merge);
}

/** First and last time of the events that stay; without any, the issue keeps what it has. */
export async function restoreTimes({ tx, projectId, source, target }: Merge): Promise<void> {
  const edge = (direction: "asc" | "desc") =>
    tx`(
      select "timestamp" from events
      where project_id = ${projectId} and issue_id = ${target}
        and merged_from is distinct from ${source}::bigint
      order by "timestamp" ${direction === "asc" ? tx`asc` : tx`desc`} limit 1
    )`;
  await tx`
    update issues set
      first_seen = coalesce(stays.first, first_seen),
      last_seen = coalesce(stays.last, last_seen),
      last_seen_on = coalesce((stays.last at time zone 'UTC')::date, last_seen_on),
      last_event_id = null
    from (select ${edge("asc")} as first, ${edge("desc")} as last) as stays
    where project_id = ${projectId} and id = ${target}
  `;
}

async function subtractTallies({ tx, projectId, source, target }: Merge): Promise<void> {
  for (const [table, time] of TALLIES) {
    await tx`
      update ${tx(table)} as target set times_seen = target.times_seen - source.times_seen
      from ${tx(table)} as source
      where target.project_id = ${projectId} and target.issue_id = ${target}
        and source.project_id = ${projectId} and source.issue_id = ${source}
        and source.${tx(time)} = target.${tx(time)}
        and source.environment = target.environment and source.release = target.release
    `;
    await tx`
      delete from ${tx(table)}
      where project_id = ${projectId} and issue_id = ${target} and times_seen <= 0
    `;
  }
}
