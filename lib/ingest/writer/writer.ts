import type { Logger } from "../../core/log.ts";
import { failureOf, StoreUnavailable, Unstorable } from "../../core/errors.ts";
import { MEASURES } from "../../core/measures/measures.ts";
import { isOwnProject, noteWork } from "../../core/own_work.ts";
import { TimeLimitExceeded, withTimeLimit } from "../../core/waiting.ts";
import type { Batch, Outcome, Receipt, TelemetryRecord } from "../../records/mod.ts";
import type { Sql } from "../../store/database.ts";
import { onBreak } from "../../store/lasting_pool.ts";
import { NameCaps } from "../../store/stats/name_caps.ts";
import { ClientNames, ValueCaps } from "./caps.ts";
import { FoldTimer, type KeyUse, Tallies } from "./counts.ts";
import { type Fate, measureStored } from "./fates.ts";
import type { FlushTools, Progress } from "./flush.ts";
import { flushRequests } from "./flush_in_parts.ts";
import { emptyMemory } from "./memory.ts";
import { type Probe, startProbe } from "./probe.ts";
import { type QueueLimits, type Waiting, WriterQueue } from "./queue.ts";
import { Repeats } from "./repeats.ts";
import { prepareBatch, type RequestRows, tallyOutcomes } from "./rows.ts";
import { Suspects } from "./suspects.ts";

/** What became of the records of one commit. */
export interface CommitResult {
  readonly stored: number;
  /** Records that were stored already, in another request. */
  readonly duplicates: number;
  /** Records that Postgres refuses by themselves; they are counted as `invalid`. */
  readonly refused: number;
}

export interface Writer {
  /**
   * Stores a batch of one project. Resolves when it is durable; calls that wait together share a transaction.
   *
   * @param receipt names the request: once it is stored, a repeat of it changes nothing and counts nothing
   * @throws {StoreUnavailable} when Postgres is away or too slow, or too much is waiting; nothing of the batch
   *   is acknowledged then, and committing it again is harmless
   * @throws {Unstorable} when Postgres is well, and refuses what stores this one; nothing of it is stored
   */
  commit(
    projectId: string,
    batch: Pick<Batch, "records" | "outcomes">,
    receipt?: Receipt,
  ): Promise<CommitResult>;
  /** Counts what was refused or dropped before it became a record: written within about a second. */
  count(projectId: string, outcomes: readonly Outcome[]): void;
  /** Counts a request that came with a key that is known: written within about a second. */
  countRequest(use: KeyUse): void;
  /** What waits for a transaction now. */
  waiting(): WaitingState;
  /** Writes what is waiting. Whatever comes afterwards is refused. */
  close(): Promise<void>;
}

export interface WaitingState {
  readonly records: number;
  readonly bytes: number;
  /** Milliseconds that the oldest has waited; 0 when nothing waits. */
  readonly ageMs: number;
}

export interface WriterOptions {
  readonly log: Logger;
  /** What one transaction takes. @default 256 records, 4 MB */
  readonly batch?: QueueLimits;
  /** What may wait; beyond it commits are refused at once. @default 10,000 records, 64 MB */
  readonly queue?: QueueLimits;
  /** Transactions at a time, at most. @default 2 */
  readonly inFlight?: number;
  /** How long a commit may take, in milliseconds and one more for each record, before it is refused. @default 5,000 */
  readonly timeoutMs?: number;
}

const DEFAULTS = {
  batch: { maxRecords: 256, maxBytes: 4_000_000 },
  queue: { maxRecords: 10_000, maxBytes: 64_000_000 },
  inFlight: 2,
  timeoutMs: 5_000,
};
/** One statement holds up to thousands of records: a writer of little patience must not make it hopeless. */
const MIN_STATEMENT_MS = 5_000;
const COUNT_DELAY_MS = 1_000;
/** A request of a hundred thousand records would be too slow each time it is replayed, and all behind it would wait. */
const MS_PER_RECORD = 1;
/** Of a whole transaction, what is worth a second one beside it. */
const MUCH = 0.5;
/** A transaction of this age may be waiting for a lock: others shall not wait with it. In milliseconds. */
const SLOW_MS = 100;

/** Of the time that a commit may take, what a transaction is begun with at least. */
const MIN_PATIENCE = 0.25;

/** A transaction on its way. */
interface Running {
  readonly projects: ReadonlySet<string>;
  isSlow: boolean;
}

/** Opens the one way by which records enter Postgres. */
export function openWriter(sql: Sql, options: WriterOptions): Writer {
  return new GroupCommit(sql, options);
}

class GroupCommit implements Writer {
  readonly #tools: FlushTools;
  readonly #limits: Required<Omit<WriterOptions, "log">>;
  readonly #queue: WriterQueue;
  readonly #clientNames = new ClientNames();
  readonly #valueCaps: ValueCaps;
  readonly #running = new Map<Promise<void>, Running>();
  readonly #counting = new Set<Promise<void>>();
  /** Counts that are not written yet. */
  #counted = new Tallies();
  #countTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #folds: FoldTimer;
  #probe: Probe | null = null;
  #isWakeUpDue = false;
  #isClosed = false;

  constructor(sql: Sql, { log, ...limits }: WriterOptions) {
    this.#limits = { ...DEFAULTS, ...limits };
    this.#tools = {
      sql,
      log,
      memory: emptyMemory(),
      repeats: new Repeats(),
      names: new NameCaps(sql),
      suspects: new Suspects(),
      statementTimeoutMs: Math.max(MIN_STATEMENT_MS, this.#limits.timeoutMs),
    };
    onBreak(sql, () => this.#tools.memory = emptyMemory());
    this.#valueCaps = new ValueCaps(sql);
    this.#queue = new WriterQueue(this.#limits.queue);
    this.#folds = new FoldTimer(sql, log);
  }

  async commit(
    projectId: string,
    batch: Pick<Batch, "records" | "outcomes">,
    receipt?: Receipt,
  ): Promise<CommitResult> {
    if (this.#isClosed) throw new StoreUnavailable("Cannot store: the service is stopping");
    if (this.#probe !== null) throw new StoreUnavailable("Cannot store: Postgres is away");
    // What is looked up first is a part of what the caller waits for.
    const since = performance.now();
    const capped = await this.#valueCaps.cap(projectId, batch.records);
    const outcomes = [
      ...this.#clientNames.boundAll(projectId, batch.outcomes),
      ...capped.outcomes,
    ];
    const records = await this.#withNames(projectId, capped.records);
    const prepared = prepareBatch(projectId, { records, outcomes }, receipt ?? null);
    const fates = await this.#enqueue(prepared, since);
    this.#folds.note();
    measureStored(prepared.rows, fates);
    const count = (fate: Fate) => fates.filter((candidate) => candidate === fate).length;
    return {
      stored: count("stored"),
      duplicates: count("duplicate"),
      refused: prepared.refused + count("refused"),
    };
  }

  count(projectId: string, outcomes: readonly Outcome[]): void {
    this.#counted.outcomes.addAll(
      tallyOutcomes(projectId, this.#clientNames.boundAll(projectId, outcomes)),
    );
    this.#countLater();
  }

  countRequest(use: KeyUse): void {
    this.#counted.keys.add(use);
    this.#countLater();
  }

  waiting(): WaitingState {
    const { records, bytes, oldest } = this.#queue;
    return { records, bytes, ageMs: oldest === null ? 0 : performance.now() - oldest.since };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#countTimer);
    this.#startFlushes();
    // Each ends by its deadline, and starts the next one while anything waits.
    while (this.#running.size + this.#counting.size > 0) {
      await Promise.all([...this.#running.keys(), ...this.#counting]);
    }
    this.#probe?.stop();
    if (!this.#counted.isEmpty) await this.#flush([]);
    clearTimeout(this.#countTimer);
    await withTimeLimit(this.#folds.close(), this.#limits.timeoutMs).catch(() => {});
    if (this.#counted.isEmpty) return;
    const { quantity } = this.#counted.outcomes;
    this.#tools.log.error("Counts of outcomes are lost: Postgres is away", { quantity });
  }

  /** Transactions of a project that uses too many names get the common one. */
  async #withNames(
    projectId: string,
    records: readonly TelemetryRecord[],
  ): Promise<readonly TelemetryRecord[]> {
    if (!records.some(isCounted)) return records;
    await this.#tools.names.ready(projectId);
    return this.#tools.names.fold(projectId, records);
  }

  #enqueue(request: RequestRows, since: number): Promise<readonly Fate[]> {
    return new Promise((resolve, reject) => {
      const fits = this.#queue.offer({
        request,
        bytes: request.rows.reduce((sum, row) => sum + row.bytes, 0),
        since,
        deadline: since + this.#limits.timeoutMs + request.rows.length * MS_PER_RECORD,
        succeed: resolve,
        fail: reject,
      });
      if (fits) this.#wakeUp();
      else reject(new StoreUnavailable("Cannot store: too much is waiting for Postgres"));
    });
  }

  /** Waits for the end of the current task, so that commits of one moment share a transaction. */
  #wakeUp(): void {
    if (this.#isWakeUpDue) return;
    this.#isWakeUpDue = true;
    queueMicrotask(() => {
      this.#isWakeUpDue = false;
      this.#startFlushes();
    });
  }

  /**
   * What comes while a transaction runs commits together after it: the larger it is, the less each record costs. A
   * second one begins beside it where more waits than the next one should take, or where it takes so long that it must
   * be waiting for somebody.
   */
  #startFlushes(): void {
    while (!this.#queue.isEmpty && this.#mayStart()) {
      const taken = this.#takeNext();
      if (taken.length === 0) return;
      const inTime = taken.filter((waiting) => this.#isInTime(waiting));
      if (inTime.length > 0) this.#startFlush(inTime);
    }
  }

  #mayStart(): boolean {
    const { inFlight, batch } = this.#limits;
    const running = [...this.#running.values()];
    if (running.length === 0) return true;
    if (running.length >= inFlight) return false;
    const { records, bytes } = this.#queue;
    return records >= batch.maxRecords * MUCH || bytes >= batch.maxBytes * MUCH ||
      running.every(({ isSlow }) => isSlow);
  }

  /**
   * Of other projects than those that are being stored, if they have any: they never wait for the same issues. Nothing
   * of those that may be waiting for a lock, which would hold up this transaction as well.
   */
  #takeNext(): Waiting[] {
    const { batch } = this.#limits;
    const running = [...this.#running.values()];
    if (running.length === 0) return this.#queue.take(batch);
    const others = this.#queue.take(
      batch,
      (projectId) => !running.some(({ projects }) => projects.has(projectId)),
    );
    const isHeldUp = running.some(({ isSlow }) => isSlow);
    return others.length > 0 || isHeldUp ? others : this.#queue.take(batch);
  }

  /**
   * A project that sends more than its turns take has its answer early enough: its last moment in a transaction would
   * else be the last one of all that are in it.
   */
  #isInTime({ deadline, fail }: Waiting): boolean {
    if (deadline - performance.now() > this.#limits.timeoutMs * MIN_PATIENCE) return true;
    fail(new StoreUnavailable("Cannot store: it has waited too long for its turn"));
    return false;
  }

  #startFlush(requests: readonly Waiting[]): void {
    const running = {
      projects: new Set(requests.map(({ request }) => request.projectId)),
      isSlow: false,
    };
    const timer = setTimeout(() => {
      running.isSlow = true;
      this.#startFlushes();
    }, SLOW_MS);
    const flush = this.#flush(requests).then(() => {
      clearTimeout(timer);
      this.#running.delete(flush);
      this.#startFlushes();
    });
    this.#running.set(flush, running);
  }

  /** Beside the others: it waits for none of their rows. */
  #startCounts(): void {
    const flush = this.#flush([]).then(() => {
      this.#counting.delete(flush);
    });
    this.#counting.add(flush);
  }

  /** Answers every request, and never rejects itself. */
  async #flush(waiting: readonly Waiting[]): Promise<void> {
    const deadline = waiting.reduce(
      (earliest, { deadline }) => Math.min(earliest, deadline),
      waiting[0]?.deadline ?? performance.now() + this.#limits.timeoutMs,
    );
    const open = new Set(waiting);
    const progress: Progress = {
      fates: new Map(),
      done: new Set(),
      unstorable: new Map(),
      onPart() {
        for (const each of open) if (answerKnown(each, progress)) open.delete(each);
      },
      areCountsSaved: false,
    };
    const began = performance.now();
    const writing = this.#write(waiting.map(({ request }) => request), progress, deadline);
    try {
      await withTimeLimit(writing, Math.max(0, deadline - performance.now()));
    } catch (error) {
      MEASURES.commitFailures.add(1);
      const isLate = error instanceof TimeLimitExceeded;
      this.#onFailure(isLate ? new StoreUnavailable("Postgres is too slow") : error);
    }
    if (progress.done.size > 0) measureCommit(progress, began);
    if (!waiting.every(({ request }) => isOwnProject(request.projectId))) {
      noteWork("commit", "commit", began, {
        isFailed: progress.done.size < waiting.length,
        attributes: { "watchpost.requests": waiting.length },
      });
    }
    for (const each of open) if (!answerKnown(each, progress)) each.fail(unavailable());
  }

  /**
   * Counts are written by themselves, once a second, since all of them add to the same few rows; those that are not
   * saved in the end wait for another flush.
   */
  async #write(
    requests: readonly RequestRows[],
    progress: Progress,
    deadline: number,
  ): Promise<void> {
    const counted = requests.length === 0 ? this.#counted : new Tallies();
    if (requests.length === 0) this.#counted = new Tallies();
    try {
      await flushRequests(this.#tools, { requests, counts: counted, deadline }, progress);
    } finally {
      if (!progress.areCountsSaved) {
        this.#counted.addAll(counted);
        this.#countLater();
      }
    }
  }

  #onFailure(error: unknown): void {
    this.#tools.log.error("Cannot write to Postgres", { error });
    if (this.#probe !== null || failureOf(error) !== "unavailable") return;
    // After the end nobody waits for its return, and nobody would end the waiting.
    if (!this.#isClosed) {
      this.#probe = startProbe(this.#tools.sql, () => {
        this.#probe = null;
        this.#tools.log.info("Postgres is back");
      });
    }
    // Nobody waits for a store that is away: what is queued has its answer now.
    while (!this.#queue.isEmpty) {
      for (const request of this.#queue.take(this.#limits.batch)) request.fail(unavailable());
    }
  }

  #countLater(): void {
    if (this.#countTimer !== undefined || this.#isClosed || this.#counted.isEmpty) return;
    this.#countTimer = setTimeout(() => {
      this.#countTimer = undefined;
      if (this.#probe === null) this.#startCounts();
      else this.#countLater();
    }, COUNT_DELAY_MS);
  }
}

/** Whether pages show how many there were, how fast and how well. */
function isCounted({ kind }: TelemetryRecord): boolean {
  return kind === "transaction" || kind === "spans";
}

function measureCommit({ fates }: Progress, began: number): void {
  MEASURES.commitDuration.observe((performance.now() - began) / 1_000);
  MEASURES.commitRecords.observe(fates.size);
}

function unavailable(): StoreUnavailable {
  return new StoreUnavailable("Cannot store: Postgres is away");
}

/** Answers a request of which it is known what became of it. @returns whether it is */
function answerKnown(
  { request, succeed, fail }: Waiting,
  { fates, done, unstorable }: Progress,
): boolean {
  const code = unstorable.get(request);
  if (done.has(request)) succeed(request.rows.map((row) => fates.get(row) ?? "stored"));
  else if (code !== undefined) fail(new Unstorable(code));
  else return false;
  return true;
}
