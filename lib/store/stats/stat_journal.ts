/**
 * Counts of transactions and spans on their way to the tables that pages read: a commit only appends what it counted.
 * Many commits add to the same few rows; if each changed them itself, all would wait for one another.
 */
import type { Sql, Transaction } from "../database.ts";
import { packText, unpackText } from "../packed_text.ts";
import { compactDistinct, joinedSets } from "./distinct.ts";
import { type Series, seriesOf } from "./series.ts";
import { Sketch } from "./sketch.ts";
import { type NamedSeries, wholeWithId } from "./series_ids.ts";
import type { FoldedNames, StatCount, StatTally } from "./stat_tally.ts";

/** One entry: what a commit counted of a project. Bytes are hexadecimal digits. */
interface Entry {
  readonly counts: readonly (
    & Omit<StatCount, "projectId" | "series" | "sketch" | "users">
    & { readonly series: Partial<Series>; readonly sketch: string; readonly users: string }
  )[];
  readonly folded:
    readonly (Omit<FoldedNames, "projectId" | "names"> & { readonly names: string })[];
}

/** Appends what a commit counted, one entry a project, in the transaction of the commit. */
export async function appendToJournal(tx: Transaction, tally: StatTally): Promise<void> {
  const { counts, folded } = tally;
  if (counts.length === 0) return;
  const foldedBy = Map.groupBy(folded, ({ projectId }) => projectId);
  const entries = [...Map.groupBy(counts, ({ projectId }) => projectId)].map(
    ([projectId, counts]) => ({
      projectId,
      entry: packText(JSON.stringify(entryOf(counts, foldedBy.get(projectId) ?? []))),
    }),
  );
  await tx`
    insert into stat_journal (project_id, entry_id, entry)
    select project_id, gen_random_uuid(), decode(entry, 'hex')
    from unnest(
      ${entries.map(({ projectId }) => projectId)}::bigint[],
      ${entries.map(({ entry }) => entry)}::text[]
    ) as incoming (project_id, entry)
  `;
}

/** How long the oldest entry has waited to be added up, in milliseconds; null when there is none. */
export async function oldestEntryMs(sql: Sql): Promise<number | null> {
  const [row] = await sql<{ ageMs: number | null }[]>`
    select (extract(epoch from clock_timestamp() - min(appended_at)) * 1000)::float8 as "ageMs"
    from stat_journal
  `;
  return row?.ageMs ?? null;
}

/** Adds what an entry holds to a tally, for its environment and release and for all of them. @throws {Error} when it is damaged */
export function addEntry(projectId: string, bytes: Uint8Array, tally: StatTally): void {
  const { counts, folded }: Entry = JSON.parse(unpackText(bytes));
  for (const { series: facts, sketch, users, ...count } of counts) {
    const series = seriesOf(facts as Parameters<typeof seriesOf>[0]);
    const countAs = (named: NamedSeries) =>
      tally.addCount({
        ...count,
        ...named,
        projectId,
        statuses: [...count.statuses],
        sketch: Sketch.of(Uint8Array.fromHex(sketch)),
        users: users === "" ? [] : [Uint8Array.fromHex(users)],
      });
    const own = { series, seriesId: count.seriesId };
    countAs(own);
    const whole = wholeWithId(own);
    if (whole !== null) countAs(whole);
  }
  for (const { names, ...facts } of folded) {
    tally.addFoldedNames({ ...facts, projectId, names: [Uint8Array.fromHex(names)] });
  }
}

function entryOf(counts: readonly StatCount[], folded: readonly FoldedNames[]): Entry {
  return {
    counts: counts.map(({ projectId: _, series, sketch, users, ...count }) => ({
      ...count,
      series: Object.fromEntries(Object.entries(series).filter(isKept)),
      sketch: sketch.toBytes().toHex(),
      users: setHex(users),
    })),
    folded: folded.map(({ projectId: _, names, ...facts }) => ({ ...facts, names: setHex(names) })),
  };
}

/** What every series has, and what this one says beyond. */
function isKept([name, value]: [string, string]): boolean {
  return value !== "" || name === "environment" || name === "release" || name === "service";
}

function setHex(parts: readonly Uint8Array[]): string {
  return parts.length === 0 ? "" : compactDistinct(joinedSets(parts)).toHex();
}
