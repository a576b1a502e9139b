/** How a database that Citus distributes is copied while others write; see `test/support/citus.sh`. */
import assert from "node:assert/strict";
import { backUp } from "@/lib/server/backup/back_up.ts";
import { restore } from "@/lib/server/backup/restore.ts";
import { withShardedSnapshot } from "@/lib/server/backup/shards.ts";
import type { Snapshot } from "@/lib/server/backup/snapshot.ts";
import { connectServer } from "@/lib/store/database.ts";
import { keyed, placeIn, sourceOf } from "@/test/support/backup_world.ts";
import {
  cluster,
  contentOf,
  pairsIn,
  projectsApart,
  writePairs,
} from "@/test/support/citus_cluster.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { logLines } from "@/test/support/log_lines.ts";
import { logRecord, transactionRecord } from "@/test/support/records.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";
import { testKv, testObjects } from "@/test/support/stores.ts";
import { tempDir } from "@/test/support/temp_dir.ts";
import { throwAwayDatabase, WORKERS } from "@/test/support/throw_away_database.ts";
import { waitFor } from "@/test/support/wait_for.ts";
import { testWriter } from "@/test/support/writer.ts";

const server = Deno.env.get("TEST_DATABASE_URL") ?? "";
const ignore = WORKERS.length < 2;
if (ignore) {
  console.warn("skipped: no Citus with two workers is named here (test/support/citus.sh)");
}

const SNAPSHOTS = 10;
const LIMIT_MS = 60_000;

Deno.test({
  name: "a snapshot of Citus has of each commit all or nothing, whichever workers it was on",
  ignore,
  async fn() {
    await using world = await cluster();
    const { sql, url } = world;
    const projects = await projectsApart(sql);
    assert.ok(projects.length >= 2);
    await using writers = writePairs(url, projects);
    for (let round = 0; round < SNAPSHOTS; round++) {
      const before = writers.written();
      await waitFor("commits", () => writers.written() > before + 4 || null, LIMIT_MS);
      const committed = writers.written();
      await withShardedSnapshot({ sql, url, log: silentLogger }, async (snapshot) => {
        const { logs, transactions, here } = await pairsIn(snapshot);
        const [ofTransactions = 0] = transactions;
        assert.deepEqual(logs, [here]);
        assert.deepEqual(transactions, projects.map(() => ofTransactions));
        assert.ok(here + ofTransactions >= committed);
      });
    }
  },
});

Deno.test({
  name:
    "a backup of Citus under load is restored into a plain Postgres, and the next one stores what is new",
  ignore,
  async fn() {
    await using world = await cluster();
    await using target = await throwAwayDatabase(server, { workers: [] });
    await using kept = new AsyncDisposableStack();
    const plain = connectServer(target.url);
    kept.defer(() => plain.end({ timeout: 1 }));
    const { sql, url } = world;
    const projects = await projectsApart(sql);
    {
      await using writer = testWriter(sql);
      for (const id of projects) {
        await writer.store(id, errorEvent({}), logRecord({}), transactionRecord({}));
      }
    }
    await sql`insert into deleted_projects (id, organization_id, slug, name, deleted_by) values (7, 1, 's', 'n', '')`;
    const { kv } = kept.use(await testKv());
    const { objects } = kept.use(await testObjects());
    const source = {
      ...sourceOf({ kv, sql, objects }),
      withPostgres: <T>(read: (snapshot: Snapshot) => Promise<T>) =>
        withShardedSnapshot({ sql, url, log: silentLogger }, read),
    };
    const folder = kept.use(await tempDir());
    using place = await placeIn({ folder });
    const make = () => backUp(source, place, { keep: null, say: () => {} });
    const written = await (async () => {
      await using writers = writePairs(url, projects);
      await waitFor("commits", () => writers.written() > 20 || null, LIMIT_MS);
      const before = writers.written();
      const { manifest } = await make();
      return { manifest, before };
    })();
    const first = await make();
    assert.ok(first.newBytes > 0);
    assert.equal((await make()).newBytes, 0);

    const stores = {
      sql: plain,
      kv: kept.use(await testKv()).kv,
      objects: kept.use(await testObjects()).objects,
    };
    const left = await restore({
      ...{ config: keyed(), stores, place, manifest: written.manifest, log: silentLogger },
      say: () => {},
    });
    assert.deepEqual(left, []);
    const content = await contentOf(plain);
    assert.ok(Object.keys(content).length > 15, Object.keys(content).join());
    assert.deepEqual(content, await contentOf(sql));
    const rows = await plain<{ table: string; count: number }[]>`
      select "table", count(*)::int as count from late_rows group by project_id, "table" order by 1
    `;
    assert.equal(rows.length, 1 + projects.length);
    assert.equal(new Set(rows.map(({ table, count }) => `${table} ${count}`)).size, 2);
    const [own, other] = [rows[0]?.count ?? 0, rows.at(-1)?.count ?? 0];
    assert.ok(own + other >= written.before);
  },
});

Deno.test({
  name:
    "a snapshot of Citus waits for what a worker has prepared, and for nobody who has not committed",
  ignore,
  async fn() {
    await using world = await cluster();
    const { sql, url } = world;
    const { log, lines } = logLines();
    const address = new URL(url);
    address.port = WORKERS[0] ?? "";
    const worker = connectServer(address.href, { max: 1 });
    try {
      const [project = ""] = await projectsApart(sql);
      await worker.unsafe(
        "begin; create table prepared (id int); prepare transaction 'citus_test'",
      );
      await sql.begin(async (tx) => {
        await tx`insert into late_rows values (${project}, 'logs', now())`;
        const taking = withShardedSnapshot({ sql, url, log }, (snapshot) => pairsIn(snapshot));
        await waitFor("a first attempt", async () => {
          const rows = await worker`
            select from pg_stat_activity
            where datname = current_database() and state = 'idle' and query like '%starts_with(gid%'
          `;
          return rows.length > 0 || null;
        });
        await worker`rollback prepared 'citus_test'`;
        assert.deepEqual((await taking).logs, []);
      });
      assert.ok(Number(lines[0]?.fields?.attempts) > 1);
    } finally {
      await worker.end({ timeout: 1 });
    }
  },
});

Deno.test({
  name: "a user who may not hold commits is told what to grant, and may then",
  ignore,
  async fn() {
    await using world = await cluster();
    const { sql, url } = world;
    const role = `somebody_${crypto.randomUUID().slice(0, 8)}`;
    const address = new URL(url);
    address.username = role;
    await sql`create role ${sql(role)} login`;
    const other = connectServer(address.href);
    try {
      await sql`grant all on all tables in schema public to ${sql(role)}`;
      const take = () =>
        withShardedSnapshot({ sql: other, url: address.href, log: silentLogger }, pairsIn);
      await assert.rejects(
        take(),
        /^ConfigError: .+ grant update on pg_catalog.pg_dist_transaction/,
      );
      await sql`grant update on pg_catalog.pg_dist_transaction to ${sql(role)}`;
      assert.equal((await take()).here, 0);
    } finally {
      await other.end({ timeout: 1 });
      await sql`drop owned by ${sql(role)}`;
      await sql`drop role ${sql(role)}`;
    }
  },
});

Deno.test({
  name: "a worker that does not let the backup in is told by its address",
  ignore,
  async fn() {
    await using world = await cluster();
    const address = new URL(world.url);
    address.username = "somebody";
    await assert.rejects(
      withShardedSnapshot(
        { ...world, url: address.href, log: silentLogger },
        () => Promise.resolve(),
      ),
      /^ConfigError: The workers of Citus are read one by one, and 127\.0\.0\.1:\d+ does not let us in: role/,
    );
  },
});
