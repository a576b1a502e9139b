/** Maps stored events again, when a source map came after them: their issue stays the same, and goes on with its new group. */
import { findProject, settingsOf } from "../../accounts/projects.ts";
import { Turns } from "../../core/waiting.ts";
import { recordOf, withFingerprint } from "../../formats/sentry/error_event.ts";
import { compileRules } from "../../formats/sentry/fingerprint_rules.ts";
import type { NormalizedEvent } from "../../formats/sentry/normalized_event.ts";
import type { ErrorEvent } from "../../records/mod.ts";
import { problemWords, type SourceMapper } from "../../sourcemaps/mod.ts";
import type { Sql } from "../../store/database.ts";
import { payloadColumns, type PayloadPlace, withPayloads } from "../../store/event_chunks/read.ts";
import { type PackedEvent, replacePayload } from "../../store/event_chunks/rewrite.ts";
import { packText } from "../../store/values.ts";
import { saveTexts, textsOf } from "../issue_texts.ts";
import { t } from "../../core/language/translate.ts";

export interface RemapStores {
  readonly sql: Sql;
  readonly kv: Deno.Kv;
  readonly sourceMaps: SourceMapper;
}

/** What came of mapping events again. */
export interface Remapped {
  /** Events that were looked at. */
  readonly events: number;
  /** Those of which frames have a place in the source now. */
  readonly mapped: number;
  /** Why frames of others have none, each sentence once. */
  readonly reasons: readonly string[];
  /** Ids of other issues that later events of this kind go to, because those had been mapped before. */
  readonly otherIssues: readonly string[];
}

interface StoredRow {
  readonly eventId: string;
  readonly issueId: string;
  readonly timestamp: Date;
  readonly payload: string;
}

const MAX_REASONS = 5;

/**
 * Maps events of a project again. Each is a transaction of its own; doing it twice changes nothing.
 *
 * @param eventIds 32 hex digits each; those that are gone are passed over
 */
export async function remapEvents(
  stores: RemapStores,
  projectId: string,
  eventIds: readonly string[],
): Promise<Remapped> {
  const { sql, kv, sourceMaps } = stores;
  const project = await findProject(kv, projectId);
  if (project === null || eventIds.length === 0) return NOTHING;
  const rules = compileRules(settingsOf(project).fingerprintRules);
  const ruled = {
    fingerprint: (event: NormalizedEvent) => rules.match(event)?.fingerprint ?? null,
  };
  const reasons = new Set<string>();
  const otherIssues = new Set<string>();
  const turns = new Turns();
  let [events, mapped] = [0, 0];
  for (const row of await storedRows(sql, projectId, eventIds)) {
    await turns.breathe();
    events++;
    const before = JSON.parse(row.payload) as NormalizedEvent;
    const result = await sourceMaps.map(projectId, before);
    for (const { problem } of result.unmapped) reasons.add(problem.sentence);
    if (result.mappedFrames > 0) mapped++;
    const receivedAt = new Date(before.received * 1_000);
    const record = recordOf(withFingerprint(result.event, ruled), { receivedAt });
    if (record.payload === JSON.stringify(before)) continue;
    const old = recordOf(before, { receivedAt });
    const other = await replaceEvent(sql, projectId, row, old, record);
    if (other !== null) otherIssues.add(other);
  }
  return {
    events,
    mapped,
    reasons: [...reasons].slice(0, MAX_REASONS),
    otherIssues: [...otherIssues],
  };
}

const NOTHING: Remapped = { events: 0, mapped: 0, reasons: [], otherIssues: [] };

async function storedRows(
  sql: Sql,
  projectId: string,
  eventIds: readonly string[],
): Promise<StoredRow[]> {
  const rows = await sql<(Omit<StoredRow, "payload"> & PayloadPlace)[]>`
    select replace(event_id::text, '-', '') as "eventId", issue_id as "issueId", "timestamp",
      ${payloadColumns(sql)}
    from event_ids join events using (project_id, issue_id, "timestamp", event_id)
    where project_id = ${projectId} and event_id = any(${[...eventIds]}::uuid[])
    order by "timestamp"
  `;
  return await withPayloads(sql, projectId, rows);
}

/**
 * Stores an event as it is now, leads its new group to its issue, and lets its issue be found by what it says now. Rows are
 * locked in the writer's order: hashes, tags, issues, events, texts.
 *
 * @returns the issue that the new group belongs to, where that is another one
 */
async function replaceEvent(
  sql: Sql,
  projectId: string,
  { eventId, issueId: storedIssue, timestamp }: StoredRow,
  old: ErrorEvent,
  record: ErrorEvent,
): Promise<string | null> {
  const { version, hashes: [hash] } = record.grouping;
  return await sql.begin(async (tx) => {
    const [issue] = await tx<{ id: string }[]>`
      select coalesce(merged_into, id) as id from issues
      where project_id = ${projectId} and id = ${storedIssue}
    `;
    const issueId = issue?.id ?? storedIssue;
    await tx`
      insert into issue_hashes (project_id, hash, version, issue_id)
      values (${projectId}, ${hash}, ${version}, ${issueId})
      on conflict (project_id, hash) do nothing
    `;
    const [owner] = await tx<{ issueId: string }[]>`
      select issue_id as "issueId" from issue_hashes
      where project_id = ${projectId} and hash = ${hash}
    `;
    const day = timestamp.toISOString().slice(0, 10);
    // Of what has come to be: nothing is taken off an issue that has other events.
    const known = new Set(old.facts.map(([key, value]) => `${key}\n${value}`));
    const facts = record.facts.filter(([key, value]) => !known.has(`${key}\n${value}`));
    await tx`
      insert into issue_tags (project_id, key, value, issue_id, last_seen)
      select ${projectId}, key, value, ${issueId}, ${day}::date from unnest(
        ${facts.map(([key]) => key)}::text[], ${facts.map(([, value]) => value)}::text[]
      ) as fact (key, value)
      order by key collate "C", value collate "C"
      on conflict do nothing
    `;
    await tx`
      update issues set title = ${record.title}, culprit = ${record.culprit},
        metadata = ${tx.json({ ...record.metadata })}
      where project_id = ${projectId} and id = ${issueId}
        and (last_seen <= ${timestamp} or title = ${old.title} and culprit = ${old.culprit})
    `;
    const [place] = await tx<PackedEvent[]>`
      update events set title = ${record.title},
        payload = case when chunk_id is null then decode(${packText(record.payload)}, 'hex') end
      where project_id = ${projectId} and "timestamp" = ${timestamp} and event_id = ${eventId}::uuid
      returning event_id as "eventId", ${payloadColumns(tx)}
    `;
    if (place !== undefined) await replacePayload(tx, projectId, place, record.payload);
    await saveTexts(tx, textsOf({ projectId, issueId, day }, record.texts));
    return owner === undefined || owner.issueId === issueId ? null : owner.issueId;
  });
}

/** As many of the newest events of an issue are mapped again by hand. */
const BY_HAND = 50;

/** Ids of the newest events of an issue, as many as are mapped again at once. */
export async function newestEvents(
  sql: Sql,
  projectId: string,
  issueId: string,
): Promise<string[]> {
  const rows = await sql<{ eventId: string }[]>`
    select replace(event_id::text, '-', '') as "eventId" from events
    where project_id = ${projectId} and issue_id = ${issueId}
    order by "timestamp" desc, event_id desc limit ${BY_HAND}
  `;
  return rows.map(({ eventId }) => eventId);
}

/** Maps the newest events of an issue again, whatever was found out about maps before. */
export async function remapIssue(
  stores: RemapStores,
  projectId: string,
  issueId: string,
): Promise<Remapped> {
  stores.sourceMaps.forget(projectId);
  return await remapEvents(
    stores,
    projectId,
    await newestEvents(stores.sql, projectId, issueId),
  );
}

/** What came of it, for people. */
export function remapWords({ events, mapped, reasons, otherIssues }: Remapped): string {
  const counted = mapped === 0
    ? t("None of {n} event could be mapped.|None of {n} events could be mapped.", { n: events })
    : mapped === 1
    ? t(
      "1 of the newest {n} event has its places in the source.|1 of the newest {n} events has its places in the source.",
      { n: events },
    )
    : t(
      "{mapped} of the newest {n} event have their places in the source.|{mapped} of the newest {n} events have their places in the source.",
      { mapped, n: events },
    );
  const others = otherIssues.length === 0 ? [] : [
    t(
      "Later events of this kind go to {issues}, which had been mapped before: merge the issues to have them in one.",
      { issues: otherIssues.map((id) => `#${id}`).join(", ") },
    ),
  ];
  return [counted, ...(mapped < events ? reasons.slice(0, 2).map(problemWords) : []), ...others]
    .join(" ");
}
