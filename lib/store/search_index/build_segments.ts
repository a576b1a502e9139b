/** Makes segments of rows that have been there for a while, in the order of time; see segment.ts. */
import type postgres from "postgres";
import { type Interval, MINUTE_MS } from "../../core/time.ts";
import type { Queryable, Sql, Transaction } from "../database.ts";
import { saveRows, type Table } from "../write_rows.ts";
import { dropLate } from "./drop_segments.ts";
import { BLOCKS, packJson, SegmentBits } from "./segment.ts";
import { type IndexName, LATE_MS } from "./late_rows.ts";

/** A table whose rows are found by segments. */
export interface Indexed<Row> {
  readonly name: IndexName;
  readonly table: string;
  /** What of a row is read, beside its time. */
  columns(sql: Queryable): postgres.Fragment;
  /** Calls `add` with the buckets that a row is in. */
  addRow(row: Row, add: (bucket: number) => void): void;
  /** What is told of a block by all of its rows. */
  factsOf(rows: readonly Row[]): unknown;
}

const ROWS_A_BLOCK = 256;
/** Between two segments fewer are read as fast without a third. */
const FEWEST_BLOCKS = 8;
/** Rows that were stored just now are told to be late well before a segment is made that they belong to. */
const SETTLED_MS = LATE_MS + 10 * MINUTE_MS;
const BLOCKS_A_READ = 4;

interface BuildOptions {
  readonly now: Date;
  readonly stopping: AbortSignal;
  /** @default 256 */
  readonly rowsABlock?: number;
}

/**
 * Takes segments away to which rows have come late, else makes those that are missing.
 *
 * @param stopping ends the work between two segments
 * @returns how many were made
 */
export async function buildSegments<Row>(
  sql: Sql,
  indexed: Indexed<Row>,
  projectId: string,
  { now, stopping, rowsABlock = ROWS_A_BLOCK }: BuildOptions,
): Promise<number> {
  if (await dropLate(sql, indexed.name, projectId)) return 0;
  let made = 0;
  for (const gap of await gapsOf(sql, indexed.name, projectId, now)) {
    for (let start = gap.start; !stopping.aborted;) {
      const end = await buildSegment(sql, indexed, projectId, { ...gap, start }, rowsABlock);
      if (end === null) break;
      made++;
      start = end;
    }
  }
  return made;
}

interface Gap {
  /** Null: from the first row. */
  readonly start: Date | null;
  readonly end: Date;
  /** Whether nothing comes behind its end: then only a whole segment is worth making. */
  readonly isLast: boolean;
}

async function gapsOf(sql: Sql, name: IndexName, projectId: string, now: Date): Promise<Gap[]> {
  const segments = await sql<Interval[]>`
    select start, "end" from ${
    sql(`${name}_segments`)
  } where project_id = ${projectId} order by start
  `;
  const gaps: Gap[] = [];
  let reached: Date | null = null;
  for (const { start, end } of segments) {
    if (reached === null || reached < start) {
      gaps.push({ start: reached, end: start, isLast: false });
    }
    reached = end;
  }
  const settled = new Date(now.getTime() - SETTLED_MS);
  if (reached === null || reached < settled) {
    gaps.push({ start: reached, end: settled, isLast: true });
  }
  return gaps;
}

/** @returns where it ends; null when there are too few rows for one */
async function buildSegment<Row>(
  sql: Sql,
  indexed: Indexed<Row>,
  projectId: string,
  gap: Gap,
  rowsABlock: number,
): Promise<Date | null> {
  const found = await blocksIn(sql, indexed, projectId, gap, rowsABlock);
  if (found === null) return null;
  const bits = new SegmentBits();
  const rows: number[] = [];
  const facts: unknown[] = [];
  const { starts, end } = found;
  for (let from = 0; from < starts.length; from += BLOCKS_A_READ) {
    const until = starts[from + BLOCKS_A_READ] ?? end;
    const read = await rowsIn(sql, indexed, projectId, [starts[from] ?? end, until]);
    for (let block = from; block < Math.min(from + BLOCKS_A_READ, starts.length); block++) {
      const before = starts[block + 1] ?? end;
      const after = starts[block] ?? end;
      const inside = read.filter(({ ms }) => ms >= after && ms < before);
      for (const row of inside) indexed.addRow(row, (bucket) => bits.add(block, bucket));
      rows.push(inside.length);
      facts.push(indexed.factsOf(inside));
    }
  }
  const [first = end] = starts;
  const segment = {
    projectId,
    start: new Date(first),
    end: new Date(end),
    blocks: packJson({ starts: starts.map((start) => start - first), rows }),
    facts: packJson(facts),
  };
  await sql.begin((tx) => store(tx, indexed.name, segment, bits));
  return new Date(end);
}

/** Where blocks begin, and where the last ends, in whole milliseconds; null: there are too few rows. */
async function blocksIn(
  sql: Sql,
  { table }: Pick<Indexed<never>, "table">,
  projectId: string,
  { start, end, isLast }: Gap,
  rowsABlock: number,
): Promise<{ readonly starts: number[]; readonly end: number } | null> {
  const size = BLOCKS * rowsABlock;
  const most = isLast ? size : 2 * size;
  const marks = await sql<{ place: number; ms: number; count: number }[]>`
    with found as (
      select "timestamp" from ${sql(table)}
      where project_id = ${projectId} and "timestamp" < ${end}
        ${start === null ? sql`` : sql`and "timestamp" >= ${start}`}
      order by "timestamp" limit ${most + 1}
    ), placed as (
      select (row_number() over (order by "timestamp") - 1)::int as place, "timestamp" from found
    )
    select place, floor(extract(epoch from "timestamp") * 1000)::float8 as ms,
      (select count(*)::int from found) as count
    from placed where place % ${rowsABlock}::int = 0 order by place
  `;
  const count = marks[0]?.count ?? 0;
  if (count <= (isLast ? size : FEWEST_BLOCKS * rowsABlock - 1)) return null;
  const isWhole = count <= most;
  const step = isWhole && count > size ? 2 : 1;
  const used = marks.filter(({ place }) =>
    place / rowsABlock % step === 0 && (isWhole || place < size)
  );
  const starts = used.map(({ ms }) => ms)
    .filter((ms, place, all) => place === 0 || ms !== all[place - 1]);
  if (start !== null) starts[0] = start.getTime();
  const next = marks.find(({ place }) => place === size)?.ms ?? 0;
  // Rows of one millisecond are never divided.
  return { starts, end: isWhole ? end.getTime() : Math.max(next, (starts.at(-1) ?? 0) + 1) };
}

async function rowsIn<Row>(
  sql: Sql,
  indexed: Indexed<Row>,
  projectId: string,
  [start, end]: readonly [start: number, end: number],
): Promise<(Row & { readonly ms: number })[]> {
  return await sql<(Row & { readonly ms: number })[]>`
    select floor(extract(epoch from "timestamp") * 1000)::float8 as ms, ${indexed.columns(sql)}
    from ${sql(indexed.table)}
    where project_id = ${projectId} and "timestamp" >= ${new Date(start)}
      and "timestamp" < ${new Date(end)}
  `;
}

interface MadeSegment {
  readonly projectId: string;
  readonly start: Date;
  readonly end: Date;
  readonly blocks: Uint8Array;
  readonly facts: Uint8Array;
}

interface PartRow {
  readonly projectId: string;
  readonly start: Date;
  readonly part: number;
  readonly bits: Uint8Array;
}

async function store(
  tx: Transaction,
  name: IndexName,
  segment: MadeSegment,
  { parts }: SegmentBits,
): Promise<void> {
  const { projectId, start } = segment;
  await saveRows(tx, segmentsTable(name), [segment]);
  const rows = [...parts].map(([part, bits]): PartRow => ({ projectId, start, part, bits }));
  await saveRows(tx, partsTable(name), rows);
}

function segmentsTable(name: IndexName): Table<MadeSegment> {
  return {
    name: `${name}_segments`,
    key: [],
    columns: {
      start: ["timestamptz", ({ start }) => start],
      end: ["timestamptz", ({ end }) => end],
      blocks: ["hex", ({ blocks }) => blocks.toHex()],
      facts: ["hex", ({ facts }) => facts.toHex()],
    },
  };
}

function partsTable(name: IndexName): Table<PartRow> {
  return {
    name: `${name}_parts`,
    key: [],
    columns: {
      part: ["smallint", ({ part }) => part],
      start: ["timestamptz", ({ start }) => start],
      bits: ["hex", ({ bits }) => bits.toHex()],
    },
  };
}
