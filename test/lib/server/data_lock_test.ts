import assert from "node:assert/strict";
import { lockDataDir } from "@/lib/server/data_lock.ts";
import { runChild } from "../../support/child.ts";
import { tempDir } from "../../support/temp_dir.ts";

const ADDRESS = "127.0.0.1:8000";
const REMEDY = "DATABASE_URL, DENO_KV_URL";
const holdDataDir = new URL("../core/hold_data_dir.ts", import.meta.url);

Deno.test("a second isolate of the process is refused, and told which settings allow several", async () => {
  await using dir = await tempDir();
  const lock = await lockDataDir(dir.join("data"), ADDRESS, REMEDY);

  await assert.rejects(lockDataDir(dir.join("data"), ADDRESS, REMEDY), {
    name: "ConfigError",
    message: `Cannot start: the embedded stores in ${dir.join("data")} serve one isolate ` +
      "and another one of this process has them; to run several, set DATABASE_URL, DENO_KV_URL",
  });
  lock.release();
});

Deno.test("a released lock can be taken again", async () => {
  await using dir = await tempDir();
  (await lockDataDir(dir.path, ADDRESS, REMEDY)).release();
  (await lockDataDir(dir.path, ADDRESS, REMEDY)).release();
});

Deno.test("a second process is told who has the folder, since when and where it serves", async () => {
  await using dir = await tempDir();
  await using child = runChild(holdDataDir, [dir.path]);
  assert.equal(await child.line(), "locked");

  await assert.rejects(lockDataDir(dir.path, ADDRESS, REMEDY), (error: Error) => {
    const [, pid, since] = error.message.match(
      /^Cannot start: .+ is in use by process (\d+) \(since (.+), serving 0\.0\.0\.0:8000\); stop it, or choose another folder with SERVICE_DATA_DIR$/,
    ) ?? [];
    assert.equal(Number(pid), child.pid);
    assert.ok(Math.abs(Date.parse(since ?? "") - Date.now()) < 60_000);
    return true;
  });
});

Deno.test("the lock of a process that was killed holds nobody up", async () => {
  await using dir = await tempDir();
  await using child = runChild(holdDataDir, [dir.path]);
  assert.equal(await child.line(), "locked");
  await child.kill();

  (await lockDataDir(dir.path, ADDRESS, REMEDY)).release();
});

Deno.test("a holder that cannot be read is still refused", async () => {
  await using dir = await tempDir();
  const lock = await lockDataDir(dir.path, ADDRESS, REMEDY);
  await Deno.writeTextFile(dir.join("lock"), "");

  await assert.rejects(
    lockDataDir(dir.path, ADDRESS, REMEDY),
    /is in use by another process; stop it/,
  );
  lock.release();
});
