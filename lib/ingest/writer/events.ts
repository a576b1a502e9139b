import { type IssueText, textIdOf } from "../../errors/issue_texts.ts";
import type { Transaction } from "../../store/database.ts";
import { type Columns, incoming, type InsertOnly, type Table } from "../../store/write_rows.ts";
import { addStored, type KnownIssues } from "./known_issues.ts";
import type { EventRow } from "./rows.ts";

/** An event and the issue it belongs to. */
export interface FiledEvent {
  readonly projectId: string;
  readonly row: EventRow;
  readonly issueId: string;
}

/** Tells which events are new: the others are repeats, stored before or being stored by another writer. */
export const EVENT_IDS: InsertOnly<FiledEvent> = {
  name: "event_ids",
  key: ["event_id"],
  id: "event_id",
  idOf: ({ row }) => row.event.eventId,
  columns: {
    event_id: ["uuid", ({ row }) => row.event.eventId],
    issue_id: ["bigint", ({ issueId }) => issueId],
    timestamp: ["timestamptz", ({ row }) => row.timestamp],
  },
};

/** An event whose payload lies in a chunk, and some of whose tags in a set. */
export interface PackedEvent extends FiledEvent {
  readonly chunkId: string | undefined;
  /** Null: all of its tags are its own. */
  readonly tagsId: string | null;
  /** JSON text of an object. */
  readonly ownTags: string;
}

/** The events themselves; {@linkcode EVENT_IDS} keeps each from being stored twice. */
export const EVENTS: Table<PackedEvent> = {
  name: "events",
  key: [],
  columns: {
    issue_id: ["bigint", ({ issueId }) => issueId],
    timestamp: ["timestamptz", ({ row }) => row.timestamp],
    event_id: ["uuid", ({ row }) => row.event.eventId],
    received_at: ["timestamptz", ({ row }) => row.receivedAt],
    level: ["text", ({ row }) => row.event.level],
    platform: ["text", ({ row }) => row.event.platform],
    environment: ["text", ({ row }) => row.environment],
    release: ["text", ({ row }) => row.release],
    transaction: ["text", ({ row }) => row.event.transaction],
    title: ["text", ({ row }) => row.event.title],
    user_key: ["text", ({ row }) => row.user],
    trace_id: ["uuid", ({ row }) => row.event.traceId],
    span_id: ["text", ({ row }) => row.event.spanId],
    tags: ["json", ({ ownTags }) => ownTags],
    tags_id: ["bigint", ({ tagsId }) => tagsId],
    group_hash: ["uuid", ({ row }) => row.event.grouping.hashes[0]],
    chunk_id: ["bigint", ({ chunkId }) => chunkId ?? null],
  },
};

/** A group hash that no issue has yet, or that an issue known by another hash shall have too. */
interface NewHash {
  readonly projectId: string;
  readonly hash: string;
  readonly version: number;
  /** Null asks for a new issue. */
  readonly issueId: string | null;
}

/**
 * Names the issue of each event, by any of its hashes in order, and reserves an id for new ones; the issue's
 * row is written later in the same transaction. When two writers meet the same new hash, the unique index makes
 * one of them wait and then take the other's issue.
 *
 * @param issues what `findIssues()` found in this transaction; ids that are reserved are added
 * @returns issue ids, parallel to `rows`
 */
export async function resolveIssues(
  tx: Transaction,
  rows: readonly EventRow[],
  issues: KnownIssues,
): Promise<string[]> {
  let missing = newHashes(rows, issues);
  while (missing.length > 0) {
    await claim(tx, missing, issues);
    missing = newHashes(rows, issues);
  }
  return rows.map((row) => {
    const issueId = issueOf(row, issues);
    if (issueId === undefined) throw new Error(`Cannot find the issue of event ${row.key}`);
    return issueId;
  });
}

function issueOf(row: EventRow, issues: KnownIssues): string | undefined {
  for (const hash of row.event.grouping.hashes) {
    const issueId = issues.get(`${row.projectId}/${hash}`);
    if (issueId !== undefined) return issueId;
  }
  return undefined;
}

/**
 * Only an event's first hash is ever added: the others find old issues, but do not bind new ones. An event with
 * a hash that is just being added waits for the next round, where that hash is known.
 */
function newHashes(rows: readonly EventRow[], known: KnownIssues): NewHash[] {
  const missing = new Map<string, NewHash>();
  for (const row of rows) {
    const { version, hashes } = row.event.grouping;
    const keys = hashes.map((hash) => `${row.projectId}/${hash}`);
    const [hash] = hashes;
    const key = `${row.projectId}/${hash}`;
    if (known.has(key) || keys.some((candidate) => missing.has(candidate))) continue;
    const issueId = issueOf(row, known) ?? null;
    missing.set(key, { projectId: row.projectId, hash, version, issueId });
  }
  return [...missing.values()];
}

const HASH_COLUMNS: Columns<NewHash> = {
  project_id: ["bigint", ({ projectId }) => projectId],
  hash: ["uuid", ({ hash }) => hash],
  version: ["smallint", ({ version }) => version],
  issue_id: ["bigint", ({ issueId }) => issueId],
};

async function claim(
  tx: Transaction,
  missing: readonly NewHash[],
  issues: KnownIssues,
): Promise<void> {
  // Sorted, as every write of this transaction, so that two writers never wait for each other.
  await tx`
    insert into issue_hashes (project_id, hash, version, issue_id)
    select project_id, hash, version, coalesce(issue_id, nextval('issue_ids'))
    from ${incoming(tx, missing, HASH_COLUMNS)}
    order by project_id, hash
    on conflict (project_id, hash) do nothing
  `;
  // A new statement, and so a new snapshot: it sees what this writer or a faster one has stored.
  await addStored(tx, missing, issues);
}

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
  readonly texts: readonly IssueText[];
  /** Stacks whose texts are all stored then. */
  readonly stacks: readonly string[];
}

/** Some 30 MB. */
const MEMORY_CAPACITY = 150_000;
const MAX_VALUE_LENGTH = 200;
/**
 * Values of one tag of one issue that become searchable while the issue is remembered. A tag with a new value in
 * every event, such as a request id, would otherwise cost a row for each.
 */
const MAX_VALUES_PER_TAG = 500;
/** The same for what stacks and messages say. */
const MAX_TEXTS = 300;
/** Characters of the stacks that are known as a whole, of each of two generations. */
const STACK_CAPACITY = 5_000_000;
/** The same for users: beyond it each one is offered to Postgres, which knows. */
const MAX_REMEMBERED_USERS = 2_000;

/**
 * Knows which tag values and users of issues are stored already, so that steady traffic writes none of them
 * again. Forgetting costs a write that changes nothing; it never costs a value.
 */
export class IssueValues {
  readonly #memory = new IssueMemory(MEMORY_CAPACITY);
  #stacks = new Set<string>();
  #olderStacks = new Set<string>();
  #stackLength = 0;

  /** What of the events' tags and users is not known to be stored. */
  findNew(events: readonly FiledEvent[]): NewValues {
    const tags = new Map<string, TagValue>();
    const users = new Map<string, IssueUser>();
    const texts = new Map<string, IssueText>();
    const stacks = new Set<string>();
    for (const { row, issueId } of events) {
      const { projectId, user } = row;
      const known = this.#memory.of(projectId, issueId);
      const add = (key: string, whole: string) => {
        const value = whole.slice(0, MAX_VALUE_LENGTH);
        if (isKnown(known, key, value, row.day)) return;
        const tag = { projectId, issueId, key, value, day: row.day };
        // The length keeps key and value apart, whatever characters they have.
        const id = `${projectId}/${issueId}/${key.length}/${key}${value}`;
        const same = tags.get(id);
        if (same === undefined) tags.set(id, tag);
        else if (same.day < tag.day) same.day = tag.day;
      };
      forEachTag(row, add);
      for (const together of row.event.texts) {
        const stack = `${projectId}/${issueId}/${together}`;
        if (this.#stacks.has(stack) || this.#olderStacks.has(stack) || stacks.has(stack)) continue;
        stacks.add(stack);
        for (const text of together.split("\0")) {
          if (known.texts.has(text) || known.texts.size >= MAX_TEXTS) continue;
          const id = `${projectId}/${issueId}/${text}`;
          if (texts.has(id)) continue;
          texts.set(id, { projectId, issueId, text, textId: textIdOf(text), day: row.day });
        }
      }
      if (user === null || known.users.has(user)) continue;
      users.set(`${projectId}/${issueId}/${user}`, { projectId, issueId, user });
    }
    return {
      tags: [...tags.values()],
      users: [...users.values()],
      texts: [...texts.values()],
      stacks: [...stacks],
    };
  }

  /** To be called after the commit, and only then. */
  remember({ tags, users, texts, stacks }: NewValues): void {
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
    for (const { projectId, issueId, text } of texts) {
      const known = this.#memory.of(projectId, issueId);
      if (known.texts.size < MAX_TEXTS) this.#memory.rememberText(known, text);
    }
    for (const stack of stacks) this.#rememberStack(stack);
  }

  #rememberStack(stack: string): void {
    this.#stackLength += stack.length;
    if (this.#stackLength > STACK_CAPACITY) {
      this.#olderStacks = this.#stacks;
      this.#stacks = new Set();
      this.#stackLength = stack.length;
    }
    this.#stacks.add(stack);
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
function forEachTag(
  { event, environment, release }: EventRow,
  tell: (key: string, value: string) => void,
): void {
  for (const [key, value] of event.tags) tell(key, value);
  for (const [key, value] of event.facts) tell(key, value);
  if (environment !== "") tell("environment", environment);
  if (release !== "") tell("release", release);
  if (event.dist !== "") tell("dist", event.dist);
  if (event.transaction !== "") tell("transaction", event.transaction);
  if (event.sdk !== "") tell("sdk", event.sdk);
}

/** Tag values that are new or seen on a later day than before. */
export const ISSUE_TAGS: Table<TagValue> = {
  name: "issue_tags",
  key: ["key", "value", "issue_id"],
  columns: {
    key: ["text", ({ key }) => key],
    value: ["text", ({ value }) => value],
    issue_id: ["bigint", ({ issueId }) => issueId],
    last_seen: ["date", ({ day }) => day, "replace"],
  },
  changesIf: "known.last_seen < excluded.last_seen",
};

/** What is known to be stored of one issue. */
interface KnownOfIssue {
  /** By tag, by value: the newest day (`YYYY-MM-DD`) on which it was written. */
  readonly tags: Map<string, Map<string, string>>;
  readonly users: Set<string>;
  readonly texts: Set<string>;
}

/**
 * A bounded memory of issues. It holds two generations: when the young one has `capacity` entries it becomes
 * the old one, and the old one goes. An issue that is looked up is young again.
 */
export class IssueMemory {
  readonly #capacity: number;
  #young = new Map<string, KnownOfIssue>();
  #old = new Map<string, KnownOfIssue>();
  #entries = 0;

  /** @param capacity tag values, users and texts of one generation */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  of(projectId: string, issueId: string): KnownOfIssue {
    const key = `${projectId}/${issueId}`;
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    const known = old ?? { tags: new Map(), users: new Set(), texts: new Set() };
    this.#old.delete(key);
    this.#young.set(key, known);
    this.#grow(1 + sizeOf(known));
    return known;
  }

  rememberTag(known: KnownOfIssue, key: string, value: string, day: string): void {
    const days = known.tags.get(key) ?? new Map<string, string>();
    known.tags.set(key, days);
    if (!days.has(value)) this.#grow(1);
    days.set(value, day);
  }

  rememberUser(known: KnownOfIssue, user: string): void {
    if (!known.users.has(user)) this.#grow(1);
    known.users.add(user);
  }

  rememberText(known: KnownOfIssue, text: string): void {
    if (!known.texts.has(text)) this.#grow(1);
    known.texts.add(text);
  }

  #grow(entries: number): void {
    this.#entries += entries;
    if (this.#entries <= this.#capacity) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#entries = 0;
  }
}

function sizeOf({ tags, users, texts }: KnownOfIssue): number {
  let size = users.size + texts.size;
  for (const days of tags.values()) size += days.size;
  return size;
}
