import assert from "node:assert/strict";
import { type Config, readConfig } from "../../lib/config.ts";
import { checkStores } from "../../lib/health.ts";
import { openServices } from "../../lib/services.ts";
import { errorEvent } from "../support/error_event.ts";
import { logLines } from "../support/log_lines.ts";
import { copyTemplate } from "../support/postgres_template.ts";
import { silentLogger } from "../support/silent_logger.ts";
import { testServices } from "../support/stores.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";

/** Settings of an instance on embedded stores, the slow first initialisation done. */
async function embedded(dir: TempDir): Promise<Config> {
  await copyTemplate(dir.join("postgres"));
  return readConfig({
    SERVICE_DATA_DIR: dir.path,
    SERVICE_ADMIN_EMAIL: "ann@example.com",
    SERVICE_ADMIN_PASSWORD: "correct horse battery",
  });
}

Deno.test("services start on embedded stores, keep what they are given, and start again on it", async () => {
  await using dir = await tempDir();
  const config = await embedded(dir);
  const { log, lines } = logLines();

  const first = await openServices(config, log);
  assert.deepEqual(await checkStores(first), { ok: true });
  await first.writer.commit("1", { records: [errorEvent()], outcomes: [] });
  await first.objects.put("kept", new Uint8Array([7]));
  await first.close();

  const second = await openServices(config, log);
  assert.deepEqual([...await second.sql`select count(*)::int as count from events`], [{
    count: 1,
  }]);
  assert.deepEqual(await second.objects.get("kept"), new Uint8Array([7]));
  await second.close();

  assert.ok(lines.every(({ level }) => level === "info"), JSON.stringify(lines));
});

Deno.test("a second isolate on the same embedded stores is refused, and the first is not disturbed", async () => {
  await using dir = await tempDir();
  const config = await embedded(dir);
  const services = await openServices(config, silentLogger);

  await assert.rejects(openServices(config, silentLogger), {
    name: "ConfigError",
    message:
      `Cannot start: the embedded stores in ${dir.path} serve one isolate and another one of ` +
      "this process has them; to run several, set " +
      "DATABASE_URL, DENO_KV_URL, S3_ENDPOINT and S3_BUCKET",
  });

  assert.deepEqual(await checkStores(services), { ok: true });
  await services.close();
});

Deno.test("a start that fails closes what it opened, so that the next one can work", async () => {
  await using dir = await tempDir();
  const config = await embedded(dir);
  await Deno.rename(dir.join("postgres", "PG_VERSION"), dir.join("PG_VERSION"));
  await assert.rejects(openServices(config, silentLogger), { name: "ConfigError" });
  await Deno.rename(dir.join("PG_VERSION"), dir.join("postgres", "PG_VERSION"));

  const services = await openServices(config, silentLogger);
  await services.close();
});

Deno.test("`stopping` tells of the drain, which close() begins if nobody did", async () => {
  await using test = await testServices();
  const { services } = test;
  assert.equal(services.stopping.aborted, false);
  services.beginStop();
  assert.equal(services.stopping.aborted, true);
  assert.deepEqual(await checkStores(services), { ok: true });
});
