/** What the doctor says of a Postgres that Citus distributes; see `test/support/citus.sh`. */
import assert from "node:assert/strict";
import { checkPostgresServer } from "@/lib/server/doctor/postgres.ts";
import { cluster } from "@/test/support/citus_cluster.ts";
import { WORKERS } from "@/test/support/throw_away_database.ts";

const ignore = WORKERS.length === 0;
if (ignore) console.warn("skipped: no Citus is named here (test/support/citus.sh)");

Deno.test({
  name:
    "a user whose backups of Citus would fail is told the grant, and that all is well once it is there",
  ignore,
  async fn() {
    await using world = await cluster();
    const { sql } = world;
    const role = `Who ${crypto.randomUUID().slice(0, 8)}`;
    const url = new URL(world.url);
    url.username = encodeURIComponent(role);
    const ofBackups = async (address: string) => {
      const findings = await checkPostgresServer(address, 1);
      return findings.filter(({ check }) => check === "backups");
    };
    await sql`create role ${sql(role)} login`;
    try {
      await sql`grant all on schema public to ${sql(role)}`;
      await sql`grant all on all tables in schema public to ${sql(role)}`;
      const [told] = await ofBackups(url.href);
      assert.equal(told?.level, "warning");
      const grant = /: (grant .+);$/.exec(told.remedy ?? "")?.[1];
      assert.equal(grant, `grant update on pg_catalog.pg_dist_transaction to "${role}"`);
      await sql.unsafe(grant);
      assert.deepEqual((await ofBackups(url.href)).map(({ level }) => level), ["ok"]);
    } finally {
      await sql`drop owned by ${sql(role)}`;
      await sql`drop role ${sql(role)}`;
    }
    assert.deepEqual((await ofBackups(world.url)).map(({ level }) => level), ["ok"]);
  },
});
