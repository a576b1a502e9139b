import type { Transaction } from "../../store/database.ts";
import type { EventRow } from "./event_row.ts";
import { IssueMemory, type KnownOfIssue } from "./issue_memory.ts";
import type { FiledEvent } from "./insert_events.ts";

/** A tag value that an issue has seen on a day (`YYYY-MM-DD`, UTC). */
interface TagValue {
  readonly projectId: string;
  readonly issueId: string;
  readonly key: string;
  readonly value: string;
  day: string;
}

/** A user that an issue may not have seen yet. */
export interface IssueUser {
  readonly projectId: string;
  readonly issueId: string;
  readonly user: string;
}

/** What a transaction is about to write, to be remembered once it is committed. */
export interface NewValues {
  readonly tags: readonly TagValue[];
  readonly users: readonly IssueUser[];
}

/** Some 10 MB. */
const MEMORY_CAPACITY = 50_000;
const MAX_VALUE_LENGTH = 200;
/**
 * Values of one tag of one issue that become searchable while the issue is remembered. A tag with a new value in
 * every event, such as a request id, would otherwise cost a row for each.
 */
const MAX_VALUES_PER_TAG = 500;
/** The same for users: beyond it each one is offered to Postgres, which knows. */
const MAX_REMEMBERED_USERS = 2_000;

/**
 * Knows which tag values and users of issues are stored already, so that steady traffic writes none of them
 * again. Forgetting costs a write that changes nothing; it never costs a value.
 */
export class IssueValues {
  readonly #memory = new IssueMemory(MEMORY_CAPACITY);

  /** What of the events' tags and users is not known to be stored. */
  findNew(events: readonly FiledEvent[]): NewValues {
    const tags = new Map<string, TagValue>();
    const users = new Map<string, IssueUser>();
    for (const { row, issueId } of events) {
      const { projectId, user } = row;
      const known = this.#memory.of(projectId, issueId);
      for (const [key, value] of searchableTags(row)) {
        if (isKnown(known, key, value, row.day)) continue;
        const tag = { projectId, issueId, key, value, day: row.day };
        // The length keeps key and value apart, whatever characters they have.
        const id = `${projectId}/${issueId}/${key.length}/${key}${value}`;
        const same = tags.get(id);
        if (same === undefined) tags.set(id, tag);
        else if (same.day < tag.day) same.day = tag.day;
      }
      if (user === null || known.users.has(user)) continue;
      users.set(`${projectId}/${issueId}/${user}`, { projectId, issueId, user });
    }
    return { tags: [...tags.values()], users: [...users.values()] };
  }

  /** To be called after the commit, and only then. */
  remember({ tags, users }: NewValues): void {
    for (const { projectId, issueId, key, value, day } of tags) {
      const known = this.#memory.of(projectId, issueId);
      if (!isFull(known, key) || known.tags.get(key)?.has(value)) {
        this.#memory.rememberTag(known, key, value, day);
      }
    }
    for (const { projectId, issueId, user } of users) {
      const known = this.#memory.of(projectId, issueId);
      if (known.users.size < MAX_REMEMBERED_USERS) this.#memory.rememberUser(known, user);
    }
  }
}

/** Also true for values that are one too many to be stored. */
function isKnown(known: KnownOfIssue, key: string, value: string, day: string): boolean {
  const newest = known.tags.get(key)?.get(value);
  return newest === undefined ? isFull(known, key) && !isOfUser(key) : newest >= day;
}

function isFull({ tags }: KnownOfIssue, key: string): boolean {
  return (tags.get(key)?.size ?? 0) >= MAX_VALUES_PER_TAG;
}

/** People are looked for one by one, and each has a row for the issue anyway. */
function isOfUser(key: string): boolean {
  return key.startsWith("user.");
}

/** The event's own tags, and those of its properties that people search for as if they were tags. */
function searchableTags({ event, environment, release }: EventRow): [string, string][] {
  const properties: [string, string][] = [
    ["environment", environment],
    ["release", release],
    ["dist", event.dist],
    ["transaction", event.transaction],
    ["sdk", event.sdk],
  ];
  return [...event.tags, ...event.facts, ...properties.filter(([, value]) => value !== "")]
    .map(([key, value]) => [key, value.slice(0, MAX_VALUE_LENGTH)]);
}

/** Writes the tag values that are new or seen on a later day than before. */
export async function saveTags(tx: Transaction, tags: readonly TagValue[]): Promise<void> {
  if (tags.length === 0) return;
  await tx`
    insert into issue_tags (project_id, key, value, issue_id, last_seen)
    select * from unnest(
      ${tags.map(({ projectId }) => projectId)}::bigint[],
      ${tags.map(({ key }) => key)}::text[],
      ${tags.map(({ value }) => value)}::text[],
      ${tags.map(({ issueId }) => issueId)}::bigint[],
      ${tags.map(({ day }) => day)}::text[]::date[]
    ) as incoming (project_id, key, value, issue_id, last_seen)
    order by project_id, key collate "C", value collate "C", issue_id
    on conflict (project_id, key, value, issue_id) do update set last_seen = excluded.last_seen
      where issue_tags.last_seen < excluded.last_seen
  `;
}
