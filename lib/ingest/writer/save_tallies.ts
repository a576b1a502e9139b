import type { Transaction } from "../../store/database.ts";
import type { IssueTally, OccurrenceTally } from "./issue_tally.ts";
import type { IssueUser } from "./issue_values.ts";

/** Before every event. */
const NO_EVENT = "00000000-0000-0000-0000-000000000000";

/**
 * Creates the issues that are new and adds to the others: counters always, what lists show only from an event
 * newer than all before. A resolved issue that happens again is reopened as regressed; an ignored one stays so.
 */
export async function saveIssues(
  tx: Transaction,
  issues: readonly IssueTally[],
  users: readonly IssueUser[],
): Promise<void> {
  // In the order of all lists of events: by time, then by id.
  const isNewest = tx`
    (excluded.last_seen, excluded.last_event_id) >=
      (known.last_seen, coalesce(known.last_event_id, ${NO_EVENT}::uuid))
  `;
  await tx`
    with new_users as (
      insert into issue_users (project_id, issue_id, user_key)
      select * from unnest(
        ${users.map(({ projectId }) => projectId)}::bigint[],
        ${users.map(({ issueId }) => issueId)}::bigint[],
        ${users.map(({ user }) => user)}::text[]
      ) as incoming (project_id, issue_id, user_key)
      order by project_id, issue_id, user_key collate "C"
      on conflict do nothing
      returning project_id, issue_id
    ),
    incoming (
      project_id, id, type, title, culprit, level, platform, metadata, first_seen, last_seen,
      last_event_id, last_received, first_release, last_release, times_seen
    ) as (
      select * from unnest(
        ${issues.map(({ projectId }) => projectId)}::bigint[],
        ${issues.map(({ issueId }) => issueId)}::bigint[],
        ${issues.map(({ newest }) => newest.type)}::text[],
        ${issues.map(({ newest }) => newest.title)}::text[],
        ${issues.map(({ newest }) => newest.culprit)}::text[],
        ${issues.map(({ newest }) => newest.level)}::text[],
        ${issues.map(({ newest }) => newest.platform)}::text[],
        ${issues.map(({ newest }) => JSON.stringify(newest.metadata))}::text[],
        ${issues.map(({ firstSeen }) => firstSeen)}::text[]::timestamptz[],
        ${issues.map(({ lastSeen }) => lastSeen)}::text[]::timestamptz[],
        ${issues.map(({ newest }) => newest.eventId)}::uuid[],
        ${issues.map(({ lastReceived }) => lastReceived)}::text[]::timestamptz[],
        ${issues.map(({ firstRelease }) => firstRelease)}::text[],
        ${issues.map(({ lastRelease }) => lastRelease)}::text[],
        ${issues.map(({ timesSeen }) => timesSeen)}::bigint[]
      )
    )
    insert into issues as known (
      project_id, id, type, title, culprit, level, platform, metadata, status_changed_at, first_seen,
      last_seen, last_seen_on, last_event_id, first_release, last_release, times_seen, users_seen
    )
    select
      project_id, id, type, title, culprit, level, platform, metadata::jsonb, last_received, first_seen,
      last_seen, (last_seen at time zone 'UTC')::date, last_event_id, first_release, last_release, times_seen,
      coalesce(users_seen, 0)
    from incoming
    left join (
      select project_id, issue_id as id, count(*) as users_seen from new_users group by 1, 2
    ) as users using (project_id, id)
    order by project_id, id
    on conflict (project_id, id) do update set
      title = case when ${isNewest} then excluded.title else known.title end,
      culprit = case when ${isNewest} then excluded.culprit else known.culprit end,
      level = case when ${isNewest} then excluded.level else known.level end,
      platform = case when ${isNewest} then excluded.platform else known.platform end,
      metadata = case when ${isNewest} then excluded.metadata else known.metadata end,
      status = case
        when known.status = 'resolved' and excluded.status_changed_at > known.status_changed_at
        then 'unresolved' else known.status end,
      is_regressed = known.is_regressed
        or (known.status = 'resolved' and excluded.status_changed_at > known.status_changed_at),
      status_changed_at = case
        when known.status = 'resolved' then greatest(known.status_changed_at, excluded.status_changed_at)
        else known.status_changed_at end,
      first_seen = least(known.first_seen, excluded.first_seen),
      last_seen = greatest(known.last_seen, excluded.last_seen),
      last_event_id = case when ${isNewest} then excluded.last_event_id else known.last_event_id end,
      last_seen_on = greatest(known.last_seen_on, excluded.last_seen_on),
      first_release = case
        when excluded.first_release <> ''
          and (known.first_release = '' or excluded.first_seen < known.first_seen)
        then excluded.first_release else known.first_release end,
      last_release = case
        when excluded.last_release <> ''
          and (known.last_release = '' or ${isNewest})
        then excluded.last_release else known.last_release end,
      times_seen = known.times_seen + excluded.times_seen,
      users_seen = known.users_seen + excluded.users_seen
  `;
}

/** Adds to the hourly counts of issues. */
export async function saveIssueHours(
  tx: Transaction,
  tallies: readonly OccurrenceTally[],
): Promise<void> {
  await tx`
    insert into issue_hours as known (project_id, hour, issue_id, environment, release, times_seen)
    select * from unnest(
      ${tallies.map(({ projectId }) => projectId)}::bigint[],
      ${tallies.map(({ time }) => time)}::text[]::timestamptz[],
      ${tallies.map(({ issueId }) => issueId)}::bigint[],
      ${tallies.map(({ environment }) => environment)}::text[],
      ${tallies.map(({ release }) => release)}::text[],
      ${tallies.map(({ timesSeen }) => timesSeen)}::integer[]
    ) as incoming (project_id, hour, issue_id, environment, release, times_seen)
    order by project_id, hour, issue_id, environment collate "C", release collate "C"
    on conflict (project_id, hour, issue_id, environment, release)
      do update set times_seen = known.times_seen + excluded.times_seen
  `;
}

/** Adds to the daily counts of issues. */
export async function saveIssueDays(
  tx: Transaction,
  tallies: readonly OccurrenceTally[],
): Promise<void> {
  await tx`
    insert into issue_days as known (project_id, day, issue_id, environment, release, times_seen)
    select * from unnest(
      ${tallies.map(({ projectId }) => projectId)}::bigint[],
      ${tallies.map(({ time }) => time)}::text[]::date[],
      ${tallies.map(({ issueId }) => issueId)}::bigint[],
      ${tallies.map(({ environment }) => environment)}::text[],
      ${tallies.map(({ release }) => release)}::text[],
      ${tallies.map(({ timesSeen }) => timesSeen)}::integer[]
    ) as incoming (project_id, day, issue_id, environment, release, times_seen)
    order by project_id, day, issue_id, environment collate "C", release collate "C"
    on conflict (project_id, day, issue_id, environment, release)
      do update set times_seen = known.times_seen + excluded.times_seen
  `;
}

/** Adds to the hourly counts of whole projects. */
export async function saveProjectHours(
  tx: Transaction,
  tallies: readonly OccurrenceTally[],
): Promise<void> {
  await tx`
    insert into project_hours as known (
      project_id, hour, environment, release, times_seen, last_seen
    )
    select * from unnest(
      ${tallies.map(({ projectId }) => projectId)}::bigint[],
      ${tallies.map(({ time }) => time)}::text[]::timestamptz[],
      ${tallies.map(({ environment }) => environment)}::text[],
      ${tallies.map(({ release }) => release)}::text[],
      ${tallies.map(({ timesSeen }) => timesSeen)}::integer[],
      ${tallies.map(({ lastSeen }) => lastSeen)}::text[]::timestamptz[]
    ) as incoming (project_id, hour, environment, release, times_seen, last_seen)
    order by project_id, hour, environment collate "C", release collate "C"
    on conflict (project_id, hour, environment, release)
      do update set
        times_seen = known.times_seen + excluded.times_seen,
        last_seen = greatest(known.last_seen, excluded.last_seen)
  `;
}
