import type { Sql } from "../database.ts";
import { saveStats } from "./save_stats.ts";
import { SeriesMemory } from "./series_memory.ts";
import { addEntry } from "./stat_journal.ts";
import { type StatCount, StatTally } from "./stat_tally.ts";

/** Entries of one transaction: their rows are held until it ends. */
const ENTRIES_A_FOLD = 500;
/** Advisory lock of this database: whoever folds does it alone, so that nobody waits for single rows. */
const FOLD_LOCK = 7_310_577_003;

interface Folder {
  readonly series: SeriesMemory;
  running: Promise<void> | null;
  next: Promise<void> | null;
}

const folders = new WeakMap<Sql, Folder>();

/**
 * Adds what commits have counted so far to the tables that pages read. When this resolves, everything that was
 * committed before the call is there. Calls of one process share the work.
 *
 * @throws what `postgres` throws; nothing is lost then, and the next call does it
 */
export function foldStats(sql: Sql): Promise<void> {
  let folder = folders.get(sql);
  if (folder === undefined) {
    folders.set(sql, folder = { series: new SeriesMemory(), running: null, next: null });
  }
  const { running } = folder;
  if (running === null) return start(sql, folder);
  // The one under way may have looked too early: all who come meanwhile wait for the one after it.
  const shared = folder;
  shared.next ??= running.catch(() => {}).then(() => {
    shared.next = null;
    return start(sql, shared);
  });
  return shared.next;
}

/** The same for whoever reads counts: when it fails, older ones have to do, and the writer tells of it. */
export async function foldForReading(sql: Sql): Promise<void> {
  await foldStats(sql).catch(() => {});
}

function start(sql: Sql, folder: Folder): Promise<void> {
  const work = foldAll(sql, folder).finally(() => {
    if (folder.running === work) folder.running = null;
  });
  folder.running = work;
  return work;
}

async function foldAll(sql: Sql, { series }: Folder): Promise<void> {
  const [pending] = await sql`select 1 from stat_journal limit 1`;
  if (pending === undefined) return;
  while (await foldSome(sql, series) === ENTRIES_A_FOLD);
}

async function foldSome(sql: Sql, series: SeriesMemory): Promise<number> {
  const { entries, counts } = await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${FOLD_LOCK})`;
    const taken = await tx<{ projectId: string; entry: Uint8Array }[]>`
      delete from stat_journal where (project_id, entry_id) in (
        select project_id, entry_id from stat_journal limit ${ENTRIES_A_FOLD}
      )
      returning project_id as "projectId", entry
    `;
    const tally = new StatTally();
    for (const { projectId, entry } of taken) addEntry(projectId, entry, tally);
    await saveStats(tx, tally, series.findNew(tally.counts));
    return { entries: taken.length, counts: tally.counts };
  }) as { entries: number; counts: readonly StatCount[] };
  series.remember(counts);
  return entries;
}
