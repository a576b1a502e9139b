import assert from "node:assert/strict";
import { type Config, readConfig } from "@/lib/core/config.ts";
import { checkStores, intakeState, spoolState } from "@/lib/server/health.ts";
import postgres from "postgres";
import { openServices } from "@/lib/server/services.ts";
import { apiApp } from "../../support/api_app.ts";
import { errorEnvelope } from "../../support/envelopes.ts";
import { errorEvent } from "../../support/error_event.ts";
import { makeWorld } from "../../support/ingest_world.ts";
import { logLines } from "../../support/log_lines.ts";
import { ownPostgres, postgresBinDir } from "../../support/own_postgres.ts";
import { copyTemplate } from "../../support/postgres_template.ts";
import { smallDisk } from "../../support/small_disk.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { testServices } from "../../support/stores.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import { authHeader } from "../../support/test_intake.ts";
import { waitFor } from "../../support/wait_for.ts";

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

/** Whether disks can be mounted at all. */
await using probe = await smallDisk(1);

Deno.test({
  name: "a start on a full disk ends with one line, before anything is opened",
  // Only administrators mount, and only on Linux like this.
  ignore: probe === null,
  async fn() {
    await using disk = await smallDisk(4);
    assert.ok(disk);
    const { path } = disk;
    await assert.rejects(openServices(readConfig({ SERVICE_DATA_DIR: path }), silentLogger), {
      name: "ConfigError",
      message: `Cannot start: the disk of ${path} (SERVICE_DATA_DIR) is full; make room first`,
    });
    assert.deepEqual([...Deno.readDirSync(path)], []);
  },
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

const binDir = await postgresBinDir();

Deno.test({
  name:
    "a start while Postgres is away spools, says so, and migrates before it stores when Postgres is back",
  ignore: binDir === null,
  async fn() {
    await using dir = await tempDir();
    await using cluster = await ownPostgres(binDir ?? "");
    const config = readConfig({ SERVICE_DATA_DIR: dir.path, DATABASE_URL: cluster.url });
    const first = await openServices(config, silentLogger);
    const world = await makeWorld(first.kv);
    // As a newer version leaves it: whoever may not touch it must not store either.
    await first.sql`insert into schema_migrations (version, name) values (9999, 'newer')`;
    await first.close();
    await cluster.stop();

    const { log, lines } = logLines();
    const services = await openServices(config, log);
    const state = async () => {
      const health = await checkStores(services);
      return { health, intake: intakeState(health, await spoolState(services), false) };
    };
    const away = { health: { ok: false, failing: ["postgres"] }, intake: "spooling" };
    assert.deepEqual(await state(), away);
    const { eventId, body } = errorEnvelope("sent during the outage");
    const answer = await apiApp(services)(`/api/${world.project.id}/envelope/`, {
      method: "POST",
      headers: authHeader(world.serverKey),
      body,
    });
    assert.equal(answer.status, 200, await answer.text());
    await waitFor("the spool", async () => (await services.spool.state()).waitingObjects || null);

    await cluster.start();
    await waitFor(
      "the refusal",
      () =>
        lines.find(({ level, message }) =>
          level === "error" &&
          message.startsWith("Postgres cannot be used: the database is at migration 9999")
        ) ?? null,
      20_000,
    );
    assert.deepEqual(await state(), away);
    const other = postgres(cluster.url, { max: 1 });
    await other`delete from schema_migrations where version = 9999`;
    await waitFor("readiness", async () => (await state()).health.ok || null, 30_000);
    await waitFor("the event", async () => {
      const rows = await other`select replace(event_id::text, '-', '') as id from events`;
      return rows[0]?.id === eventId || null;
    }, 30_000);
    await other.end();
    await services.close();
  },
});

Deno.test("`stopping` tells of the drain, which close() begins if nobody did", async () => {
  await using test = await testServices();
  const { services } = test;
  assert.equal(services.stopping.aborted, false);
  services.beginStop();
  assert.equal(services.stopping.aborted, true);
  assert.deepEqual(await checkStores(services), { ok: true });
});
