/** What is refused, by which sentence, and that nothing has changed then. */
import assert from "node:assert/strict";
import { ConfigError, readConfig } from "@/lib/core/config.ts";
import { DamagedPart, nameOf, PartWriter } from "@/lib/server/backup/parts.ts";
import { type Manifest, readManifest } from "@/lib/server/backup/manifest.ts";
import { openPlace, type Place } from "@/lib/server/backup/place.ts";
import { refuseFull, restore } from "@/lib/server/backup/restore.ts";
import { verify } from "@/lib/server/backup/verify.ts";
import { keyOf } from "@/lib/accounts/kv.ts";
import type { Stores } from "@/lib/store/stores.ts";
import {
  addRow,
  backupWorld,
  fileOf,
  keyed,
  makeBackup,
  placeIn,
  sourceOf,
} from "@/test/support/backup_world.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";
import { testDatabase, testKv, testObjects } from "@/test/support/stores.ts";

const KEY = "a key for the backups of a test";

async function emptyStores(): Promise<{ readonly stores: Stores } & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const { kv } = opened.use(await testKv());
  const { objects } = opened.use(await testObjects());
  const { sql } = opened.use(await testDatabase({ isEmpty: true }));
  const all = opened.move();
  return { stores: { kv, sql, objects }, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

function restoreInto(stores: Stores, place: Place, manifest: Manifest): Promise<string[]> {
  return restore({
    ...{ stores, place, manifest, log: silentLogger },
    config: readConfig({}),
    say: () => {},
  });
}

/** Nothing is in any of them. */
async function assertUntouched({ kv, sql, objects }: Stores): Promise<void> {
  assert.deepEqual(await Array.fromAsync(kv.list({ prefix: [] })), []);
  assert.deepEqual(await Array.fromAsync(objects.list("")), []);
  const tables = await sql`
    select from pg_class
    where relnamespace = (select oid from pg_namespace where nspname = current_schema())
      and relkind in ('r', 'p')
  `;
  assert.equal(tables.length, 0);
}

function partOf({ postgres }: Manifest, table: string): string {
  const part = postgres.tables.find(({ name }) => name === table)?.parts[0];
  assert.ok(part);
  return part;
}

/** One bit is another one. */
async function damage(file: string): Promise<Uint8Array> {
  const whole = await Deno.readFile(file);
  const damaged = whole.slice();
  const middle = damaged.length >> 1;
  damaged[middle] = (damaged[middle] ?? 0) ^ 1;
  await Deno.writeFile(file, damaged);
  return whole;
}

Deno.test("an encrypted backup comes back into other stores, and after a damaged part, once that is whole again, too", async () => {
  await using world = await backupWorld();
  await using others = await emptyStores();
  await addRow(world.stores.sql, 2);
  {
    using place = await placeIn(world, KEY);
    await makeBackup(world, place);
  }
  using place = await openPlace(keyed(KEY), world.folder.path, { isWriter: false });
  const manifest = await place.read();
  const part = partOf(manifest, "control_projects");
  const whole = await damage(fileOf(world, part));

  assert.deepEqual(await verify(place, manifest, () => {}), [
    `Part parts/${
      part.slice(0, 2)
    }/${part} is damaged: its content has changed (rows of control_projects)`,
  ]);
  const { stores } = others;
  await assert.rejects(
    restoreInto(stores, place, manifest),
    new DamagedPart(`Part parts/${part.slice(0, 2)}/${part} is damaged: its content has changed`),
  );
  assert.equal((await stores.kv.get(keyOf.restoring())).value, manifest.id);

  await Deno.writeFile(fileOf(world, part), whole);
  assert.deepEqual(await restoreInto(stores, place, manifest), []);
  const tables = ["control_projects", "audit_outbox"];
  for (const table of tables) {
    const [found, expected] = await Promise.all(
      [stores, world.stores].map(({ sql }) => sql`select * from ${sql(table)}`),
    );
    assert.deepEqual([...found ?? []], [...expected ?? []]);
  }
  const again = await makeBackup({ ...world, source: sourceOf(stores) }, place);
  assert.deepEqual(again.manifest.postgres.tables, manifest.postgres.tables);
  assert.equal(again.newBytes, 0);
  await addRow(stores.sql, 3);
  const seqs = await stores.sql<{ seq: string }[]>`select seq::text from audit_outbox order by seq`;
  assert.deepEqual(seqs.map(({ seq }) => seq), ["1", "2", "3"]);
  for (const key of ["files/large", "files/small"]) {
    assert.deepEqual(await stores.objects.get(key), await world.stores.objects.get(key));
  }
  const key = ["organization", "acme"];
  assert.deepEqual((await stores.kv.get(key)).value, (await world.stores.kv.get(key)).value);
  assert.equal((await stores.kv.get(keyOf.restoring())).value, null);
});

Deno.test("stores that are not empty are refused by their names, and nothing in them or beside them changes", async () => {
  await using world = await backupWorld();
  await using others = await emptyStores();
  using place = await placeIn(world);
  const { manifest } = await makeBackup(world, place);
  const { kv, sql, objects } = world.stores;
  for (
    const [stores, names] of [
      [
        world.stores,
        "data/kv.sqlite3 .* and .*data/postgres .* and .*data/blobs .* are not empty;",
      ],
      [{ ...others.stores, kv }, "data/kv.sqlite3 [^ ]* is not empty;"],
      [{ ...others.stores, sql }, "data/postgres [^ ]* is not empty;"],
      [{ ...others.stores, objects }, "data/blobs [^ ]* is not empty;"],
    ] as const
  ) {
    await assert.rejects(restoreInto(stores, place, manifest), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, new RegExp(`^Nothing is restored: [^ ]*${names}`));
      return true;
    });
    // As whoever moves asks, before anything is copied.
    await assert.rejects(refuseFull(keyed(), stores, null), /not empty/);
  }
  await refuseFull(keyed(), others.stores, null);
  await assertUntouched(others.stores);
  assert.equal((await kv.get(keyOf.restoring())).value, null);
  assert.deepEqual((await makeBackup(world, place)).manifest.sizes, manifest.sizes);
});

Deno.test("missing parts and ones that are cut short are told by their names before anything changes", async () => {
  await using world = await backupWorld();
  await using others = await emptyStores();
  using place = await placeIn(world);
  const { manifest } = await makeBackup(world, place);
  const [missing, short] = [partOf(manifest, "audit_outbox"), partOf(manifest, "control_projects")];
  await Deno.remove(fileOf(world, missing));
  await Deno.truncate(fileOf(world, short), 20);

  const faults = await verify(place, manifest, () => {});
  assert.equal(faults.length, 2);
  assert.ok(faults.includes(
    `Part parts/${missing.slice(0, 2)}/${missing} is missing (rows of audit_outbox)`,
  ));
  await assert.rejects(restoreInto(others.stores, place, manifest), (error) => {
    assert.ok(error instanceof DamagedPart);
    assert.ok(error.message.includes(`parts/${missing.slice(0, 2)}/${missing} is missing`));
    assert.ok(error.message.includes(`parts/${short.slice(0, 2)}/${short} is cut short`));
    return true;
  });
  await assertUntouched(others.stores);

  const next = await makeBackup(world, place);
  assert.deepEqual(await verify(place, next.manifest, () => {}), []);
});

Deno.test("a place keeps its key: another one, none, and one for a place without are told so", async () => {
  await using world = await backupWorld();
  await using plain = await backupWorld();
  {
    using place = await placeIn(world, KEY);
    await makeBackup(world, place);
    using other = await placeIn(plain);
    await makeBackup(plain, other);
  }
  const before = await Array.fromAsync(filesBelow(world.folder.path));
  for (const isWriter of [true, false]) {
    for (
      const [{ folder }, key, sentence] of [
        [world, "another key of a test", /encrypted with another key: set SERVICE_BACKUP_KEY to/],
        [world, undefined, /are encrypted: set SERVICE_BACKUP_KEY$/],
        [plain, KEY, /are not encrypted: choose another place/],
      ] as const
    ) {
      await assert.rejects(openPlace(keyed(key), folder.path, { isWriter }), (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, sentence);
        return true;
      });
    }
  }
  assert.deepEqual(await Array.fromAsync(filesBelow(world.folder.path)), before);
});

async function* filesBelow(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* filesBelow(path);
    else yield `${path} ${(await Deno.stat(path)).mtime?.getTime()}`;
  }
}

Deno.test("nobody reads names, rows or objects in an encrypted place", async () => {
  await using world = await backupWorld();
  using place = await placeIn(world, KEY);
  await world.stores.objects.put("files/text", new TextEncoder().encode("a secret of somebody"));
  await makeBackup(world, place);
  for await (const line of filesBelow(world.folder.path)) {
    const text = new TextDecoder("latin1").decode(await Deno.readFile(line.split(" ")[0] ?? ""));
    assert.ok(!/control_projects|acme|a secret/.test(text), line);
  }
});

Deno.test("a manifest that names what is no table, column, part or backup is damaged", async () => {
  await using world = await backupWorld();
  using place = await placeIn(world);
  const { manifest } = await makeBackup(world, place);
  const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  assert.deepEqual(readManifest(encode(manifest)), manifest);
  const [table] = manifest.postgres.tables;
  const withTable = (change: object) => ({
    ...manifest,
    postgres: { ...manifest.postgres, tables: [{ ...table, ...change }] },
  });
  const hostile = [
    withTable({ name: "../x" }),
    withTable({ name: 'issues"; drop table issues; --' }),
    withTable({ parent: "pg_catalog.pg_class" }),
    withTable({ columns: ["id, (select 1)"] }),
    withTable({ parts: ["../../../etc/passwd"] }),
    withTable({ parts: ["/etc/passwd"] }),
    withTable({ parts: ["0".repeat(63)] }),
    // No size: it would not be checked, and would be deleted when older backups go.
    withTable({ parts: ["0".repeat(64)] }),
    { ...manifest, sizes: { ...manifest.sizes, "../x": 1 } },
    { ...manifest, kv: { ...manifest.kv, parts: ["..".repeat(32)] } },
    { ...manifest, postgres: { ...manifest.postgres, sequences: { "a;b": "1" } } },
    { ...manifest, postgres: { ...manifest.postgres, sequences: { a: "1; drop" } } },
    { ...manifest, format: "1" },
    null,
    [],
  ];
  for (const each of hostile) assert.equal(readManifest(encode(each)), null, JSON.stringify(each));
  assert.equal(readManifest(encode({ ...manifest, format: 2 })), "newer");

  for (const id of ["../watchpost-backup", "/etc/passwd", "x"]) {
    await assert.rejects(place.read(id), /There is no backup .*; there are: \d{8}T\d{9}Z$/);
  }
  const file = (id: string) => world.folder.join("backups", id);
  const other = manifest.id.replace(/^\d{4}/, "2001");
  await Deno.copyFile(file(manifest.id), file(other));
  await assert.rejects(place.read(other), /is damaged/);
});

Deno.test("a list with a key that leads out of the store is refused by its part, and nothing changes", async () => {
  await using world = await backupWorld();
  await using others = await emptyStores();
  using place = await placeIn(world);
  const { manifest } = await makeBackup(world, place);
  for (const key of ["../../x", "/etc/x", "a/../../x", ".temp/x", "a//x"]) {
    const writer = new PartWriter(place.parts, new Map());
    const part = "0".repeat(64);
    const line = JSON.stringify({ key, size: 1, part });
    const parts: string[] = [];
    await writer.add(
      nameOf.list(),
      new TextEncoder().encode(line),
      (name) => void parts.push(name),
    );
    await writer.end();
    const hostile = { ...manifest, objects: { ...manifest.objects, parts } };
    await assert.rejects(restoreInto(others.stores, place, hostile), (error) => {
      assert.ok(error instanceof DamagedPart);
      assert.ok(error.message.includes(`${parts[0]} is no list of objects`), error.message);
      return true;
    });
  }
  await assertUntouched(others.stores);
});
