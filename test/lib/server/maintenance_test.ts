import type { Repeated } from "@/lib/core/waiting.ts";
import assert from "node:assert/strict";
import { startMaintenance } from "@/lib/server/maintenance.ts";
import { deleteProject, purgeDeletedProjects, restoreProject } from "@/lib/projects/deletion.ts";
import { ensurePartitions } from "@/lib/store/partitions.ts";
import { logLines } from "../../support/log_lines.ts";
import { projectsWithTelemetry } from "@/lib/store/control_copy.ts";
import { nextPurgeInMs, writeTombstone } from "@/lib/store/deleted_projects.ts";
import { errorEvent } from "../../support/error_event.ts";
import { makeWorld } from "../../support/ingest_world.ts";
import { interleaved } from "../../support/interleaved_kv.ts";
import { testDatabase, testKv, testObjects } from "../../support/stores.ts";
import {
  attachmentRecord,
  checkInRecord,
  feedbackRecord,
  logRecord,
  metricRecord,
  sessionRecord,
  spanBatchRecord,
  transactionRecord,
} from "../../support/records.ts";
import { testWriter } from "../../support/writer.ts";

const LONG_AGO = new Date("2024-02-29T12:00:00Z");

function closing(maintenance: Repeated): Repeated & AsyncDisposable {
  return { ...maintenance, [Symbol.asyncDispose]: () => maintenance.close() };
}

Deno.test("a run makes partitions ahead, and removes and tells what has expired", async () => {
  await using kv = await testKv();
  await using stored = await testObjects();
  const { objects } = stored;
  await using database = await testDatabase();
  const { sql } = database;
  const { log, lines } = logLines();
  await ensurePartitions(sql, [LONG_AGO]);
  await sql`insert into event_ids values (1, gen_random_uuid(), 1, ${LONG_AGO})`;
  await using maintenance = closing(
    startMaintenance({ ...kv, sql, objects, log, retentionDays: 90 }),
  );

  await maintenance.run();

  const [partitions] = await sql`
    select count(*)::int as count from pg_inherits where inhparent = 'events'::regclass
  `;
  assert.deepEqual(partitions, { count: 8 });
  assert.deepEqual(lines, [
    {
      level: "info",
      message: "dropped expired partitions",
      fields: {
        partitions: [
          "events",
          "event_chunks",
          "transactions",
          "span_sources",
          "span_batches",
          "span_chunks",
          "span_facts",
          "logs",
          "metric_blocks",
          "metric_exemplars",
          "receipts",
          "uptime_checks",
          "stat_minutes",
          "stat_hours",
        ].map((table) => `${table}_20240229`),
      },
    },
    { level: "info", message: "deleted expired rows", fields: { event_ids: 1 } },
  ]);
});

Deno.test("of several isolates one has the work, and another takes over when it ends", async () => {
  await using kv = await testKv();
  await using stored = await testObjects();
  const { objects } = stored;
  await using database = await testDatabase();
  const other = database.connect();
  const { log, lines } = logLines();
  const options = { kv: kv.kv, objects, retentionDays: 90 };
  const first = startMaintenance({ ...options, sql: database.sql, log });
  await using second = closing(startMaintenance({ ...options, sql: other, log }));

  await first.run();
  await ensurePartitions(database.sql, [LONG_AGO]);
  await second.run();
  assert.deepEqual(lines, []);

  await first.close();
  await second.run();
  assert.deepEqual(lines.map(({ message }) => message), ["dropped expired partitions"]);
});

Deno.test("a run that fails is logged, and the next one works", async () => {
  await using kv = await testKv();
  await using stored = await testObjects();
  const { objects } = stored;
  await using database = await testDatabase({ isEmpty: true });
  const { log, lines } = logLines();
  await using maintenance = closing(
    startMaintenance({ ...kv, sql: database.sql, objects, log, retentionDays: 90 }),
  );

  await maintenance.run();
  assert.deepEqual(lines.map(({ message }) => message), ["maintenance failed"]);
});

Deno.test("an empty control store deletes no telemetry, and a tombstone only after its grace", async () => {
  await using kv = await testKv();
  await using stored = await testObjects();
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store("1", errorEvent());
  await writer.store("2", errorEvent());
  await writer.close();
  const deleted = { id: "2", organizationId: "1", slug: "b", name: "B", deletedBy: "ann" };
  await writeTombstone(sql, deleted);
  const { log, lines } = logLines();
  await using maintenance = closing(
    startMaintenance({ ...kv, sql, ...stored, log, retentionDays: 90 }),
  );

  await maintenance.run();
  assert.deepEqual(await projectsWithTelemetry(sql), ["1", "2"]);
  const week = 7 * 24 * 60 * 60_000;
  const due = await nextPurgeInMs(sql) ?? 0;
  assert.ok(due > week - 60_000 && due <= week, `purged in ${due} ms`);

  await sql`update deleted_projects set deleted_at = now() - interval '7 days'`;
  await maintenance.run();
  assert.deepEqual(await projectsWithTelemetry(sql), ["1"]);
  assert.equal(await nextPurgeInMs(sql), null);
  const told = lines.filter(({ message }) => message === "purged a deleted project");
  assert.equal(told.length, 1);
  assert.ok(Number(told[0]?.fields.rows) >= 3, JSON.stringify(told));
});

Deno.test("a project that is there keeps its telemetry, whatever tombstone it has", async () => {
  await using kv = await testKv();
  await using stored = await testObjects();
  await using database = await testDatabase();
  const { sql } = database;
  const { log } = logLines();
  const { project } = await makeWorld(kv.kv);
  await using writer = testWriter(sql);
  await writer.store(project.id, errorEvent());
  await writer.close();
  await writeTombstone(sql, { ...project, deletedBy: "ann" });
  await sql`update deleted_projects set deleted_at = now() - interval '8 days'`;
  await using maintenance = closing(
    startMaintenance({ ...kv, sql, ...stored, log, retentionDays: 90 }),
  );

  await maintenance.run();
  assert.deepEqual(await projectsWithTelemetry(sql), [project.id]);
  assert.equal(await nextPurgeInMs(sql), null, "and the tombstone is gone");
});

Deno.test("a project that is restored and deleted anew while its purge begins has a week again", async () => {
  await using kv = await testKv();
  await using stored = await testObjects();
  await using database = await testDatabase();
  const { sql } = database;
  const { log } = logLines();
  const { project, organization } = await makeWorld(kv.kv);
  await using writer = testWriter(sql);
  await writer.store(project.id, errorEvent());
  await writer.close();
  const stores = { kv: kv.kv, sql };
  await deleteProject(stores, project, "ann");
  await sql`update deleted_projects set deleted_at = now() - interval '8 days'`;
  const slow = interleaved(kv.kv, "deleted_project", async () => {
    await restoreProject(stores, organization.id, project.id);
    await deleteProject(stores, project, "ann");
  });

  const { signal } = new AbortController();
  await purgeDeletedProjects({ kv: slow, sql, ...stored, log }, signal);
  assert.deepEqual(await projectsWithTelemetry(sql), [project.id]);
  assert.notEqual(await nextPurgeInMs(sql), null, "its tombstone stands");
  assert.equal((await restoreProject(stores, organization.id, project.id))?.id, project.id);
});

Deno.test("a deleted project's telemetry is removed, and nobody else's", async () => {
  await using kv = await testKv();
  await using stored = await testObjects();
  const { objects } = stored;
  await using database = await testDatabase();
  const { sql } = database;
  const { log } = logLines();
  const { project: kept, organization } = await makeWorld(kv.kv);
  const gone = "4711";
  const deleted = { id: gone, organizationId: organization.id, slug: "gone", name: "Gone" };
  await writeTombstone(sql, { ...deleted, deletedBy: "ann" });
  await sql`update deleted_projects set deleted_at = now() - interval '8 days'`;
  await using writer = testWriter(sql);
  for (const projectId of [kept.id, gone]) {
    const attachment = attachmentRecord({
      blob: { key: `attachments/${projectId}/2026-11-20/x`, bytes: new Uint8Array(1) },
    });
    await objects.put(attachment.blob.key, attachment.blob.bytes);
    await writer.store(
      projectId,
      errorEvent({ user: "id:7", tags: [["plan", "team"]] }),
      attachment,
      checkInRecord(),
      feedbackRecord(),
      logRecord(),
      metricRecord(),
      sessionRecord({ userHash: "a" }),
      spanBatchRecord(),
      transactionRecord(),
    );
    writer.countRequest({ projectId, keyId: "k", isAccepted: true, at: new Date() });
  }
  await writer.close();
  await using maintenance = closing(
    startMaintenance({ ...kv, sql, objects, log, retentionDays: 90 }),
  );

  await maintenance.run();

  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.columns
    where column_name = 'project_id' and table_schema = current_schema()
  `;
  assert.ok(tables.length >= 10);
  for (const { name } of tables) {
    const owners = await sql<{ id: string }[]>`select distinct project_id as id from ${sql(name)}`;
    assert.ok(owners.every(({ id }) => id === kept.id), name);
  }
  assert.deepEqual(await projectsWithTelemetry(sql), [kept.id]);
  const left = await Array.fromAsync(objects.list("attachments/"));
  assert.deepEqual(left.map(({ key }) => key), [`attachments/${kept.id}/2026-11-20/x`]);
});
