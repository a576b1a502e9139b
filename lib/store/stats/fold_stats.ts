import { setImmediate as pause, setTimeout as delay } from "node:timers/promises";
import { TimeLimitExceeded, withTimeLimit } from "../../core/waiting.ts";
import type { Sql, Transaction } from "../database.ts";
import { onBreak } from "../lasting_pool.ts";
import { saveStats, SeriesMemory } from "./save_stats.ts";
import { addEntry } from "./journal.ts";
import { type StatCount, StatTally } from "./stat_tally.ts";

/** Entries of one transaction: their rows are held until it ends. */
const ENTRIES_A_FOLD = 500;
/** Counts that are written at once; pages of this process wait meanwhile. */
const COUNTS_A_PART = 600;
/** Pages of this process wait no longer than this for entries to be read. */
const TURN_MS = 10;
/** Advisory lock of this database: whoever folds does it alone, so that nobody waits for single rows. */
const FOLD_LOCK = 7_310_577_003;
/** Whoever reads waits this long for the newest counts. */
const READ_LIMIT_MS = 100;
/** So few entries are there in no time, but for a machine that is busy with something else: they are worth waiting for. */
const FEW_ENTRIES = 20;
const FEW_LIMIT_MS = 2_000;
/** A page reads in several steps: when one of them has waited in vain, the others do not wait again. */
const BEHIND_MS = 1_000;
/** Pause between two looks whether another process still folds. */
const RETRY_MS = 15;

interface Folder {
  series: SeriesMemory;
  running: Promise<void> | null;
  next: NextFold | null;
  /** On the clock of `performance.now()`. */
  behindUntil: number;
}

interface NextFold {
  readonly work: Promise<void>;
  /** Somebody needs all of it, however long others fold. */
  isPatient: boolean;
}

const folders = new WeakMap<Sql, Folder>();

/**
 * Adds what commits have counted so far to the tables that pages read. When this resolves, everything that was
 * committed before the call is there. Calls of one process share the work.
 *
 * @throws what `postgres` throws; nothing is lost then, and the next call does it
 */
export function foldStats(sql: Sql): Promise<void> {
  return fold(sql, folderOf(sql), true);
}

/**
 * The same for whoever reads counts, who does not wait for long: while much is written, those of the last second or
 * two may not be there yet. When folding fails, older ones have to do as well, and the writer tells of it.
 */
export async function foldForReading(sql: Sql): Promise<void> {
  const folder = folderOf(sql);
  if (performance.now() < folder.behindUntil) return;
  try {
    const entries = await countPending(sql);
    if (entries === 0) return;
    const limitMs = entries > FEW_ENTRIES ? READ_LIMIT_MS : FEW_LIMIT_MS;
    await withTimeLimit(fold(sql, folder, false), limitMs);
  } catch (error) {
    if (error instanceof TimeLimitExceeded) fallBehind(folder);
  }
}

function fallBehind(folder: Folder): void {
  folder.behindUntil = performance.now() + BEHIND_MS;
}

/** How many entries wait, those being folded included; one more than few stands for many. */
async function countPending(sql: Sql): Promise<number> {
  const rows = await sql`select 1 from stat_journal limit ${FEW_ENTRIES + 1}`;
  return rows.length;
}

function folderOf(sql: Sql): Folder {
  const known = folders.get(sql);
  if (known !== undefined) return known;
  const folder: Folder = { series: new SeriesMemory(), running: null, next: null, behindUntil: 0 };
  onBreak(sql, () => folder.series = new SeriesMemory());
  folders.set(sql, folder);
  return folder;
}

function fold(sql: Sql, folder: Folder, isPatient: boolean): Promise<void> {
  if (folder.next === null) {
    if (folder.running === null) return start(sql, folder, isPatient);
    folder.next = followUp(sql, folder, folder.running);
  }
  folder.next.isPatient ||= isPatient;
  return folder.next.work;
}

/** The fold under way may have looked too early: all who come meanwhile wait for the one after it. */
function followUp(sql: Sql, folder: Folder, running: Promise<void>): NextFold {
  const next: NextFold = {
    isPatient: false,
    work: running.catch(() => {}).then(() => {
      folder.next = null;
      return start(sql, folder, next.isPatient);
    }),
  };
  return next;
}

function start(sql: Sql, folder: Folder, isPatient: boolean): Promise<void> {
  const work = foldAll(sql, folder, isPatient).finally(() => {
    if (folder.running === work) folder.running = null;
  });
  folder.running = work;
  return work;
}

async function foldAll(sql: Sql, folder: Folder, isPatient: boolean): Promise<void> {
  const [pending] = await sql`select 1 from stat_journal limit 1`;
  if (pending === undefined) return;
  const giveUpAt = performance.now() + READ_LIMIT_MS;
  for (;;) {
    const entries = await foldSome(sql, folder.series, isPatient);
    if (entries === null) {
      if (performance.now() >= giveUpAt) return fallBehind(folder);
      await delay(RETRY_MS);
    } else if (entries < ENTRIES_A_FOLD) return;
  }
}

/**
 * Adds some entries of the journal.
 *
 * @param isPatient waits while another process folds
 * @returns how many, or null when another process folds
 */
async function foldSome(
  sql: Sql,
  series: SeriesMemory,
  isPatient: boolean,
): Promise<number | null> {
  const { entries, counts } = await sql.begin(async (tx) => {
    if (!await takeLock(tx, isPatient)) return { entries: null, counts: [] };
    const taken = await tx<JournalRow[]>`
      delete from stat_journal where (project_id, entry_id) in (
        select project_id, entry_id from stat_journal limit ${ENTRIES_A_FOLD}
      )
      returning project_id as "projectId", entry
    `;
    const tally = await tallyOf(taken);
    for (const part of partsOf(tally)) {
      await saveStats(tx, part, series.findNew(part.counts));
      await pause();
    }
    return { entries: taken.length, counts: tally.counts };
  }) as { entries: number | null; counts: readonly StatCount[] };
  series.remember(counts);
  return entries;
}

interface JournalRow {
  readonly projectId: string;
  readonly entry: Uint8Array;
}

async function tallyOf(rows: readonly JournalRow[]): Promise<StatTally> {
  const tally = new StatTally();
  let began = performance.now();
  for (const { projectId, entry } of rows) {
    addEntry(projectId, entry, tally);
    if (performance.now() - began < TURN_MS) continue;
    await pause();
    began = performance.now();
  }
  return tally;
}

/** The same in pieces, in which all counts of a series are together: they are few rows. */
function* partsOf({ counts, folded }: StatTally): Generator<StatTally> {
  let part = new StatTally();
  for (const names of folded) part.addFoldedNames(names);
  const bySeries = Map.groupBy(counts, ({ projectId, seriesId }) => `${projectId}/${seriesId}`);
  let size = 0;
  for (const group of bySeries.values()) {
    for (const count of group) part.addCount(count);
    size += group.length;
    if (size < COUNTS_A_PART) continue;
    yield part;
    part = new StatTally();
    size = 0;
  }
  if (size > 0) yield part;
}

/** Waits until nobody folds, and keeps everybody from it until the end of the transaction. */
export async function holdFolds(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${FOLD_LOCK})`;
}

/** Takes the lock until the end of the transaction; false when another process has it. */
async function takeLock(tx: Transaction, isPatient: boolean): Promise<boolean> {
  if (isPatient) {
    await holdFolds(tx);
    return true;
  }
  const [row] = await tx<{ taken: boolean }[]>`
    select pg_try_advisory_xact_lock(${FOLD_LOCK}) as taken
  `;
  return row?.taken ?? false;
}
