import { HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import type { Sql, Transaction } from "../database.ts";
import { packText, unpackText } from "../values.ts";
import { saveRows, type Table } from "../write_rows.ts";
import { compactDistinct, distinctHash, joinedSets } from "./distinct.ts";
import { type Series, seriesId, seriesKey, seriesOf, wholeOf } from "./series.ts";
import { Sketch } from "./sketch.ts";

/** One measurement of a series. */
export interface Observation {
  readonly time: Date;
  /** Milliseconds, or the score of a vital. */
  readonly value: number;
  readonly isFailed: boolean;
  /** How many it stands for. */
  readonly weight: number;
  readonly httpStatus: number | null;
  readonly user: string | null;
  readonly traceId: string;
}

/** What a commit adds to one series in one minute. */
export interface StatCount {
  readonly projectId: string;
  readonly series: Series;
  readonly seriesId: string;
  /** Start of the minute, in milliseconds since 1970. */
  readonly minute: number;
  count: number;
  failures: number;
  weight: number;
  sum: number;
  /** Of HTTP answers 2xx to 5xx. */
  readonly statuses: [number, number, number, number];
  readonly sketch: Sketch;
  /** From `distinctHash()`. */
  readonly users: Uint8Array[];
  traceId: string;
}

/** Transactions of a project and hour that were counted under the common name. */
export interface FoldedNames {
  readonly projectId: string;
  /** Start of the hour, in milliseconds since 1970. */
  readonly hour: number;
  transactions: number;
  /** From `distinctHash()`. */
  readonly names: Uint8Array[];
  /** One of the names. */
  example: string;
}

/** Names of which a project may use only so many in an hour. */
export type CappedKind = "transaction" | "span" | "caller";

/** Tells whether a project may use one more name. */
export interface NameAdmission {
  admit(projectId: string, kind: CappedKind, name: string): boolean;
}

/** Observations added up by project, series and minute. */
export class StatTally {
  readonly #counts = new Map<string, StatCount>();
  readonly #folded = new Map<string, FoldedNames>();

  /** @param names tells which names may be used. @default all */
  constructor(readonly names: NameAdmission = { admit: () => true }) {}

  get counts(): readonly StatCount[] {
    return [...this.#counts.values()];
  }

  get folded(): readonly FoldedNames[] {
    return [...this.#folded.values()];
  }

  addFolded(projectId: string, time: Date, name: string): void {
    const hour = Math.floor(time.getTime() / HOUR_MS) * HOUR_MS;
    const key = `${projectId}/${hour}`;
    const folded = this.#folded.get(key) ??
      { projectId, hour, transactions: 0, names: [], example: name };
    this.#folded.set(key, folded);
    folded.transactions++;
    folded.names.push(distinctHash(name));
    folded.example = name;
  }

  /** Adds what another tally has counted; the object is taken over. */
  addCount(count: StatCount): void {
    const place = `${count.projectId}/${count.minute}/${count.seriesId}`;
    const known = this.#counts.get(place);
    if (known === undefined) this.#counts.set(place, count);
    else merge(known, count);
  }

  /** The same of folded names. */
  addFoldedNames(folded: FoldedNames): void {
    const key = `${folded.projectId}/${folded.hour}`;
    const known = this.#folded.get(key);
    if (known === undefined) {
      this.#folded.set(key, folded);
      return;
    }
    known.transactions += folded.transactions;
    known.names.push(...folded.names);
    known.example = folded.example;
  }

  add(projectId: string, series: Series, seen: Observation): void {
    const minute = Math.floor(seen.time.getTime() / MINUTE_MS) * MINUTE_MS;
    const id = idOf(series);
    const place = `${projectId}/${minute}/${id}`;
    let count = this.#counts.get(place);
    if (count === undefined) {
      count = start(projectId, series, id, minute);
      this.#counts.set(place, count);
    }
    observe(count, seen);
  }
}

function start(
  projectId: string,
  series: Series,
  seriesId: string,
  minute: number,
): StatCount {
  return {
    projectId,
    series,
    seriesId,
    minute,
    count: 0,
    failures: 0,
    weight: 0,
    sum: 0,
    statuses: [0, 0, 0, 0],
    sketch: new Sketch(),
    users: [],
    traceId: "",
  };
}

function merge(count: StatCount, other: StatCount): void {
  count.count += other.count;
  count.failures += other.failures;
  count.weight += other.weight;
  count.sum += other.sum;
  for (const at of [0, 1, 2, 3] as const) count.statuses[at] += other.statuses[at];
  count.sketch.merge(other.sketch);
  count.users.push(...other.users);
  count.traceId = other.traceId;
}

function observe(count: StatCount, seen: Observation): void {
  count.count++;
  if (seen.isFailed) count.failures++;
  count.weight += seen.weight;
  count.sum += seen.value;
  count.sketch.add(seen.value);
  if (seen.user !== null) count.users.push(distinctHash(seen.user));
  count.traceId = seen.traceId;
  const statusClass = Math.floor((seen.httpStatus ?? 0) / 100) - 2;
  if (statusClass >= 0 && statusClass < 4) {
    count.statuses[statusClass as 0 | 1 | 2 | 3]++;
  }
}

/** Some 10 MB. */
const CAPACITY = 20_000;

/** Ids by key: hashing costs more than all the rest of counting. */
const ids = new Map<string, string>();
/** By the id of the series that they hold. */
const wholes = new Map<string, NamedSeries | null>();

/** A series and its id. */
interface NamedSeries {
  readonly series: Series;
  readonly seriesId: string;
}

/** The id of a series. Those asked for lately are remembered. */
export function idOf(series: Series): string {
  const key = seriesKey(series);
  let id = ids.get(key);
  if (id === undefined) {
    if (ids.size >= CAPACITY) ids.clear();
    ids.set(key, id = seriesId(key));
  }
  return id;
}

/** The series of all environments and releases that one belongs to, with its id, or null where there is none. */
export function wholeWithId({ series, seriesId }: NamedSeries): NamedSeries | null {
  let whole = wholes.get(seriesId);
  if (whole === undefined) {
    if (wholes.size >= CAPACITY) wholes.clear();
    const found = wholeOf(series);
    wholes.set(seriesId, whole = found && { series: found, seriesId: idOf(found) });
  }
  return whole;
}

/** One entry: what a commit counted of a project. Bytes are hexadecimal digits. */
interface Entry {
  readonly counts: readonly (
    & Omit<StatCount, "projectId" | "series" | "sketch" | "users">
    & { readonly series: Partial<Series>; readonly sketch: string; readonly users: string }
  )[];
  readonly folded:
    readonly (Omit<FoldedNames, "projectId" | "names"> & { readonly names: string })[];
}

const STAT_JOURNAL: Table<{ readonly projectId: string; readonly entry: Entry }> = {
  name: "stat_journal",
  key: [],
  columns: {
    entry_id: ["uuid", () => crypto.randomUUID()],
    entry: ["hex", ({ entry }) => packText(JSON.stringify(entry))],
  },
};

/**
 * Appends what a commit counted, one entry a project, in the transaction of the commit. What pages read is made of it
 * later: many commits add to the same few rows, and if each changed them itself, all would wait for one another.
 */
export async function appendToJournal(tx: Transaction, tally: StatTally): Promise<void> {
  const { counts, folded } = tally;
  if (counts.length === 0) return;
  const foldedBy = Map.groupBy(folded, ({ projectId }) => projectId);
  const entries = [...Map.groupBy(counts, ({ projectId }) => projectId)].map(
    ([projectId, counts]) => ({
      projectId,
      entry: entryOf(counts, foldedBy.get(projectId) ?? []),
    }),
  );
  await saveRows(tx, STAT_JOURNAL, entries);
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
