import { DAY_MS, HOUR_MS } from "../../core/time.ts";
import type { Transaction } from "../database.ts";
import { type Columns, incoming, saveRows, type Table, upsert } from "../write_rows.ts";
import { nameOf } from "../values.ts";
import { compactDistinct, joinedSets } from "./distinct.ts";
import { KINDS_WITHOUT_MINUTES } from "./periods.ts";
import { type Series, SERIES_KINDS } from "./series.ts";
import { Sketch } from "./sketch.ts";
import type { FoldedNames, StatCount, StatTally } from "./stat_tally.ts";

/** From these sizes on a row's sketch and set are written anew, without repeats. */
const LOOSE = { sketch: 1_000, users: 2_560 };

/** Adds counts to those of their minutes, hours and days. */
export async function saveStats(
  tx: Transaction,
  { counts, folded }: StatTally,
  fresh: readonly NewSeries[],
): Promise<void> {
  if (counts.length === 0) return;
  const minutes = minuteRows(counts);
  const hours = rowsByPeriod(minutes, HOUR_MS);
  const kept = minutes.filter(hasMinutes);
  // Sent one after the other without waiting: a round trip for all of them.
  await Promise.all([
    saveSeries(tx, fresh),
    folded.length > 0 && saveFolded(tx, folded),
    kept.length > 0 && saveCounts(tx, "stat_minutes", kept),
    saveCounts(tx, "stat_hours", hours),
    saveCounts(tx, "stat_days", rowsByPeriod(hours, DAY_MS)),
  ]);
}

function hasMinutes({ series }: StatRow): boolean {
  return !KINDS_WITHOUT_MINUTES.has(series.kind);
}

const FOLDED_NAMES: Table<FoldedNames> = {
  name: "folded_names",
  key: ["hour"],
  columns: {
    hour: ["timestamptz", ({ hour }) => new Date(hour)],
    transactions: ["bigint", ({ transactions }) => transactions, "add"],
    names: ["hex", ({ names }) => compactDistinct(joinedSets(names)).toHex(), "append"],
    example: ["text", ({ example }) => nameOf(example), "replace"],
  },
};

async function saveFolded(tx: Transaction, folded: readonly FoldedNames[]): Promise<void> {
  const loose = await tx<{ projectId: string; hour: Date; names: Uint8Array }[]>`
    with written as (
      ${upsert(tx, FOLDED_NAMES, folded)} returning project_id, hour, names
    )
    select project_id as "projectId", hour, names from written
    where octet_length(names) > ${LOOSE.users}
  `;
  for (const { projectId, hour, names } of loose) {
    await tx`
      update folded_names set names = decode(${compactDistinct(names).toHex()}, 'hex')
      where project_id = ${projectId} and hour = ${hour}
    `;
  }
}

const STAT_SERIES: Table<NewSeries> = {
  name: "stat_series",
  key: ["series_id"],
  columns: {
    series_id: ["bigint", ({ seriesId }) => seriesId],
    kind: ["smallint", ({ series }) => SERIES_KINDS[series.kind]],
    environment: ["text", ({ series }) => series.environment],
    release: ["text", ({ series }) => series.release],
    service: ["text", ({ series }) => series.service],
    name: ["text", ({ series }) => series.name],
    op: ["text", ({ series }) => series.op],
    category: ["text", ({ series }) => series.category],
    parent: ["text", ({ series }) => series.parent],
    http_method: ["text", ({ series }) => series.httpMethod],
    route: ["text", ({ series }) => series.route],
    protocol: ["text", ({ series }) => series.protocol],
    browser: ["text", ({ series }) => series.browser],
    device: ["text", ({ series }) => series.device],
    country: ["text", ({ series }) => series.country],
    seen_on: ["date", ({ day }) => day, "replace"],
  },
  changesIf: "known.seen_on < excluded.seen_on",
};

/** Writes which series there are. */
export async function saveSeries(tx: Transaction, series: readonly NewSeries[]): Promise<void> {
  await saveRows(tx, STAT_SERIES, series);
}

interface LooseRow {
  readonly projectId: string;
  readonly kind: number;
  readonly timestamp: Date;
  readonly seriesId: string;
  readonly sketch: Uint8Array;
  readonly users: Uint8Array;
}

/** Of minutes, hours or days: one table each. */
const COUNTS: Omit<Table<StatRow>, "name"> = {
  key: ["kind", "timestamp", "series_id"],
  columns: {
    kind: ["smallint", ({ series }) => SERIES_KINDS[series.kind]],
    timestamp: ["timestamptz", ({ time }) => new Date(time)],
    series_id: ["bigint", ({ seriesId }) => seriesId],
    count: ["bigint", ({ count }) => count, "add"],
    failures: ["bigint", ({ failures }) => failures, "add"],
    weight: ["double precision", ({ weight }) => weight, "add"],
    sum: ["double precision", ({ sum }) => sum, "add"],
    status_2xx: ["integer", ({ statuses }) => statuses[0], "add"],
    status_3xx: ["integer", ({ statuses }) => statuses[1], "add"],
    status_4xx: ["integer", ({ statuses }) => statuses[2], "add"],
    status_5xx: ["integer", ({ statuses }) => statuses[3], "add"],
    sketch: ["hex", ({ sketch }) => sketch.toHex(), "append"],
    users: ["hex", ({ users }) => users.toHex(), "append"],
    trace_id: ["uuid", ({ traceId }) => traceId, "replace"],
  },
};

/** Adds counts to those of their periods in one table. */
export async function saveCounts(
  tx: Transaction,
  table: string,
  rows: readonly StatRow[],
): Promise<void> {
  const loose = await tx<LooseRow[]>`
    with written as (
      ${upsert(tx, { ...COUNTS, name: table }, rows)}
      returning project_id, kind, "timestamp", series_id, sketch, users
    )
    select project_id as "projectId", kind, "timestamp", series_id as "seriesId", sketch, users
    from written
    where octet_length(sketch) > ${LOOSE.sketch} or octet_length(users) > ${LOOSE.users}
  `;
  if (loose.length > 0) await tighten(tx, table, loose);
}

const LOOSE_COLUMNS: Columns<LooseRow> = {
  project_id: ["bigint", ({ projectId }) => projectId],
  kind: ["smallint", ({ kind }) => kind],
  timestamp: ["timestamptz", ({ timestamp }) => timestamp],
  series_id: ["bigint", ({ seriesId }) => seriesId],
  sketch: ["hex", ({ sketch }) => Sketch.of(sketch).toBytes().toHex()],
  users: ["hex", ({ users }) => compactDistinct(users).toHex()],
};

/** Writes sketches and sets anew that have grown by being appended to; their rows are locked already. */
async function tighten(tx: Transaction, table: string, rows: readonly LooseRow[]): Promise<void> {
  await tx`
    update ${tx(table)} as known
    set sketch = decode(incoming.sketch, 'hex'), users = decode(incoming.users, 'hex')
    from ${incoming(tx, rows, LOOSE_COLUMNS)}
    where known.project_id = incoming.project_id and known.kind = incoming.kind
      and known."timestamp" = incoming."timestamp" and known.series_id = incoming.series_id
  `;
}

/** One row of a table of counts: those of several minutes together, where its periods are longer. */
export interface StatRow extends Omit<StatCount, "minute" | "sketch" | "users"> {
  /** Start of the period, in milliseconds since 1970. */
  readonly time: number;
  readonly sketch: Uint8Array;
  readonly users: Uint8Array;
}

/** The counts as rows of their minutes. */
export function minuteRows(counts: readonly StatCount[]): StatRow[] {
  return counts.map(({ minute, sketch, users, ...count }) => ({
    ...count,
    time: minute,
    sketch: sketch.toBytes(),
    users: setOf(users),
  }));
}

/** Rows of longer periods, made of rows of shorter ones: each series once in each. */
export function rowsByPeriod(rows: readonly StatRow[], periodMs: number): StatRow[] {
  const startOf = (time: number) => Math.floor(time / periodMs) * periodMs;
  const groups = Map.groupBy(
    rows,
    ({ projectId, seriesId, time }) => `${projectId}/${startOf(time)}/${seriesId}`,
  );
  return [...groups.values()].map((group) => {
    const row = sumOf(group);
    return { ...row, time: startOf(row.time) };
  });
}

function sumOf(group: readonly StatRow[]): StatRow {
  const [first] = group;
  if (first === undefined) throw new RangeError("Cannot add up counts: there are none");
  // Most often, as what is added up at once has happened in the same minute.
  if (group.length === 1) return first;
  const sum = (of: (row: StatRow) => number) => group.reduce((total, row) => total + of(row), 0);
  return {
    ...first,
    count: sum(({ count }) => count),
    failures: sum(({ failures }) => failures),
    weight: sum(({ weight }) => weight),
    sum: sum(({ sum }) => sum),
    statuses: [
      sum(({ statuses }) => statuses[0]),
      sum(({ statuses }) => statuses[1]),
      sum(({ statuses }) => statuses[2]),
      sum(({ statuses }) => statuses[3]),
    ],
    sketch: Sketch.of(...group.map(({ sketch }) => sketch)).toBytes(),
    users: setOf(group.map(({ users }) => users)),
  };
}

function setOf(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 0 ? new Uint8Array() : compactDistinct(joinedSets(parts));
}

/** A series that may not be stored yet, or not as seen on this day (`YYYY-MM-DD`, UTC). */
export interface NewSeries {
  readonly projectId: string;
  readonly seriesId: string;
  readonly series: Series;
  readonly day: string;
}

/** Some 10 MB. */
const CAPACITY = 50_000;

/**
 * Knows which series are stored already, so that steady traffic writes each of them once a day. Forgetting costs a
 * write that changes nothing; it never costs a series.
 */
export class SeriesMemory {
  readonly #known = new Set<string>();

  /** The series of counts that are not known to be stored, each once. */
  findNew(counts: readonly StatCount[]): NewSeries[] {
    const fresh = new Map<string, NewSeries>();
    for (const { projectId, series, seriesId, minute } of counts) {
      if (this.#known.has(memoryKey(projectId, seriesId, minute))) continue;
      const day = new Date(minute).toISOString().slice(0, 10);
      const place = `${projectId}/${seriesId}`;
      const other = fresh.get(place);
      if (other !== undefined && other.day >= day) continue;
      fresh.set(place, { projectId, seriesId, series, day });
    }
    return [...fresh.values()];
  }

  /** To be called after the commit, and only then. */
  remember(counts: readonly StatCount[]): void {
    if (this.#known.size > CAPACITY) this.#known.clear();
    for (const { projectId, seriesId, minute } of counts) {
      this.#known.add(memoryKey(projectId, seriesId, minute));
    }
  }
}

function memoryKey(projectId: string, seriesId: string, minute: number): string {
  return `${Math.floor(minute / DAY_MS)}/${projectId}/${seriesId}`;
}
