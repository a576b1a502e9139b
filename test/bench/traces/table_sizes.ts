import type { Sql } from "@/lib/store/database.ts";
import { foldStats } from "@/lib/store/stats/fold_stats.ts";
import { figure } from "../figures.ts";

/** Tables that spans and transactions end in. */
const TABLES = [
  "span_batches",
  "span_chunks",
  "span_facts",
  "span_sources",
  "transactions",
  "stat_journal",
  "stat_minutes",
  "stat_hours",
  "stat_days",
  "stat_series",
];

/** What a table takes on disk, indexes included, all partitions together. */
export interface TableSize {
  readonly table: string;
  readonly rows: number;
  readonly bytes: number;
}

/** Sizes of the tables of traces. */
export async function tableSizes(sql: Sql): Promise<TableSize[]> {
  const sizes: TableSize[] = [];
  for (const table of TABLES) {
    const [row] = await sql<{ rows: string; bytes: string }[]>`
      select
        (select count(*) from ${sql(table)}) as rows,
        (
          select sum(pg_total_relation_size(relid))
          from (select ${table}::regclass union select relid from pg_partition_tree(${table}))
            as part (relid)
        ) as bytes
    `;
    sizes.push({ table, rows: Number(row?.rows), bytes: Number(row?.bytes) });
  }
  return sizes;
}

/** Waits until all counts are added up, and gives back the room of their former versions, as time would. */
export async function settle(sql: Sql): Promise<void> {
  await foldStats(sql);
  const tables = await sql<{ name: string }[]>`
    select relid::regclass::text as name
    from unnest(${TABLES.filter((table) => table.startsWith("stat_"))}::text[]) as parent,
      lateral (select parent::regclass union select relid from pg_partition_tree(parent::regclass))
        as part (relid)
    join pg_class on pg_class.oid = relid and relkind = 'r'
  `;
  for (const { name } of tables) await sql.unsafe(`vacuum full ${name}`);
}

/** Spans that are stored. */
export async function countSpans(sql: Sql): Promise<number> {
  const [row] = await sql<{ spans: string }[]>`
    select coalesce(sum(span_count), 0) as spans from span_batches
  `;
  return Number(row?.spans);
}

/** Prints them, and what they are for each span. */
export async function printSizes(sql: Sql): Promise<void> {
  const spans = await countSpans(sql);
  const sizes = await tableSizes(sql);
  console.log(`\n${spans.toLocaleString("en")} spans`);
  for (const { table, rows, bytes } of sizes) {
    figure(
      table,
      `${rows.toLocaleString("en").padStart(11)} rows ${megabytes(bytes)} MB ` +
        `${(bytes / spans).toFixed(1).padStart(7)} bytes a span`,
    );
  }
  const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  figure("together", `${(all / spans).toFixed(1)} bytes a span`);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0).padStart(7);
}
