/** Events of a transaction: their issues, and all that is written of them. */
import { saveTexts } from "../../errors/issue_texts.ts";
import { type Happening, reactToEvents } from "../../errors/workflow/react.ts";
import type { Transaction } from "../../store/database.ts";
import { insertNew, saveRows } from "../../store/write_rows.ts";
import {
  EVENT_IDS,
  EVENTS,
  type FiledEvent,
  ISSUE_TAGS,
  type NewValues,
  resolveIssues,
} from "./events.ts";
import { isDiscard } from "./gone_issues.ts";
import {
  ISSUE_DAYS,
  ISSUE_HOURS,
  numberIssues,
  PROJECT_HOURS,
  saveIssues,
  tallyIssues,
  tallyOccurrences,
  type TouchedIssue,
} from "./issue_counts.ts";
import type { KnownIssues } from "./known_issues.ts";
import { EVENT_CHUNKS, type PackedEvents, packEvents } from "./pack_events.ts";
import { EventsRepeated } from "./repeats.ts";
import { type EventRow, isEventRow, type RecordRow } from "./rows.ts";
import { type Split, TAG_SETS } from "./tag_sets.ts";

/** Events with their issues, of which none was stored before. */
interface Filed {
  readonly filed: readonly FiledEvent[];
  readonly packed: PackedEvents;
  readonly discarded: readonly FiledEvent[];
  /** Rejects when that turns out to be wrong. */
  readonly proven: Promise<void>;
}

/**
 * Finds or makes the issue of each event, and takes their ids.
 *
 * @param areNew whether none is expected to be stored already: `proven` tells later, and nothing waits for it here
 */
export async function fileEvents(
  tx: Transaction,
  rows: readonly EventRow[],
  issues: KnownIssues,
  areNew: boolean,
): Promise<Filed> {
  const distinct = firstOfEachKey(rows);
  const issueIds = distinct.length === 0 ? [] : await resolveIssues(tx, distinct, issues);
  const all = distinct.map((row, index) => ({
    projectId: row.projectId,
    row,
    issueId: issueIds[index] ?? "",
  }));
  const wanted = all.filter(({ issueId }) => !isDiscard(issueId));
  const discarded = all.filter(({ issueId }) => isDiscard(issueId));
  const inserted = insertNew(tx, EVENT_IDS, wanted);
  if (areNew) {
    const proven = inserted.then((stored) => {
      if (stored.length < wanted.length) throw new EventsRepeated();
    });
    // Nobody may come to wait for it: what is between may fail.
    proven.catch(() => {});
    return { filed: wanted, packed: packEvents(wanted), discarded, proven };
  }
  const filed = await inserted;
  return { filed, packed: packEvents(filed), discarded, proven: Promise.resolve() };
}

/** Events of discarded groups, and the files that came with them. */
export function droppedRows(
  rows: readonly RecordRow[],
  discarded: readonly FiledEvent[],
): ReadonlySet<RecordRow> {
  if (discarded.length === 0) return new Set();
  const keys = new Set(discarded.map(({ row }) => row.key));
  return new Set(rows.filter((row) => {
    if (isEventRow(row)) return keys.has(row.key);
    const { projectId, record } = row;
    return record.kind === "attachment" && keys.has(`${projectId}/${record.eventId}`);
  }));
}

function firstOfEachKey(rows: readonly EventRow[]): EventRow[] {
  const seen = new Set<string>();
  return rows.filter(({ key }) => {
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  });
}

/** What was made of the events that are stored. */
interface Made {
  readonly packed: PackedEvents;
  readonly split: Split;
  readonly written: NewValues;
}

/** Events with their counts, tags and texts, sent one after the other without waiting: a round trip for all of them. */
export async function saveWhatFollows(
  tx: Transaction,
  stored: readonly FiledEvent[],
  { packed: { chunks, chunkIds }, split, written: { tags, users, texts } }: Made,
): Promise<TouchedIssue[]> {
  if (stored.length === 0) return [];
  const { hours, days, projectHours } = tallyOccurrences(stored);
  const rows = stored.map((event) => {
    const { own = "{}", tagsId = null } = split.tags.get(event) ?? {};
    return { ...event, chunkId: chunkIds.get(event), ownTags: own, tagsId };
  });
  const [, , , , touched] = await Promise.all([
    saveRows(tx, EVENTS, rows),
    saveRows(tx, EVENT_CHUNKS, chunks),
    saveRows(tx, TAG_SETS, split.sets),
    saveRows(tx, ISSUE_TAGS, tags),
    saveIssues(tx, tallyIssues(stored), users),
    saveRows(tx, ISSUE_DAYS, days),
    saveRows(tx, ISSUE_HOURS, hours),
    saveRows(tx, PROJECT_HOURS, projectHours),
    saveTexts(tx, texts),
  ]);
  return touched;
}

/** What few batches have to do: numbers for new issues, and a look at those that events may reopen. */
export async function settleIssues(
  tx: Transaction,
  touched: readonly TouchedIssue[],
  events: readonly FiledEvent[],
): Promise<void> {
  await reactToEvents(tx, touched.filter(({ isNew }) => !isNew), events.map(happeningOf));
  await numberIssues(tx, touched.filter(({ isNew }) => isNew));
}

function happeningOf({ projectId, issueId, row }: FiledEvent): Happening {
  const { event, release, receivedAt } = row;
  return { projectId, issueId, eventId: event.eventId, release, receivedAt: new Date(receivedAt) };
}
