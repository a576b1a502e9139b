import assert from "node:assert/strict";
import postgres from "postgres";
import { readConfig } from "@/lib/core/config.ts";
import { openServices } from "@/lib/server/services.ts";
import { apiApp } from "../../support/api_app.ts";
import { errorEnvelope } from "../../support/envelopes.ts";
import { makeWorld } from "../../support/ingest_world.ts";
import { ownPostgres, postgresBinDir } from "../../support/own_postgres.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { authHeader } from "../../support/test_intake.ts";
import { waitFor } from "../../support/wait_for.ts";

const binDir = await postgresBinDir();

/** More than the pages' pool has connections. */
const SLOW_STATEMENTS = 30;
/** They are ended by the test, long before. */
const SLOW_SEC = 300;

Deno.test({
  name:
    "while slow statements of pages hold all connections that pages have, intake stores and answers",
  ignore: binDir === null,
  async fn() {
    await using dir = await tempDir();
    await using cluster = await ownPostgres(binDir ?? "");
    const config = readConfig({ SERVICE_DATA_DIR: dir.path, DATABASE_URL: cluster.url });
    const services = await openServices(config, silentLogger);
    const { project, serverKey } = await makeWorld(services.kv);
    const other = postgres(cluster.url, { max: 1 });
    const slow = Array.from(
      { length: SLOW_STATEMENTS },
      () => services.sql`select pg_sleep(${SLOW_SEC})`.then(() => null, () => null),
    );
    const sleeping = () =>
      other<{ pid: number }[]>`
        select pid from pg_stat_activity where state = 'active' and query like 'select pg_sleep%'
      `;
    const busy = await waitFor("all connections of pages to be taken", async () => {
      const rows = await sleeping();
      return rows.length >= 10 ? rows.length : null;
    });
    const page = services.sql`select 1`.then(() => "answered", () => "ended");

    const { eventId, body } = errorEnvelope("sent beside slow pages");
    const answer = await apiApp(services)(`/api/${project.id}/envelope/`, {
      method: "POST",
      headers: authHeader(serverKey),
      body,
    });
    assert.equal(answer.status, 200, await answer.text());
    const stored = await other<{ id: string }[]>`
      select replace(event_id::text, '-', '') as id from events where project_id = ${project.id}
    `;
    assert.deepEqual(stored.map(({ id }) => id), [eventId], "in Postgres, not in the spool");
    assert.equal((await sleeping()).length, busy, "the slow statements still run");
    assert.equal(await Promise.race([page, Promise.resolve("waits")]), "waits");

    // Those that waited for a connection begin when the first ones end.
    await waitFor("the slow statements to end", async () => {
      const rows = await sleeping();
      for (const { pid } of rows) await other`select pg_cancel_backend(${pid})`;
      return rows.length === 0 || null;
    });
    await Promise.all(slow);
    assert.equal(await page, "answered");
    await other.end();
    await services.close();
  },
});
