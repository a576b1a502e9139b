import assert from "node:assert/strict";
import { readConfig } from "@/lib/core/config.ts";
import {
  copyKvDaily,
  damageOf,
  kvCopies,
  openKv,
  restoreKvFile,
  takeCopyAway,
} from "@/lib/accounts/open_kv.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { tempDir } from "../../support/temp_dir.ts";

const day = (number: number) => new Date(Date.UTC(2026, 10, number, 12));

async function filled(path: string, value: string): Promise<Deno.Kv> {
  const kv = await Deno.openKv(path);
  for (let index = 0; index < 200; index++) await kv.set(["filled", index], "x".repeat(500));
  await kv.set(["value"], value);
  return kv;
}

async function damage(path: string): Promise<void> {
  using file = await Deno.open(path, { write: true });
  await file.seek(3 * 4096, Deno.SeekMode.Start);
  await file.write(crypto.getRandomValues(new Uint8Array(4 * 4096)));
}

Deno.test("the embedded KV is copied once a day while it is in use, and the last seven copies stay", async () => {
  await using dir = await tempDir();
  const kv = await filled(dir.join("kv.sqlite3"), "first");
  for (let number = 1; number <= 9; number++) {
    assert.equal(await copyKvDaily(dir.path, day(number)), `2026-11-0${number}`);
  }
  assert.equal(await copyKvDaily(dir.path, day(9)), null);
  assert.deepEqual(
    await kvCopies(dir.path),
    [9, 8, 7, 6, 5, 4, 3].map((number) => `2026-11-0${number}`),
  );
  await kv.set(["value"], "still in use");
  assert.equal((await kv.get(["value"])).value, "still in use");
  kv.close();
});

Deno.test("a damaged KV stops the start with what to do, and the newest whole copy is put back", async () => {
  await using dir = await tempDir();
  const path = dir.join("kv.sqlite3");
  const config = readConfig({ SERVICE_DATA_DIR: dir.path });
  const kv = await filled(path, "on the first");
  await copyKvDaily(dir.path, day(1));
  await kv.set(["value"], "on the second");
  await copyKvDaily(dir.path, day(2));
  await copyKvDaily(dir.path, day(3));
  kv.close();
  assert.equal(await damageOf(path), null);
  assert.equal(await restoreKvFile(dir.path), null, "a whole one stays");

  await damage(path);
  await damage(dir.join("kv-copies", "kv-2026-11-03.sqlite3"));
  await assert.rejects(openKv(config, silentLogger), {
    name: "ConfigError",
    message:
      /^Cannot start: .*kv\.sqlite3 is damaged \(.+\); put a backup of it back, or go back to the copy of 2026-11-03: deno task recover kv$/,
  });
  await assert.rejects(copyKvDaily(dir.path, day(4)), /damaged|malformed/);
  assert.equal((await kvCopies(dir.path)).length, 3, "a damaged one pushes no copy out");

  assert.equal(await restoreKvFile(dir.path), "2026-11-02");
  const restored = await openKv(config, silentLogger);
  assert.equal((await restored.get(["value"])).value, "on the second");
  restored.close();
  await takeCopyAway(dir.path);
  assert.equal(await restoreKvFile(dir.path), "2026-11-02", "again, when what follows has failed");
  const names = await Array.fromAsync(Deno.readDir(dir.path), ({ name }) => name);
  assert.ok(names.some((name) => name.startsWith("kv.sqlite3.damaged-")), "it is kept beside");
});

Deno.test("what is no database at all is told as damaged, and goes out of the way without any copy", async () => {
  await using dir = await tempDir();
  const path = dir.join("kv.sqlite3");
  await Deno.writeFile(path, new Uint8Array(10_000).fill(7));
  await assert.rejects(openKv(readConfig({ SERVICE_DATA_DIR: dir.path }), silentLogger), {
    message:
      /is damaged \(file is not a database\); .* there is no copy of it; make it again from Postgres: deno task recover kv$/,
  });
  assert.equal(await restoreKvFile(dir.path), "none");
  assert.equal(await damageOf(path), null);
});

Deno.test("an empty KV, as a refused start leaves it, makes room for a copy", async () => {
  await using dir = await tempDir();
  const path = dir.join("kv.sqlite3");
  (await filled(path, "kept")).close();
  await copyKvDaily(dir.path, day(1));
  for (const suffix of ["", "-wal", "-shm"]) await Deno.remove(path + suffix).catch(() => {});
  (await Deno.openKv(path)).close();
  assert.equal(await restoreKvFile(dir.path), "2026-11-01");
  const kv = await Deno.openKv(path);
  assert.equal((await kv.get(["value"])).value, "kept");
  kv.close();
});
