import { HOUR_MS } from "../../core/time.ts";
import type { Outcome } from "../../records/mod.ts";
import type { Sql, Transaction } from "../../store/database.ts";
import { isSharded, ofProject, projectsApart } from "../../store/sharding.ts";
import { saveRows, type Table } from "../../store/write_rows.ts";
import type { Logger } from "../../core/log.ts";
import { foldStats } from "../../store/stats/fold_stats.ts";
import { oldestEntryMs } from "../../store/stats/journal.ts";

/** Counts that belong to no request that is stored: they travel along with any transaction. */
export class Tallies {
  readonly outcomes = new OutcomeTally();
  readonly keys = new KeyTally();

  get isEmpty(): boolean {
    return this.outcomes.isEmpty && this.keys.isEmpty;
  }

  addAll(other: Tallies): void {
    this.outcomes.addAll(other.outcomes);
    this.keys.addAll(other.keys);
  }

  /** Outcomes are appended, so that no writer waits for another; those of keys come by themselves, once a second. */
  async save(tx: Transaction): Promise<void> {
    // Sent one after the other without waiting: a round trip for both.
    await Promise.all([
      saveRows(tx, OUTCOME_JOURNAL, this.outcomes.counts),
      saveRows(tx, KEY_HOURS, this.keys.counts),
    ]);
  }
}

interface OutcomeCount {
  readonly projectId: string;
  /** ISO 8601, UTC. */
  readonly hour: string;
  readonly category: string;
  readonly kind: string;
  readonly reason: string;
  quantity: number;
}

const MAX_REASON_LENGTH = 100;
/** Distinct reasons come from our code, so there are few; should one carry client text, memory stays bounded. */
const MAX_COUNTS = 10_000;

/** Outcomes added up by project, hour of receipt, category, kind and reason. */
export class OutcomeTally {
  readonly #counts = new Map<string, OutcomeCount>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  get counts(): readonly OutcomeCount[] {
    return [...this.#counts.values()];
  }

  /** How many outcomes were added, whatever they are. */
  get quantity(): number {
    return this.counts.reduce((sum, { quantity }) => sum + quantity, 0);
  }

  add(projectId: string, { category, kind, reason, quantity }: Outcome, now = Date.now()): void {
    if (quantity <= 0) return;
    const hour = hourOf(now);
    this.#add({ projectId, hour, category, kind, reason: cleanReason(reason), quantity });
  }

  addAll(other: OutcomeTally): void {
    for (const count of other.counts) this.#add(count);
  }

  #add(count: OutcomeCount): void {
    const { projectId, hour, category, kind } = count;
    const isFull = this.#counts.size >= MAX_COUNTS;
    const reason = isFull ? "other" : count.reason;
    const key = `${projectId}/${hour}/${category}/${kind}/${reason}`;
    const known = this.#counts.get(key);
    if (known !== undefined) known.quantity += count.quantity;
    else this.#counts.set(key, { ...count, reason });
  }
}

let lastHour = { start: 0, text: "" };

/** ISO 8601; nearly always that of the last call. */
function hourOf(now: number): string {
  const start = now - now % HOUR_MS;
  if (start !== lastHour.start) lastHour = { start, text: new Date(start).toISOString() };
  return lastHour.text;
}

function cleanReason(reason: string): string {
  return reason.replaceAll("\0", "").slice(0, MAX_REASON_LENGTH);
}

/** Whoever folds it adds the counts to those of their hours and days. */
const OUTCOME_JOURNAL: Table<OutcomeCount> = {
  name: "outcome_journal",
  key: [],
  columns: {
    hour: ["timestamptz", ({ hour }) => hour],
    category: ["text", ({ category }) => category],
    kind: ["text", ({ kind }) => kind],
    reason: ["text", ({ reason }) => reason],
    quantity: ["bigint", ({ quantity }) => quantity],
  },
};

/** One request that came with a key. */
export interface KeyUse {
  readonly projectId: string;
  readonly keyId: string;
  readonly isAccepted: boolean;
  /** Of an accepted one, as it was sent. */
  readonly bytes?: number;
  readonly at: Date;
}

interface KeyCount {
  readonly projectId: string;
  readonly keyId: string;
  readonly hour: string;
  accepted: number;
  refused: number;
  bytes: number;
  lastUsedAt: number;
}

const KEY_HOURS: Table<KeyCount> = {
  name: "key_hours",
  key: ["key_id", "hour"],
  columns: {
    key_id: ["text", ({ keyId }) => keyId],
    hour: ["timestamptz", ({ hour }) => hour],
    accepted: ["bigint", ({ accepted }) => accepted, "add"],
    refused: ["bigint", ({ refused }) => refused, "add"],
    bytes: ["bigint", ({ bytes }) => bytes, "add"],
    last_used_at: ["timestamptz", ({ lastUsedAt }) => new Date(lastUsedAt), "greatest"],
  },
};

/** Requests added up by key and hour. */
class KeyTally {
  readonly #counts = new Map<string, KeyCount>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  get counts(): readonly KeyCount[] {
    return [...this.#counts.values()];
  }

  add({ projectId, keyId, isAccepted, bytes = 0, at }: KeyUse): void {
    const time = at.getTime();
    const hour = new Date(time - time % HOUR_MS).toISOString();
    this.#add({
      projectId,
      keyId,
      hour,
      accepted: isAccepted ? 1 : 0,
      refused: isAccepted ? 0 : 1,
      bytes,
      lastUsedAt: time,
    });
  }

  addAll(other: KeyTally): void {
    for (const count of other.counts) this.#add(count);
  }

  #add(count: KeyCount): void {
    const key = `${count.projectId}/${count.keyId}/${count.hour}`;
    const known = this.#counts.get(key);
    if (known === undefined) {
      this.#counts.set(key, { ...count });
      return;
    }
    known.accepted += count.accepted;
    known.refused += count.refused;
    known.bytes += count.bytes;
    known.lastUsedAt = Math.max(known.lastUsedAt, count.lastUsedAt);
  }
}

/** How long counts wait after a commit, so that many of them, of all processes, are added at once. */
const DELAY_MS = 2_000;
/** The same where a fold is a transaction for each project that counted something. */
const SHARDED_DELAY_MS = 10_000;
/** What a process that ended has left behind is found after this time at the latest. */
const IDLE_MS = 30_000;

/** Folds the counts of commits from time to time. Pages do not wait for it: they fold what they need. */
export class FoldTimer {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #delayMs = DELAY_MS;
  #isSoon = false;
  #isClosed = false;
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly sql: Sql, private readonly log: Logger) {
    this.#wait(IDLE_MS);
  }

  /** Something was counted. */
  note(): void {
    if (this.#isSoon || this.#isClosed) return;
    this.#isSoon = true;
    this.#wait(this.#delayMs);
  }

  /** Folds what is there for the last time. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.#try(foldOutcomes);
    await this.#try(foldStats);
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    const timer = setTimeout(() => {
      this.#isSoon = false;
      this.#running = this.#fold().then(() => {
        if (!this.#isClosed && !this.#isSoon) this.#wait(IDLE_MS);
      });
    }, ms);
    // A process may end while nothing waits but this.
    Deno.unrefTimer(timer);
    this.#timer = timer;
  }

  async #fold(): Promise<void> {
    await this.#try(foldOutcomes);
    await this.#try(async (sql) => {
      if (await isSharded(sql)) this.#delayMs = SHARDED_DELAY_MS;
      const ageMs = await oldestEntryMs(sql);
      // Another process has just folded: the few that came since then can wait for more.
      if (ageMs !== null && ageMs < this.#delayMs) this.note();
      else if (ageMs !== null) await foldStats(sql);
    });
  }

  async #try(fold: (sql: Sql) => Promise<void>): Promise<void> {
    try {
      await fold(this.sql);
    } catch (error) {
      this.log.warn("cannot add up counts yet", { error });
    }
  }
}

/** Rows of one transaction: some hundred commits. */
const ROWS_A_FOLD = 10_000;
/** Advisory lock of this database under which outcomes are folded. */
const OUTCOME_FOLD_LOCK = 7_310_577_004;

/**
 * Adds the outcomes that commits have appended so far to those of their hours and days. Readers need not wait for it:
 * the views that they read hold both. Does nothing while somebody else is at it.
 *
 * @throws what `postgres` throws; nothing is lost then, and the next call does it
 */
export async function foldOutcomes(sql: Sql): Promise<void> {
  const [pending] = await sql`select 1 from outcome_journal limit 1`;
  if (pending === undefined) return;
  for (const projectId of await projectsApart(sql, "outcome_journal")) {
    while (await foldSome(sql, projectId) === ROWS_A_FOLD);
  }
}

async function foldSome(sql: Sql, projectId: string | null): Promise<number> {
  return await sql.begin(async (tx) => {
    const of = ofProject(tx, projectId);
    const [lock] = await tx<{ isMine: boolean }[]>`
      select pg_try_advisory_xact_lock(${OUTCOME_FOLD_LOCK}) as "isMine"
    `;
    if (!lock?.isMine) return 0;
    const [taken] = await tx<{ rows: number }[]>`
      with taken as (
        delete from outcome_journal
        where ctid = any (array(
          select ctid from outcome_journal where true ${of} limit ${ROWS_A_FOLD}
        )) ${of}
        returning project_id, hour, category, kind, reason, quantity
      ),
      hours as (
        insert into outcome_hours as known (project_id, hour, category, kind, reason, quantity)
        select project_id, hour, category, kind, reason, sum(quantity) from taken
        group by 1, 2, 3, 4, 5
        on conflict (project_id, hour, category, kind, reason)
          do update set quantity = known.quantity + excluded.quantity
      ),
      days as (
        insert into outcome_days as known (project_id, day, category, kind, reason, quantity)
        select project_id, (hour at time zone 'UTC')::date, category, kind, reason, sum(quantity)
        from taken
        group by 1, 2, 3, 4, 5
        on conflict (project_id, day, category, kind, reason)
          do update set quantity = known.quantity + excluded.quantity
      )
      select count(*)::int as rows from taken
    `;
    return taken?.rows ?? 0;
  });
}
