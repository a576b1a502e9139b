/** What later backups cost, and which parts stay. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { keyOf, takeLease } from "@/lib/accounts/kv.ts";
import { lastBackup, noteBackup } from "@/lib/accounts/last_backup.ts";
import { ConfigError, readConfig } from "@/lib/core/config.ts";
import { MINUTE_MS } from "@/lib/core/time.ts";
import { backUp } from "@/lib/server/backup/back_up.ts";
import { startBackups } from "@/lib/server/backup/clock.ts";
import { bytesOf } from "@/lib/server/backup/manifest.ts";
import { verify } from "@/lib/server/backup/verify.ts";
import { addRow, backupWorld, makeBackup, placeIn } from "@/test/support/backup_world.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";

const KEY = "a key for the backups of a test";

for (const [key, kind] of [[undefined, "a backup"], [KEY, "an encrypted backup"]] as const) {
  Deno.test(`${kind} of what has not changed stores nothing, and of what has only that`, async () => {
    await using world = await backupWorld();
    using place = await placeIn(world, key);
    const { kv, sql, objects } = world.stores;

    const first = await makeBackup(world, place);
    assert.equal(first.newBytes, bytesOf(first.manifest));
    const second = await makeBackup(world, place);
    assert.equal(second.newBytes, 0);
    assert.deepEqual(second.manifest.sizes, first.manifest.sizes);

    await addRow(sql, 2);
    const third = await makeBackup(world, place);
    const [before, after] = [second, third].map(({ manifest }) => manifest.postgres.tables);
    const changed = after?.filter((table, index) => !isDeepStrictEqual(table, before?.[index]));
    assert.deepEqual(changed?.map(({ name }) => name), ["audit_outbox"]);
    assert.deepEqual(newParts(second.manifest, third.manifest), changed?.[0]?.parts);

    await kv.set(["organization", "other"], { name: "Other" });
    const fourth = await makeBackup(world, place);
    assert.deepEqual(newParts(third.manifest, fourth.manifest), fourth.manifest.kv.parts);

    await objects.put("files/third", randomBytes(20_000));
    const fifth = await makeBackup(world, place);
    assert.ok(fifth.newBytes > 20_000 && fifth.newBytes < 22_000, `${fifth.newBytes} bytes`);
    assert.deepEqual(await verify(place, fifth.manifest, () => {}), []);
  });
}

function newParts(before: Sized, after: Sized): string[] {
  return Object.keys(after.sizes).filter((part) => !(part in before.sizes));
}

interface Sized {
  readonly sizes: Readonly<Record<string, number>>;
}

Deno.test("a backup that was interrupted leaves parts that the next one needs not store again", async () => {
  await using world = await backupWorld();
  using place = await placeIn(world);
  const broken = { ...place, write: () => Promise.reject(new Error("killed")) };
  await assert.rejects(makeBackup(world, broken), /killed/);
  assert.deepEqual(await place.list(), []);

  const { newBytes } = await makeBackup(world, place);
  assert.equal(newBytes, 0);
});

Deno.test("only so many backups are kept, with every part that one of them needs and no other", async () => {
  await using world = await backupWorld();
  using place = await placeIn(world);
  const { sql, objects } = world.stores;
  const first = await makeBackup(world, place);
  await addRow(sql, 2);
  await objects.delete("files/large");
  const second = await makeBackup(world, place);
  await addRow(sql, 3);

  const third = await makeBackup(world, place, 2);

  assert.deepEqual(third.deleted, [first.manifest.id]);
  assert.deepEqual(await place.list(), [second.manifest.id, third.manifest.id]);
  const kept = [...(await place.parts.sizes()).keys()];
  const needed = new Set([second, third].flatMap(({ manifest }) => Object.keys(manifest.sizes)));
  assert.deepEqual(kept.sort(), [...needed].sort());
  for (const { manifest } of [second, third]) {
    assert.deepEqual(await verify(place, manifest, () => {}), []);
  }
});

Deno.test("nothing is deleted when one of the backups that stay cannot be read", async () => {
  await using world = await backupWorld();
  using place = await placeIn(world);
  const first = await makeBackup(world, place);
  const second = await makeBackup(world, place);
  await Deno.writeTextFile(world.folder.join("backups", second.manifest.id), "damaged");

  await assert.rejects(makeBackup(world, place, 1), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, new RegExp(`backups/${second.manifest.id} is damaged: delete`));
    return true;
  });

  assert.deepEqual(await place.list(), [first.manifest.id, second.manifest.id]);
  assert.deepEqual(await verify(place, first.manifest, () => {}), []);
});

Deno.test("one backup of an installation at a time, and not into the place of another one", async () => {
  await using world = await backupWorld();
  await using other = await backupWorld();
  await world.stores.kv.set(keyOf.instanceMark(), { id: "one" });
  using place = await placeIn(world);
  const during = { ...world.source, copyKv: () => makeBackup(world, place).then(() => never()) };
  await assert.rejects(
    backUp(during, place, { keep: null, say: () => {} }),
    /Another backup of this installation is under way/,
  );
  await makeBackup(world, place);
  await assert.rejects(makeBackup(other, place), /has the backups of another installation/);
  assert.equal((await place.list()).length, 1);
});

Deno.test("a move does not wait for the lease of one that was killed: nobody else uses the stores then", async () => {
  await using world = await backupWorld();
  using place = await placeIn(world);
  const { kv } = world.stores;
  assert.ok(await takeLease(kv, "backup", "killed", MINUTE_MS));
  await assert.rejects(makeBackup(world, place), /under way/);
  await backUp(world.source, place, { keep: null, isAlone: true, say: () => {} });
  assert.equal((await place.list()).length, 1);
});

function never(): never {
  throw new Error("Two backups were made at a time");
}

Deno.test("the clock makes a backup when one is due, which is noted, and none before the next is", async () => {
  await using world = await backupWorld();
  const { kv } = world.stores;
  using place = await placeIn(world);
  const config = readConfig({ SERVICE_BACKUP_TO: world.folder.path, SERVICE_BACKUP_EVERY: "1" });
  let made = 0;
  const start = () =>
    startBackups({
      ...{ kv, config, log: silentLogger },
      async make() {
        await makeBackup(world, place);
        made++;
        return null;
      },
    });
  const clock = start();
  await clock.run();
  assert.equal(made, 1);
  const noted = await lastBackup(kv);
  assert.equal(noted?.to, world.folder.path);
  assert.equal(noted?.error, null);
  await clock.run();
  await clock.close();

  const later = start();
  await later.run();
  assert.equal(made, 1);
  if (noted) {
    await noteBackup(kv, { ...noted, startedAt: new Date(Date.now() - 61 * MINUTE_MS) });
  }
  await later.run();
  await later.close();
  assert.equal(made, 2);
});

Deno.test("a backup that fails is noted beside the last one that did not", async () => {
  await using world = await backupWorld();
  using place = await placeIn(world);
  const { manifest } = await makeBackup(world, place);
  const broken = { ...place, write: () => Promise.reject(new Error("The disk is full")) };
  await assert.rejects(makeBackup(world, broken), /full/);
  const noted = await lastBackup(world.stores.kv);
  assert.equal(noted?.error, "The disk is full");
  assert.equal(noted?.startedAt.toISOString(), manifest.startedAt);
});

Deno.test("the clock makes none without a place, and where the platform may not start a process", async () => {
  await using world = await backupWorld();
  const { kv } = world.stores;
  const place = readConfig({ SERVICE_BACKUP_TO: world.folder.path });
  for (const config of [readConfig({}), { ...place, platform: "deno-deploy" as const }]) {
    const clock = startBackups({ kv, config, log: silentLogger, make: never });
    await clock.run();
    await clock.close();
  }
});
