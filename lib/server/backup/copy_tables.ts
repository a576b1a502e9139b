/**
 * Reads the tables of Postgres into parts. Rows travel as Postgres writes arrays of rows, which any other Postgres
 * reads: `{"(1,a)","(2,b)"}`.
 */
import { Buffer } from "node:buffer";
import { ConfigError } from "../../core/config.ts";
import { sqlStateOf } from "../../core/errors.ts";
import { MINUTE_MS } from "../../core/time.ts";
import type { Queryable, Sql, Transaction } from "../../store/database.ts";
import { isCitus } from "../../store/sharding.ts";
import type { CopiedTable, Manifest } from "./manifest.ts";
import { nameOf, type PartWriter } from "./parts.ts";

/** Postgres as it was at one moment. */
export interface Snapshot {
  /** Runs one piece of reading. A transaction each: their locks end with them. */
  read<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** Of a database that nobody writes to. */
export function stillSnapshot(sql: Sql): Snapshot {
  return { read: (work) => reading(sql, "read only", work) };
}

/** @throws {ConfigError} where rows lie on other servers: reading and filling their tables is another matter */
export async function refuseSharded(sql: Queryable): Promise<void> {
  if (!await isCitus(sql)) return;
  throw new ConfigError(
    "The database distributes its tables by Citus, which backup, restore and move do not know yet: use the tools of Postgres on each of its servers",
  );
}

const SNAPSHOT = "isolation level repeatable read read only";

/** Of a reader that hangs, or whose machine has gone, the server forgets the moment after this. */
const GONE_MS = 5 * MINUTE_MS;
const SIGNS_OF_LIFE = 5;

/**
 * Of a server: its moment lasts as long as `read` does, others write meanwhile.
 *
 * @param goneMs how long the server waits for a sign of life
 */
export async function withSnapshot<T>(
  sql: Sql,
  read: (snapshot: Snapshot) => Promise<T>,
  goneMs: number = GONE_MS,
): Promise<T> {
  let signs: ReturnType<typeof setInterval> | undefined;
  try {
    return await sql.begin(SNAPSHOT, async (holder) => {
      await holder.unsafe(`set local idle_in_transaction_session_timeout = ${goneMs}`);
      const [row] = await holder<{ id: string }[]>`select pg_export_snapshot() as id`;
      const id = row?.id ?? "";
      // What becomes of a sign is seen by whoever reads next.
      signs = setInterval(() => holder`select 1`.catch(() => {}), goneMs / SIGNS_OF_LIFE);
      return await read({
        read: (work) =>
          reading(sql, SNAPSHOT, async (tx) => {
            await tx.unsafe(`set transaction snapshot '${id}'`);
            return await work(tx);
          }),
      }).finally(() => clearInterval(signs));
    }) as T;
  } finally {
    // The connection may end before the reading does.
    clearInterval(signs);
  }
}

/** How values are written, whatever the server is set to; both ways. */
export const TEXT_FORMS = `
  set local statement_timeout = 0;
  set local timezone = 'UTC';
  set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'postgres';
  set local extra_float_digits = 1;
  set local bytea_output = 'hex'
`;

async function reading<T>(
  sql: Sql,
  mode: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return await sql.begin(mode, async (tx) => {
    // Only the first statement of a transaction may choose its snapshot, and `set local` is none.
    await tx.unsafe(TEXT_FORMS);
    return await work(tx);
  }) as T;
}

/** Of one answer, before bytes are written as digits. */
const PIECE_BYTES = 1024 * 1024;
const PAGE_BYTES = 8192;
/** Smaller tables are read each time: a few rows may look the same in two histories of one database. */
const FINGERPRINT_BYTES = 1024 * 1024;
const UNDEFINED_TABLE = "42P01";

interface FoundTable {
  readonly oid: string;
  readonly name: string;
  readonly parent: string | null;
  readonly columns: string[];
  /** Of the rows themselves, without what is kept beside them. */
  readonly bytes: number;
  readonly allBytes: number;
}

interface CopyOptions {
  readonly snapshot: Snapshot;
  readonly writer: PartWriter;
  /** What the backup before this one has: tables that did not change since are taken from there. */
  readonly before: Manifest["postgres"] | null;
  /** Told of each table. */
  readonly say: (done: number, of: number) => void;
}

/** @returns what to tell of them in the manifest, complete once the writer has ended */
export async function copyTables(
  { snapshot, writer, before, say }: CopyOptions,
): Promise<Manifest["postgres"]> {
  const { tables: found, migration } = await snapshot.read(findTables);
  const source = await snapshot.read(sourceOf).catch(() => null);
  const known = new Map<string, CopiedTable>();
  if (source !== null && before?.source === source && before.migration === migration) {
    for (const table of before.tables) known.set(table.name, table);
  }
  const tables: CopiedTable[] = [];
  for (const table of found) {
    try {
      tables.push(
        table.bytes === 0
          ? withoutRows(table)
          : await snapshot.read((tx) =>
            copyTable(tx, writer, table, source === null ? null : known.get(table.name))
          ),
      );
    } catch (error) {
      // Its time was over, and so it was dropped.
      if (table.parent === null || sqlStateOf(error) !== UNDEFINED_TABLE) throw error;
    }
    say(tables.length, found.length);
  }
  const sequences = await snapshot.read(sequencesOf);
  return { migration, source, tables, sequences };
}

async function findTables(
  tx: Transaction,
): Promise<{ readonly tables: FoundTable[]; readonly migration: number }> {
  const tables = await tx<FoundTable[]>`
    select c.oid::text, c.relname as name, parent.relname as parent,
      pg_relation_size(c.oid)::float8 as bytes, pg_table_size(c.oid)::float8 as "allBytes",
      array(
        select attname::text from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped order by attnum
      ) as columns
    from pg_class c
    left join pg_inherits on inhrelid = c.oid
    left join pg_class parent on parent.oid = inhparent
    where c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
      and c.relkind = 'r' and c.relname <> 'schema_migrations'
    order by c.relname
  `;
  const [row] = await tx<{ migration: number }[]>`
    select max(version) as migration from schema_migrations
  `;
  return { tables: [...tables], migration: row?.migration ?? 0 };
}

/** Names the database and its history. @throws what `postgres` throws where the server does not tell */
async function sourceOf(tx: Transaction): Promise<string | null> {
  const [row] = await tx<{ source: string }[]>`
    select concat_ws(
      '/', (select system_identifier from pg_control_system()),
      (select timeline_id from pg_control_checkpoint()),
      (select oid from pg_database where datname = current_database())
    ) as source
  `;
  return row?.source ?? null;
}

/**
 * Of which versions of which rows a table is made: a place and the transaction that wrote it mean one version. It reads
 * the table without the large values that are kept beside it.
 */
async function fingerprintOf(tx: Transaction, { oid, name, columns }: FoundTable): Promise<string> {
  const [row] = await tx<{ rows: string }[]>`
    select count(*) || ':' ||
      coalesce(sum(hashtextextended(ctid::text || ':' || xmin::text, 0)::numeric), 0) as rows
    from only ${tx(name)}
  `;
  return [oid, row?.rows, columns.join(",")].join(":");
}

/** Most days that are made ahead. */
function withoutRows({ name, parent, columns }: FoundTable): CopiedTable {
  return { name, parent, columns, rows: 0, fingerprint: null, parts: [] };
}

async function copyTable(
  tx: Transaction,
  writer: PartWriter,
  table: FoundTable,
  known: CopiedTable | null | undefined,
): Promise<CopiedTable> {
  const { name, parent, columns, bytes, allBytes } = table;
  const isLarge = known !== null && allBytes >= FINGERPRINT_BYTES;
  const fingerprint = isLarge ? await fingerprintOf(tx, table) : null;
  if (known && fingerprint !== null && known.fingerprint === fingerprint) return known;
  const parts: string[] = [];
  const note = (part: string) => void parts.push(part);
  const pages = Math.ceil(bytes / PAGE_BYTES);
  const step = Math.max(1, Math.floor(PIECE_BYTES / (allBytes / Math.max(1, pages))));
  let rows = 0;
  for (let page = 0; page < pages; page += step) {
    const [piece] = await tx<{ count: number; rows: string | null }[]>`
      select count(*)::int as count, array_agg(piece)::text as rows from (
        select ${tx(columns)} from only ${tx(name)}
        where ctid >= ${`(${page},0)`}::text::tid and ctid < ${`(${page + step},0)`}::text::tid
      ) piece
    `;
    if (!piece?.rows) continue;
    rows += piece.count;
    await writer.add(nameOf.rows(name), Buffer.from(piece.rows), note);
  }
  await writer.cut();
  return { name, parent, columns, rows, fingerprint, parts };
}

async function sequencesOf(tx: Transaction): Promise<Record<string, string>> {
  const rows = await tx<{ name: string; last: string }[]>`
    select sequencename as name, last_value::text as last from pg_sequences
    where schemaname = current_schema() and last_value is not null
  `;
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}
