/**
 * Reads the tables of Postgres into parts. Rows travel as Postgres writes arrays of rows, which any other Postgres
 * reads: `{"(1,a)","(2,b)"}`.
 */
import { Buffer } from "node:buffer";
import { ConfigError } from "../../core/config.ts";
import { sqlStateOf } from "../../core/errors.ts";
import type { Transaction } from "../../store/database.ts";
import type { CopiedTable, Manifest } from "./manifest.ts";
import { nameOf, type PartWriter } from "./parts.ts";
import { MovedRows, readShard, type Shard, shardsOf } from "./shards.ts";
import type { Snapshot } from "./snapshot.ts";

/** Of one answer, before bytes are written as digits. */
const PIECE_BYTES = 1024 * 1024;
const PAGE_BYTES = 8192;
/** Smaller tables are read each time: a few rows may look the same in two histories of one database. */
const FINGERPRINT_BYTES = 1024 * 1024;
const UNDEFINED_TABLE = "42P01";
/** What Citus says to our way of reading, of a table that was not distributed at the moment and is now. */
const NOT_SUPPORTED = "0A000";

interface FoundTable {
  readonly name: string;
  readonly parent: string | null;
  readonly columns: string[];
  readonly shards: readonly Shard[];
}

interface CopyOptions {
  readonly snapshot: Snapshot;
  readonly writer: PartWriter;
  /** What the backup before this one has: tables that did not change since are taken from there. */
  readonly before: Manifest["postgres"] | null;
  /** Told of each table. */
  readonly say: (done: number, of: number) => void;
}

/**
 * @returns what to tell of them in the manifest, complete once the writer has ended
 * @throws {ConfigError} when Citus moves rows to another server meanwhile
 */
export async function copyTables(
  { snapshot, writer, before, say }: CopyOptions,
): Promise<Manifest["postgres"]> {
  const { tables: found, migration } = await findTables(snapshot);
  const source = await sourceOf(snapshot);
  const known = new Map<string, CopiedTable>();
  if (source !== null && before?.source === source && before.migration === migration) {
    for (const table of before.tables) known.set(table.name, table);
  }
  const tables: CopiedTable[] = [];
  for (const table of found) {
    try {
      tables.push(await copyTable(writer, table, source === null ? null : known.get(table.name)));
    } catch (error) {
      if (!isElsewhere(error, snapshot)) throw error;
      await refuseMoved(snapshot, table);
    }
    say(tables.length, found.length);
  }
  const sequences = await snapshot.read(sequencesOf);
  return { migration, source, tables, sequences };
}

function isElsewhere(error: unknown, { workers }: Snapshot): boolean {
  const state = sqlStateOf(error);
  return error instanceof MovedRows || state === UNDEFINED_TABLE ||
    workers !== undefined && state === NOT_SUPPORTED;
}

/** A day of a table whose time is over is dropped. @throws {ConfigError} for what is there, and lies elsewhere now */
async function refuseMoved(snapshot: Snapshot, { name }: FoundTable): Promise<void> {
  const [row] = await snapshot.read((tx) =>
    tx<{ isGone: boolean }[]>`select to_regclass(${name}) is null as "isGone"`
  );
  if (row?.isGone) return;
  throw new ConfigError(
    snapshot.workers === undefined
      ? `${name} was written anew before it was copied, as by an upgrade or VACUUM FULL: try again when that is over`
      : `Citus moved rows of ${name} before they were copied: try again when rebalancing is over`,
  );
}

async function findTables(
  snapshot: Snapshot,
): Promise<{ readonly tables: FoundTable[]; readonly migration: number }> {
  const { tables, migration } = await snapshot.read(async (tx) => {
    // What has been emptied since, as by who distributes it, is looked into all the same.
    const tables = await tx<(Omit<Shard, "snapshot" | "group"> & Omit<FoundTable, "shards">)[]>`
      select c.oid::text, c.relname as name, parent.relname as parent,
        case when pg_relation_filenode(c.oid) = c.relfilenode then pg_relation_size(c.oid) else 1 end::float8
          as bytes,
        pg_table_size(c.oid)::float8 as "allBytes",
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
    return { tables, migration: row?.migration ?? 0 };
  });
  const distributed = await shardsOf(snapshot);
  return {
    tables: tables.map(({ name, parent, columns, ...here }) => ({
      ...{ name, parent, columns },
      shards: distributed.get(name) ?? [{ snapshot, group: null, name, ...here }],
    })),
    migration,
  };
}

/** Names the database and its history; null where a server does not tell. */
async function sourceOf(snapshot: Snapshot): Promise<string | null> {
  const servers = [snapshot, ...snapshot.workers?.values() ?? []];
  const names = await Promise.all(
    servers.map((server) => server.read(serverSourceOf).catch(() => null)),
  );
  return names.includes(null) ? null : names.join();
}

/** @throws what `postgres` throws where the server does not tell */
async function serverSourceOf(tx: Transaction): Promise<string | null> {
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
async function fingerprintOf({ shards, columns }: FoundTable): Promise<string> {
  const all = await Promise.all(shards.map(async (shard) => {
    const [row] = await readShard(shard, (tx) =>
      tx<{ rows: string }[]>`
        select count(*) || ':' ||
          coalesce(sum(hashtextextended(ctid::text || ':' || xmin::text, 0)::numeric), 0) as rows
        from only ${tx(shard.name)}
      `);
    // Workers that were set up in the same way give the same numbers to what each of them has.
    const place = shard.group === null ? [] : [shard.group];
    return [...place, shard.oid, row?.rows].join(":");
  }));
  return [...all, columns.join(",")].join(":");
}

async function copyTable(
  writer: PartWriter,
  table: FoundTable,
  known: CopiedTable | null | undefined,
): Promise<CopiedTable> {
  const { name, parent, columns, shards } = table;
  const allBytes = shards.reduce((sum, shard) => sum + shard.allBytes, 0);
  const isLarge = known !== null && allBytes >= FINGERPRINT_BYTES;
  const fingerprint = isLarge ? await fingerprintOf(table) : null;
  if (known && fingerprint !== null && known.fingerprint === fingerprint) return known;
  const parts: string[] = [];
  const note = (part: string) => void parts.push(part);
  let rows = 0;
  for (const shard of shards) {
    // Most days that are made ahead.
    if (shard.bytes === 0) continue;
    rows += await readShard(
      shard,
      (tx) => copyShard(tx, shard, columns, (piece) => writer.add(nameOf.rows(name), piece, note)),
    );
  }
  await writer.cut();
  return { name, parent, columns, rows, fingerprint, parts };
}

/** @returns how many rows it has */
async function copyShard(
  tx: Transaction,
  { name, bytes, allBytes }: Shard,
  columns: readonly string[],
  add: (piece: Uint8Array) => Promise<void>,
): Promise<number> {
  const pages = Math.ceil(bytes / PAGE_BYTES);
  const step = Math.max(1, Math.min(pages, Math.floor(PIECE_BYTES * pages / allBytes)));
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
    await add(Buffer.from(piece.rows));
  }
  return rows;
}

async function sequencesOf(tx: Transaction): Promise<Record<string, string>> {
  const rows = await tx<{ name: string; last: string }[]>`
    select sequencename as name, last_value::text as last from pg_sequences
    where schemaname = current_schema() and last_value is not null
  `;
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}
