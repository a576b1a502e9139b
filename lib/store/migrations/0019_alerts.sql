-- Alert rules, what state each of their groups is in, and what happened.

create table alert_rules (
  project_id      bigint      not null,
  rule_id         uuid        not null,
  name            text        not null,
  -- Source, condition and the rest of what a person fills in, see alerts/rule_row.ts.
  definition      jsonb       not null,
  is_enabled      boolean     not null,
  muted_until     timestamptz,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  updated_by      text        not null,
  -- Raised by every change of a person: an evaluation of what the rule was before is not kept.
  version         integer     not null default 1,
  -- Since when it watches what it watches: issues that began before are none of its business.
  active_since    timestamptz not null,
  -- The end of the last window that was judged. It moves in the transaction that changes states.
  evaluated_until timestamptz,
  -- Why the last evaluation failed; '' when it did not.
  last_error      text        not null default '',
  told_at         timestamptz,
  -- Set by a person; the engine ends what it has told of, and removes the row.
  deleted_at      timestamptz,
  primary key (project_id, rule_id)
) with (fillfactor = 50);

create table alert_states (
  project_id  bigint      not null,
  rule_id     uuid        not null,
  -- Made of "group", which may be long.
  group_id    uuid        not null,
  "group"     text        not null,
  status      text        not null check (status in ('ok', 'pending', 'firing', 'no_data')),
  level       text        check (level in ('warning', 'critical')),
  value       double precision,
  -- Since when it has this status.
  since       timestamptz not null,
  -- The last change of status or level.
  changed_at  timestamptz not null,
  -- The end of the last window with data.
  seen_at     timestamptz not null,
  -- What channels were told last.
  told_status text        not null default 'ok',
  told_level  text,
  -- When they were told for the last time, and the time before.
  told_at     timestamptz,
  told_before timestamptz,
  critical_told_at timestamptz,
  is_flapping boolean     not null default false,
  primary key (project_id, rule_id, group_id)
) with (fillfactor = 60);

create table alert_history (
  project_id  bigint      not null,
  rule_id     uuid        not null,
  "at"        timestamptz not null,
  entry_id    bigint      not null generated always as identity,
  "group"     text        not null,
  from_status text        not null,
  to_status   text        not null,
  level       text,
  value       double precision,
  notice      text        not null,
  primary key (project_id, rule_id, "at", entry_id)
);

create index alert_history_by_time on alert_history ("at");

-- Alerts count the events of a few minutes, of all issues.
create index events_by_time on events (project_id, "timestamp");
-- An issue that is new or came back: both change the status, which is seldom.
create index issues_by_status_change on issues (project_id, status_changed_at);
