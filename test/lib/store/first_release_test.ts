import assert from "node:assert/strict";
import type { Sql } from "@/lib/store/database.ts";
import { migrate } from "@/lib/store/migrate.ts";
import { ensurePartitions } from "@/lib/store/partitions.ts";
import { testDatabase } from "../../support/database.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { WORKERS } from "../../support/throw_away_database.ts";

const BEFORE = new URL("../../fixtures/migrations_before_first_release.sql", import.meta.url);
const FIRST_RELEASE = 26;

/** Runs the migrations of before the first release, as the versions that had them did. */
async function migrateAsBefore(sql: Sql): Promise<void> {
  const [, ...migrations] = (await Deno.readTextFile(BEFORE)).split("-- file: ");
  await makeVersions(sql);
  for (const [index, text] of migrations.entries()) {
    const name = text.slice(0, text.indexOf("\n"));
    await sql.begin(async (tx) => {
      await tx.unsafe(text.slice(name.length));
      await tx`insert into schema_migrations (version, name) values (${index + 1}, ${name})`;
    });
  }
}

async function makeVersions(sql: Sql): Promise<void> {
  await sql`
    create table schema_migrations (
      version    integer     primary key,
      name       text        not null,
      applied_at timestamptz not null default now()
    )
  `;
}

/**
 * Everything that the catalog knows of this schema, names of constraints and order of columns included; but
 * names of `not null`, which newer servers call after what the table was called first.
 */
async function catalog(sql: Sql): Promise<Record<string, unknown[]>> {
  const relations = await sql`
    select relname, relkind, reloptions, relpersistence, relispartition, am.amname,
      pg_get_partkeydef(c.oid) as partition_key,
      pg_get_expr(relpartbound, c.oid) as bounds,
      parent.inhparent::regclass::text as parent,
      case when relkind in ('v', 'm') then pg_get_viewdef(c.oid) end as view
    from pg_class c
    left join pg_am am on am.oid = c.relam
    left join pg_inherits parent on parent.inhrelid = c.oid
    where relnamespace = current_schema()::regnamespace order by relname
  `;
  const columns = await sql`
    select attrelid::regclass::text as table, attname, format_type(atttypid, atttypmod) as type,
      row_number() over (partition by attrelid order by attnum)::int as place,
      attnotnull, attidentity, attgenerated, attstorage, attcompression, attstattarget,
      collation_of.collname, pg_get_expr(adbin, adrelid) as default_value
    from pg_attribute
    join pg_class c on c.oid = attrelid
    left join pg_collation collation_of on collation_of.oid = attcollation
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = current_schema()::regnamespace and attnum > 0 and not attisdropped
    order by 1, place
  `;
  const indexes = await sql`
    select indexrelid::regclass::text as index, indisunique, indisprimary, indisvalid,
      replace(pg_get_indexdef(indexrelid), current_schema() || '.', '') as definition
    from pg_index join pg_class c on c.oid = indrelid
    where relnamespace = current_schema()::regnamespace order by 1
  `;
  const constraints = await sql`
    select conname, conrelid::regclass::text as table, contype, pg_get_constraintdef(oid) as definition
    from pg_constraint where connamespace = current_schema()::regnamespace and contype <> 'n'
    order by conname, 2
  `;
  const sequences = await sql`
    select sequencename, data_type::text, start_value, min_value, max_value, increment_by, cycle, cache_size
    from pg_sequences where schemaname = current_schema() order by 1
  `;
  const functions = await sql`
    select replace(pg_get_functiondef(oid), current_schema() || '.', '') as definition from pg_proc
    where pronamespace = current_schema()::regnamespace and prokind <> 'a' order by 1
  `;
  const triggers = await sql`
    select replace(pg_get_triggerdef(t.oid), current_schema() || '.', '') as definition
    from pg_trigger t join pg_class c on c.oid = tgrelid
    where relnamespace = current_schema()::regnamespace order by 1
  `;
  const types = await sql`
    select typname, typtype from pg_type
    where typnamespace = current_schema()::regnamespace order by 1
  `;
  const all = { relations, columns, indexes, constraints, sequences, functions, triggers, types };
  return Object.fromEntries(Object.entries(all).map(([name, rows]) => [name, [...rows]]));
}

Deno.test({
  name:
    "a database of before the first release becomes what a new one is, keeps its rows, and is recorded as up to date",
  // Citus has names of its own in the catalog; what becomes of it there, `sharding_test.ts` compares.
  ignore: WORKERS.length > 0,
  async fn() {
    await using old = await testDatabase({ isEmpty: true });
    await using fresh = await testDatabase({ isEmpty: true });
    const version = (sql: Sql) => sql`select max(version) as version from schema_migrations`;
    await migrateAsBefore(old.sql);
    assert.deepEqual([...await version(old.sql)], [{ version: FIRST_RELEASE }]);
    await old.sql`
      insert into outcome_hours (project_id, hour, category, kind, quantity)
      values (1, '2026-11-20T10:00Z', 'error', 'accepted', 7)
    `;

    await migrate(old.sql, silentLogger);
    await migrate(fresh.sql, silentLogger);

    assert.deepEqual([...await version(old.sql)], [...await version(fresh.sql)]);
    assert.deepEqual([...await old.sql`select quantity from outcomes`], [{ quantity: "7" }]);
    // Partitions of days take over what their table has.
    for (const { sql } of [old, fresh]) {
      await ensurePartitions(sql, [new Date("2026-11-23T12:00Z")]);
    }
    const upgraded = await catalog(old.sql);
    assert.deepEqual(upgraded, await catalog(fresh.sql));
    assert.ok(Number(upgraded.relations?.length) > 100, "it has tables");
    assert.ok(Number(upgraded.columns?.length) > 500, "and columns");
  },
});

Deno.test("a database of an even earlier version is refused, and told what to do", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await makeVersions(database.sql);
  await database
    .sql`insert into schema_migrations (version, name) values (20, '0020_dashboards.sql')`;
  await assert.rejects(
    migrate(database.sql, silentLogger),
    /^ConfigError: Cannot start: the database is at migration 20, this version of Watchpost upgrades from 26 on;/,
  );
});
